"""Our own format."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.places import data_dir
from piibench_duck.sources import fetch, load_sources, read

SOURCES = load_sources()
NOTES = replace(SOURCES["demo-en"], name="notes", paths=("notes.jsonl",), splits=("all", "test"))
ANN = {"doc_id": "n1", "text": "Ask Ann.\u2028", "spans": [{"start": 4, "end": 7, "label": "PERSON"}]}


def laid(tmp_path: Path, *items: object) -> Path:
    content = "\r\n".join(json.dumps(item, ensure_ascii=False) for item in items)
    (tmp_path / "notes.jsonl").write_bytes(b"\xef\xbb\xbf" + content.encode() + b"\n")
    return tmp_path


def test_a_line_is_a_document_even_with_a_line_separator_inside(tmp_path: Path) -> None:
    full = ANN | {"doc_id": "n2", "split": "test", "slices": {"domain": "law"}, "spans": []}
    assert read(NOTES, laid(tmp_path, ANN, full)).documents == [
        Document("n1", "all", "Ask Ann.\u2028", (Gold(4, 7, "PERSON"),), None, {}),
        Document("n2", "test", "Ask Ann.\u2028", (), None, {"domain": "law"}),
    ]


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (ANN | {"language": "en"}, "notes.jsonl, line 1: has the unknown 'language'"),
        (ANN | {"spans": [{"start": 4, "end": 7, "type": "PERSON"}]}, "line 1: has the unknown 'type'"),
        (ANN | {"spans": [{"start": 4, "end": 7}]}, "line 1: lacks 'label'"),
        (ANN | {"spans": [{"start": 4, "end": 70, "label": "PERSON"}]}, "line 1: a span 4 to 70"),
        (ANN | {"text": None, "spans": [{"start": 4, "end": 7, "label": "P"}]}, "line 1: has not the shape"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, item: object, said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read(NOTES, laid(tmp_path, item))
    assert said in str(caught.value)
    assert "Ann" not in str(caught.value)


def test_bytes_that_are_not_utf8_are_named_by_their_place(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_bytes(b'{"doc_id": "\xff"}')
    with pytest.raises(PiibenchError, match=r"notes\.jsonl: is not UTF-8 at byte 12"):
        read(NOTES, tmp_path)


@pytest.mark.parametrize("name", [name for name, source in SOURCES.items() if source.upstream.kind == "package"])
def test_the_demo_corpora_are_pinned_and_read(name: str, tmp_path: Path) -> None:
    root = fetch(SOURCES[name], None, tmp_path)
    assert root == data_dir()
    assert read(SOURCES[name], root).documents
