"""Arrays of synthetic samples."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

SOURCES = load_sources()
NOTES = replace(SOURCES["nemotron"], name="notes", paths=("notes.json",))
SAM = {"value": "Sam", "start": 3, "end": 6, "label": "first_name"}


def laid(tmp_path: Path, *samples: object) -> Path:
    (tmp_path / "notes.json").write_text(json.dumps(samples))
    return tmp_path


def test_a_sample_keeps_its_id_spans_and_slices(tmp_path: Path) -> None:
    reading = read(NOTES, laid(tmp_path, {"id": "0a", "text": "I, Sam", "locale": "us", "domain": "Law", "pii": [SAM]}))
    slices = {"locale": "us", "domain": "Law"}
    assert reading.documents == [Document("0a", "all", "I, Sam", (Gold(3, 6, "first_name"),), None, slices)]
    assert reading.counts == {"surface_mismatches": 0, "surface_case_mismatches": 0, "documents_without_pii": 0}


def test_samples_without_an_id_are_named_by_file_and_place(tmp_path: Path) -> None:
    sample = {"text": "I", "domain": "Care", "document_type": "Letter", "pii": []}
    reading = read(NOTES, laid(tmp_path, sample, sample))
    assert [document.doc_id for document in reading.documents] == ["notes-0000", "notes-0001"]
    assert reading.documents[0].slices == {"domain": "Care", "document_type": "Letter"}
    assert reading.counts["documents_without_pii"] == 2


def test_surfaces_that_differ_in_letter_case_are_counted_apart(tmp_path: Path) -> None:
    pii = [SAM | {"value": "SAM"}, SAM | {"value": "Tom"}, {"value": 3, "start": 0, "end": 1, "label": "age"}]
    reading = read(NOTES, laid(tmp_path, {"id": "a", "text": "3, Sam", "pii": pii}))
    assert (reading.counts["surface_case_mismatches"], reading.counts["surface_mismatches"]) == (1, 1)
    assert [span[:2] for span in reading.documents[0].spans] == [(3, 6), (3, 6), (0, 1)]


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ({"text": "I, Sam"}, "notes.json, sample 0: lacks 'pii'"),
        ({"text": "I, S", "pii": [SAM]}, "sample 0: a span 3 to 6 does not lie inside its text of 4"),
        ({"text": "I, Sam", "pii": [SAM | {"start": 3.0}]}, "sample 0: a span's start or end is not an integer"),
        (["I, Sam"], "sample 0: has not the shape of its format"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, sample: object, said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(NOTES, laid(tmp_path, sample))
    assert said in str(caught.value)
    assert "Sam" not in str(caught.value)


def test_a_file_that_is_no_array_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(PiibenchError, match=r"notes\.json: is not an array"):
        read(NOTES, tmp_path)


@pytest.mark.corpora
def test_the_real_gretel_has_its_known_counts(mirror: Path) -> None:
    reading = read(SOURCES["gretel"], mirror / "gretel")
    assert reading.counts == {"surface_mismatches": 0, "surface_case_mismatches": 0, "documents_without_pii": 5}
    assert len(reading.documents) == 100
    assert sum(len(document.spans) for document in reading.documents) == 694
    assert sum(len(document.text) for document in reading.documents) == 134_799


@pytest.mark.corpora
def test_the_real_nemotron_has_its_known_counts(mirror: Path) -> None:
    reading = read(SOURCES["nemotron"], mirror / "nemotron")
    assert reading.counts == {"surface_mismatches": 0, "surface_case_mismatches": 4, "documents_without_pii": 0}
    assert len(reading.documents) == 187
    assert sum(len(document.spans) for document in reading.documents) == 522 + 697
    assert sum(len(document.text) for document in reading.documents) == 49_941 + 79_263
