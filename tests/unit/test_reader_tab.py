"""TAB in both of its layouts."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

TAB = load_sources()["tab"]
TEXT = "Ms Jane Roe applied (no. 1/01)."


def mention(surface: str, start: int, label: str, kind: str, entity: str) -> dict[str, object]:
    return {
        "span_text": surface,
        "start_offset": start,
        "end_offset": start + len(surface),
        "entity_type": label,
        "entity_id": entity,
        "identifier_type": kind,
    }


ROE = mention("Jane Roe", 3, "PERSON", "DIRECT", "e1")
NUMBER = mention("1/01", 25, "CODE", "QUASI", "e2")


def a_line(entities: list[dict[str, object]], **origin: object) -> str:
    origin = {"doc_id": "001-1", "annotator": "annotator3", "dataset_type": "dev", "applicant": "Jane Roe"} | origin
    return json.dumps({"metadata": {"provenance": origin}, "text": TEXT, "entities": entities})


def lines(tmp_path: Path, *written: str) -> Path:
    (tmp_path / "tab_entity_data_144.jsonl").write_text("\n".join(written) + "\n")
    return tmp_path


def test_json_lines_keep_entity_kind_and_annotator_but_not_the_applicant(tmp_path: Path) -> None:
    reading = read(TAB, lines(tmp_path, a_line([ROE, NUMBER], year=2001, countries="GBR", articles=[8])))
    spans = (
        Gold(3, 11, "PERSON", "e1", "DIRECT", "annotator3"),
        Gold(25, 29, "CODE", "e2", "QUASI", "annotator3"),
    )
    slices = {"year": "2001", "countries": "GBR"}
    assert reading.documents == [Document("001-1", "dev", TEXT, spans, None, slices, ("annotator3",))]
    assert reading.counts == {"mentions": 2, "surface_mismatches": 0}


def test_the_official_layout_gives_each_annotators_spans(tmp_path: Path) -> None:
    item = {
        "doc_id": "001-1",
        "text": TEXT,
        "dataset_type": "test",
        "annotations": {
            "annotator1": {"entity_mentions": [ROE]},
            "annotator2": {"entity_mentions": [ROE | {"identifier_type": "QUASI"}, NUMBER]},
            "annotator3": {"entity_mentions": []},
        },
        "meta": {"year": 2001, "applicant": "Jane Roe"},
    }
    (tmp_path / "echr_test.json").write_text(json.dumps([item]))
    (document,) = read(replace(TAB, paths=("echr_test.json",)), tmp_path).documents
    assert [(span.start, span.annotator, span.identifier_type) for span in document.spans] == [
        (3, "annotator1", "DIRECT"),
        (3, "annotator2", "QUASI"),
        (25, "annotator2", "QUASI"),
    ]
    assert (document.split, document.slices) == ("test", {"year": "2001"})
    assert document.annotators == ("annotator1", "annotator2", "annotator3")


def test_a_surface_that_differs_is_counted_and_the_offsets_win(tmp_path: Path) -> None:
    reading = read(TAB, lines(tmp_path, a_line([ROE | {"span_text": "Jane R"}])))
    assert reading.counts["surface_mismatches"] == 1
    assert reading.documents[0].spans[0][:2] == (3, 11)


@pytest.mark.parametrize(
    ("entity", "said"),
    [
        (ROE | {"end_offset": 99}, "document 001-1: a span 3 to 99 does not lie inside its text of 31 code points"),
        (ROE | {"end_offset": 3}, "a span 3 to 3"),
        (ROE | {"start_offset": "Roe"}, "document 001-1: a span's start or end is not an integer"),
        (ROE | {"start_offset": True}, "a span's start or end is not an integer"),
        ({key: value for key, value in ROE.items() if key != "entity_id"}, "line 1: lacks 'entity_id'"),
        ({**ROE, "entity_type": None}, "the span 3 to 11 has no label"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, entity: dict[str, object], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(TAB, lines(tmp_path, a_line([entity])))
    assert said in str(caught.value)
    assert "Roe" not in str(caught.value)


@pytest.mark.parametrize(("line", "said"), [("{", "line 1: is not JSON"), ("3", "line 1: has not the shape")])
def test_a_line_that_is_no_document_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(PiibenchError, match=said):
        read(TAB, lines(tmp_path, line))


@pytest.mark.corpora
def test_the_real_corpus_has_its_known_counts(mirror: Path) -> None:
    reading = read(TAB, mirror / "tab")
    assert reading.counts == {"mentions": 6613, "surface_mismatches": 0}
    assert Counter(document.split for document in reading.documents) == {"test": 31, "dev": 21, "train": 92}
    assert sum(len(document.text) for document in reading.documents) == 564_234
    spans = [span for document in reading.documents for span in document.spans]
    assert Counter(span.identifier_type for span in spans) == {"QUASI": 4102, "NO_MASK": 2202, "DIRECT": 309}
    assert len({span.entity_id for span in spans}) == 4916
    assert len({span.annotator for span in spans}) == 12
    assert {name for document in reading.documents for name in document.slices} == set(TAB.slices)
