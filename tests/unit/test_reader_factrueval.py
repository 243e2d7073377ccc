"""FactRuEval's spans, objects and coreference."""

from collections import Counter
from pathlib import Path

import pytest

from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

FACTRUEVAL = load_sources()["factrueval"]
TEXT = "Мэр Иван Иванов из мэрии Орла. Иванов!"
FILES = {
    "txt": TEXT,
    "spans": (
        "901 name 4 4 555 1  # 555 Иван\n"
        "902 surname 9 6 556 1  # 556 Иванов\n"
        "902 nickname 9 6 556 1  # 556 Иванов\n"
        "903 org_descr 19 5 558 1  # 558 мэрии\n"
        "904 loc_name 25 4 559 1  # 559 Орла\n"
        "905 surname 31 6 561 1  # 561 Иванов\n\n"
    ),
    "objects": (
        "77 Person 902 901 # Иван Иванов\n78 Org 903 904 # мэрии Орла\n79 LocOrg 904 # Орла\n80 Person 905 # Иванов\n"
    ),
    "coref": "5 77 80\nfirstname Иван\nlastname Иванов\n\n6 78\nname 79\n\n",
}


def laid(tmp_path: Path, **changed: str) -> Path:
    (tmp_path / "devset").mkdir()
    (tmp_path / "testset").mkdir()
    (tmp_path / "testset" / "list.txt").write_text("book_1.txt book_2.txt\n")
    for kind, content in (FILES | changed).items():
        (tmp_path / "testset" / f"book_1.{kind}").write_text(content)
    return tmp_path


def test_a_mention_is_the_hull_of_its_spans_with_the_entity_that_coreference_gives(tmp_path: Path) -> None:
    reading = read(FACTRUEVAL, laid(tmp_path))
    spans = (
        Gold(4, 15, "Person", "5"),
        Gold(19, 29, "Org", "6"),
        Gold(25, 29, "LocOrg", None),
        Gold(31, 37, "Person", "5"),
    )
    assert reading.documents == [Document("book_1", "test", TEXT, spans, None, {})]
    assert reading.counts == {
        "surface_mismatches": 0,
        "mentions": 4,
        "mentions_with_gaps": 0,
        "mentions_without_entity": 1,
    }


def test_a_hull_over_other_words_is_counted(tmp_path: Path) -> None:
    reading = read(FACTRUEVAL, laid(tmp_path, objects="77 Person 901 905 # Иван Иванов\n"))
    assert reading.documents[0].spans[0][:2] == (4, 37)
    assert reading.counts["mentions_with_gaps"] == 1


def test_a_comment_of_several_tokens_is_compared_without_white_space(tmp_path: Path) -> None:
    spans = FILES["spans"] + "906 org_name 32 6 561 2  # 561 562 ванов !\n907 job 0 3 1 1  # 1 Врач\n"
    assert read(FACTRUEVAL, laid(tmp_path, spans=spans)).counts["surface_mismatches"] == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"spans": "901 name 4 99 555 1  # 555 Иван\n"}, "book_1.spans, line 1: a span 4 to 103"),
        ({"spans": "901 name 4\n"}, "book_1.spans, line 1: has not the shape"),
        (
            {"spans": FILES["spans"].strip() + "\n901 name 9 6 556 1  # 556 Иванов\n"},
            "book_1.spans, line 7: gives the span id 901 a second place",
        ),
        ({"objects": "77 Person 999 # Иван\n"}, "book_1.objects, line 1: lacks the span id 999"),
        ({"objects": "77 Person Иван\n"}, "book_1.objects, line 1: lacks a span id that is no number"),
        ({"objects": "77 Person # Иван\n"}, "book_1.objects, line 1: has not the shape"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(FACTRUEVAL, laid(tmp_path, **changed))
    assert said in str(caught.value)
    assert "Иван" not in str(caught.value)


@pytest.mark.corpora
def test_the_real_corpus_has_its_known_counts(mirror: Path) -> None:
    reading = read(FACTRUEVAL, mirror / "factrueval")
    assert (reading.counts["surface_mismatches"], reading.counts["mentions"]) == (1, 2611 + 5019)
    assert reading.counts["mentions_without_entity"] < 0.002 * 7630
    for split, n_documents, n_chars, labels in (
        ("dev", 122, 189_893, {"Person": 741, "Org": 787, "LocOrg": 553, "Location": 529, "Project": 1}),
        (
            "test",
            132,
            356_725,
            {"Person": 1388, "Org": 2034, "LocOrg": 846, "Location": 728, "Project": 21, "Facility": 2},
        ),
    ):
        documents = [document for document in reading.documents if document.split == split]
        assert len(documents) == n_documents
        assert sum(len(document.text) for document in documents) == n_chars
        assert Counter(span.source_label for document in documents for span in document.spans) == labels
