"""MEDDOCAN's brat files."""

from collections import Counter
from pathlib import Path

import pytest

from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

MEDDOCAN = load_sources()["meddocan"]
NAME = "T1\tNOMBRE_SUJETO_ASISTENCIA 8 17\tAna Pérez\n"


def laid(tmp_path: Path, annotation: str, text: str = "Nombre: Ana Pérez\n") -> Path:
    for split in ("dev", "test"):
        (tmp_path / "corpus" / split / "brat").mkdir(parents=True)
    (tmp_path / "corpus" / "test" / "brat" / "S1-2.txt").write_bytes(text.encode())
    (tmp_path / "corpus" / "test" / "brat" / "S1-2.ann").write_text(annotation)
    return tmp_path


def test_a_case_is_its_text_and_its_text_bound_lines(tmp_path: Path) -> None:
    reading = read(MEDDOCAN, laid(tmp_path, NAME + "#1\tAnnotatorNotes T1\tsure\n"))
    spans = (Gold(8, 17, "NOMBRE_SUJETO_ASISTENCIA"),)
    assert reading.documents == [Document("S1-2", "test", "Nombre: Ana Pérez\n", spans, None, {})]
    assert reading.counts == {"surface_mismatches": 0}


def test_a_byte_order_mark_counts_as_a_character_as_the_offsets_do(tmp_path: Path) -> None:
    reading = read(MEDDOCAN, laid(tmp_path, NAME.replace("8 17", "9 18"), "\ufeffNombre: Ana Pérez"))
    assert reading.counts == {"surface_mismatches": 0}


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        ("T1\tNOMBRE 8 11;12 17\tAna Pérez\n", "S1-2.ann, line 1: is not a label with one start and one end"),
        ("T1\tNOMBRE 8 99\tAna Pérez\n", "S1-2.ann, line 1: a span 8 to 99"),
        ("T1 NOMBRE 8 17 Ana Pérez\n", "S1-2.ann, line 1: has not the shape"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, annotation: str, said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(MEDDOCAN, laid(tmp_path, annotation))
    assert said in str(caught.value)
    assert "Ana" not in str(caught.value)


def test_a_text_without_its_annotation_is_named(tmp_path: Path) -> None:
    (laid(tmp_path, NAME) / "corpus" / "test" / "brat" / "S1-2.ann").unlink()
    with pytest.raises(PiibenchError, match=r"S1-2\.ann: cannot be read"):
        read(MEDDOCAN, tmp_path)


@pytest.mark.corpora
def test_the_real_corpus_has_its_known_counts(mirror: Path) -> None:
    reading = read(MEDDOCAN, mirror / "meddocan")
    assert reading.counts == {"surface_mismatches": 0}
    assert Counter(document.split for document in reading.documents) == {"dev": 250, "test": 250}
    for split, n_chars, n_spans in (("dev", 755_326, 5801), ("test", 710_577, 5661)):
        documents = [document for document in reading.documents if document.split == split]
        assert sum(len(document.text) for document in documents) == n_chars
        assert sum(len(document.spans) for document in documents) == n_spans
