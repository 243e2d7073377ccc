"""Knesset sentences."""

import json
from pathlib import Path

import pytest

from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

KNESSET = load_sources()["iahlt_knesset"]
DANA = {
    "metadata": {"doc_id": "9_1.doc", "speaker": "דנה"},
    "text": "דנה גרה בחיפה.",
    "label": [[9, 13, "GPE"], [0, 3, "PER"]],
}
THANKS = {"metadata": {"doc_id": "9_1.doc", "speaker": "דנה"}, "text": "תודה, דנה.", "label": [[6, 9, "PER"]]}
OTHER = {"metadata": {"doc_id": "9_2.doc", "speaker": "דנה"}, "text": "לא.", "label": []}


def laid(tmp_path: Path, *sentences: object) -> Path:
    for split in ("dev", "train"):
        (tmp_path / f"he_iahltknesset-ne-ud-{split}.jsonl").touch()
    content = "\n".join(json.dumps(sentence, ensure_ascii=False) for sentence in sentences)
    (tmp_path / "he_iahltknesset-ne-ud-test.jsonl").write_text(content)
    return tmp_path


def test_the_sentences_of_a_protocol_are_one_document(tmp_path: Path) -> None:
    reading = read(KNESSET, laid(tmp_path, DANA, OTHER, THANKS))
    text = "דנה גרה בחיפה.\nתודה, דנה."
    spans = (Gold(9, 13, "GPE"), Gold(0, 3, "PER"), Gold(21, 24, "PER"))
    assert reading.documents == [
        Document("9_1.doc", "test", text, spans, (0, 15), {}),
        Document("9_2.doc", "test", "לא.", (), (0,), {}),
    ]
    assert reading.counts == {"sentences": 3}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (THANKS | {"label": [[6, 99, "PER"]]}, "test.jsonl, line 1: a span 6 to 99"),
        (THANKS | {"label": [[6, 9]]}, "test.jsonl, line 1: has not the shape"),
        (THANKS | {"metadata": {}}, "test.jsonl, line 1: lacks 'doc_id'"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, sentence: object, said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(KNESSET, laid(tmp_path, sentence))
    assert said in str(caught.value)
    assert "דנה" not in str(caught.value)


@pytest.mark.corpora
def test_the_real_corpus_has_its_known_counts(mirror: Path) -> None:
    reading = read(KNESSET, mirror / "iahlt_knesset")
    assert reading.counts == {"sentences": 996 + 268 + 131}
    for split, n_documents, n_chars, n_spans in (
        ("train", 38, 81_019, 710),
        ("dev", 8, 19_797, 213),
        ("test", 7, 9161, 80),
    ):
        documents = [document for document in reading.documents if document.split == split]
        joiners = sum(len(document.passage_starts or ()) - 1 for document in documents)
        assert len(documents) == n_documents
        assert sum(len(document.text) for document in documents) - joiners == n_chars
        assert sum(len(document.spans) for document in documents) == n_spans
