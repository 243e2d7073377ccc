"""GermEval's columns."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from piibench_duck.corpora import Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

GERMEVAL = load_sources()["germeval2014"]
HEADER = "#\thttp://example.de/erika-muster\t[2009-01-01]"


def column(*tokens: str) -> str:
    """A sentence from `token outer inner` words."""
    lines = [f"{index}\t" + "\t".join(token.split()) for index, token in enumerate(tokens, start=1)]
    return "\n".join([HEADER, *lines, "", ""])


def laid(tmp_path: Path, test: str, dev: str = "") -> Path:
    (tmp_path / "Data").mkdir()
    (tmp_path / "Data" / "NER-de-test.tsv").write_text(test)
    (tmp_path / "Data" / "NER-de-dev.tsv").write_text(dev)
    return tmp_path


def test_sentences_of_one_source_line_are_one_document(tmp_path: Path) -> None:
    first = column("Erika B-PER O", "kam O O", ". O O")
    second = column("Die O O", "Uni B-ORG O", "Kiel I-ORG B-LOC", "rief O O").replace("]\n", "]\t\n", 1)
    (document,) = read(GERMEVAL, laid(tmp_path, first + second)).documents
    assert document.text == "Erika kam .\nDie Uni Kiel rief"
    assert document.passage_starts == (0, 12)
    assert document.spans == (Gold(0, 5, "PER"), Gold(16, 24, "ORG"), Gold(20, 24, "LOC"))


def test_a_document_is_named_by_split_and_digest_and_never_by_its_address(tmp_path: Path) -> None:
    sentence = column("Erika B-PER O")
    documents = read(GERMEVAL, laid(tmp_path, sentence, sentence)).documents
    assert [document.split for document in documents] == ["dev", "test"]
    digest = hashlib.sha256(HEADER.encode()).hexdigest()[:16]
    assert [document.doc_id for document in documents] == [f"dev-{digest}", f"test-{digest}"]


def test_neighbouring_entities_stay_apart(tmp_path: Path) -> None:
    sentence = column("Erika B-PER O", "Otto B-PER O", "Muster I-PER O", "Kiel B-LOC O", "Kieler B-LOCderiv O")
    (document,) = read(GERMEVAL, laid(tmp_path, sentence)).documents
    assert [(span.start, span.end, span.source_label) for span in document.spans] == [
        (0, 5, "PER"),
        (6, 17, "PER"),
        (18, 22, "LOC"),
        (23, 29, "LOCderiv"),
    ]


def test_an_inside_tag_that_continues_nothing_begins_an_entity_and_is_counted(tmp_path: Path) -> None:
    sentence = column("Erika I-PER O", "Kiel I-LOC O", "kam O O", "Otto I-LOC O")
    reading = read(GERMEVAL, laid(tmp_path, sentence))
    assert [span.source_label for span in reading.documents[0].spans] == ["PER", "LOC", "LOC"]
    assert reading.counts["inside_without_begin"] == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\tErika\tB-PER\tO\n", "NER-de-test.tsv, line 1: a token stands before the first source line"),
        (HEADER + "\n1\tErika\tB-PER\n", "NER-de-test.tsv, line 2: has not the shape"),
        (HEADER + "\n1\tErika\tPER\tO\n", "NER-de-test.tsv, line 1: token 1 has a tag that is not BIO"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(GERMEVAL, laid(tmp_path, text))
    assert said in str(caught.value)
    assert "Erika" not in str(caught.value)


@pytest.mark.corpora
def test_the_real_corpus_has_its_known_counts(mirror: Path) -> None:
    reading = read(GERMEVAL, mirror / "germeval2014")
    assert reading.counts == {"sentences": 7300, "outer": 6178 + 2674, "inner": 515 + 212, "inside_without_begin": 0}
    assert Counter(document.split for document in reading.documents)["test"] == 5037
    for split, n_chars in (("test", 607_092), ("dev", 260_823)):
        documents = [document for document in reading.documents if document.split == split]
        joiners = sum(len(document.passage_starts or ()) - 1 for document in documents)
        assert sum(len(document.text) for document in documents) - joiners == n_chars
