"""The reader of any table of documents: Parquet or JSON lines, spans as objects or as texts."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piibench_duck import source_tables, sources
from piibench_duck.corpora import Gold, Reading
from piibench_duck.errors import PiibenchError
from tests import own_sources

ROW = {"text": "🙂 Ana Fox left.", "spans": [{"start": 2, "end": 9, "label": "NAME"}]}


def read(folder: Path, *rows: Any, **changes: object) -> Reading:
    """Rows as JSON lines, those that are texts as they are."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    folder.mkdir(exist_ok=True)
    (folder / "a.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")
    return read_files(folder, **changes)


def read_files(folder: Path, **changes: object) -> Reading:
    told = {"paths": ["a.jsonl"], "text_column": "text", "spans_column": "spans"} | changes
    own_sources.write_sources(folder, notes=told)
    return sources.read(source_tables.load(folder / "sources.toml", folder)["notes"], folder)


def refusal(folder: Path, *rows: Any, **changes: object) -> str:
    with pytest.raises(PiibenchError) as caught:
        read(folder, *rows, **changes)
    assert "Ana" not in str(caught.value)
    return str(caught.value)


def test_offsets_are_code_points_and_a_document_is_named_by_its_file_and_line(tmp_path: Path) -> None:
    reading = read(tmp_path, ROW, "", {"text": "", "spans": []})
    assert [document.doc_id for document in reading.documents] == ["1-000001", "1-000003"]
    assert reading.documents[0].spans == (Gold(2, 9, "NAME"),)
    assert reading.counts["documents_without_spans"] == 1


def test_an_id_a_split_and_slices_come_from_their_columns(tmp_path: Path) -> None:
    rows = [{**ROW, "n": 7, "part": "test", "kind": "mail", "year": 2020}, {**ROW, "n": "x", "part": "dev", "kind": ""}]
    reading = read(tmp_path, *rows, id_column="n", split_column="part", splits=["dev", "test"], slices=["kind", "year"])
    assert [(one.doc_id, one.split, one.slices) for one in reading.documents] == [
        ("7", "test", {"kind": "mail", "year": "2020"}),
        ("x", "dev", {}),
    ]
    assert "of the split 'test', expected one of dev" in refusal(
        tmp_path, *rows, id_column="n", split_column="part", splits=["dev"], slices=["kind", "year"]
    )


def test_rows_with_other_values_are_left_out_and_counted_without_renaming_the_others(tmp_path: Path) -> None:
    rows = [{**ROW, "lang": lang, "ok": ok} for lang, ok in (("de", 1), ("en", 1), ("en", 0), (None, 1))]
    reading = read(tmp_path, *rows, keep={"lang": ["en", "fr"], "ok": ["1"]})
    assert [document.doc_id for document in reading.documents] == ["1-000002"]
    assert reading.counts["rows_not_kept"] == 3


def test_what_a_span_is_called_elsewhere_is_read_and_what_a_table_says_wins(tmp_path: Path) -> None:
    for keys in (("begin", "stop", "tag"), ("start_offset", "end_offset", "entity_type")):
        spans = [dict(zip(keys, (2, 9, "NAME"), strict=True))]
        assert read(tmp_path, {**ROW, "spans": spans}).documents[0].spans == (Gold(2, 9, "NAME"),)
    named = {"from": 2, "to": 9, "label": "NAME", "tag": "B"}
    assert "a span has both 'label' and 'tag'" in refusal(tmp_path, {**ROW, "spans": [named]})
    reading = read(tmp_path, {**ROW, "spans": [named]}, span_keys={"start": "from", "end": "to", "label": "label"})
    assert reading.documents[0].spans == (Gold(2, 9, "NAME"),)


def test_entities_identifier_types_and_annotators_are_kept(tmp_path: Path) -> None:
    span = {**ROW["spans"][0], "entity_id": 4, "identifier_type": "DIRECT", "annotator": "b"}  # type: ignore[dict-item]  # a list of objects
    document = read(tmp_path, {**ROW, "spans": [span, {**span, "annotator": "a"}]}).documents[0]
    assert document.spans[0] == Gold(2, 9, "NAME", "4", "DIRECT", "b")
    assert document.annotators == ("a", "b")
    assert "a span's identifier type is none of DIRECT" in refusal(
        tmp_path, {**ROW, "spans": [{**span, "identifier_type": "MAYBE"}]}
    )


def test_surfaces_that_differ_are_counted_and_a_surface_may_be_a_number(tmp_path: Path) -> None:
    spans = [
        {"start": start, "end": end, "label": "L", "text": text}
        for start, end, text in ((2, 5, "Ana"), (2, 5, "ANA"), (2, 5, "Bo"), (8, 10, 44))
    ]
    counts = read(tmp_path, {"text": "I Ana, 44 I", "spans": spans}).counts
    assert (counts["surface_case_mismatches"], counts["surface_mismatches"]) == (1, 2)
    assert read(tmp_path, {"text": "I am 44.", "spans": [{**spans[3], "start": 5, "end": 7}]}).counts == {
        **dict.fromkeys(counts, 0),
    }


@pytest.mark.parametrize(("encoding", "encode"), [("json", json.dumps), ("python", repr)])
def test_spans_may_be_texts(tmp_path: Path, encoding: str, encode: Any) -> None:
    reading = read(tmp_path, {**ROW, "spans": encode(ROW["spans"])}, spans_encoding=encoding)
    assert reading.documents[0].spans == (Gold(2, 9, "NAME"),)
    for given, said in (
        (ROW["spans"], "no text was found"),
        ("[{'start': open('x')}, Ana", "the text cannot be read as such"),
        ("(" * 400, "the text cannot be read as such"),
        (encode({"start": 1}), "a list of objects was expected"),
        (encode([1]), "a list of objects was expected"),
    ):
        assert said in refusal(tmp_path, {**ROW, "spans": given}, spans_encoding=encoding), given


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"spans": []}, "line 1: has nothing in the column 'text'"),
        ({"text": "Ana"}, "line 1: has nothing in the column 'spans'"),
        ({"text": "Ana", "spans": None}, "line 1: has nothing in the column 'spans'"),
        ({"text": ["Ana"], "spans": []}, "line 1: 'text' is not a text"),
        (
            {"text": "Ana", "spans": [{"start": 0, "end": 4, "label": "N"}]},
            "a span 0 to 4 does not lie inside its text",
        ),
        ({"text": "Ana", "spans": [{"start": 0, "end": "Ana", "label": "N"}]}, "start or end is not an integer"),
        ({"text": "Ana", "spans": [{"start": 0, "end": 1.5, "label": "N"}]}, "start or end is not an integer"),
        ({"text": "Ana", "spans": [{"start": 0, "end": 3, "label": 5}]}, "the span 0 to 3 has no label"),
        ({"text": "Ana", "spans": [{"start": 0, "end": 3}]}, "a span has no 'label'"),
        ({"text": "Ana", "spans": "[]"}, "spans_encoding 'structs': a text was found"),
        (["Ana"], "line 1: an object with the columns as its keys was expected"),
        ("{'text': 'Ana'}", "line 1: not JSON at character 1 of the line"),
        ('{"text": "Ana", "text": "Ana", "spans": []}', "line 1: a key stands twice"),
    ],
)
def test_a_row_that_does_not_fit_is_named_by_its_place_alone(tmp_path: Path, row: Any, said: str) -> None:
    assert said in refusal(tmp_path, row, ROW)


def test_an_id_that_is_missing_or_comes_twice_is_refused(tmp_path: Path) -> None:
    assert "has nothing in the column 'n'" in refusal(tmp_path, ROW, {**ROW, "n": 1}, id_column="n")
    assert "'n' is neither a text nor an integer" in refusal(tmp_path, {**ROW, "n": 1.5}, id_column="n")
    assert "has two documents 3" in refusal(tmp_path, {**ROW, "n": 3}, {**ROW, "n": "3"}, id_column="n")


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("text_column", "contents"),
        ("spans_column", "contents"),
        ("id_column", "contents"),
        ("split_column", "contents"),
        ("slices", ["lang", "contents"]),
        ("keep", {"contents": ["mail"]}),
    ],
)
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_column_that_no_row_has_is_told_with_those_that_there_are(
    tmp_path: Path, key: str, told: object, kind: str
) -> None:
    row = {**ROW, "lang": "en"}
    pq.write_table(pa.table({name: [value] for name, value in row.items()}), tmp_path / "a.parquet")
    changes = {key: told, "splits": ["all"]} | ({"paths": ["a.parquet"]} if kind == "parquet" else {})
    said = refusal(tmp_path, row, row, **changes)
    assert said.endswith(f"'{key}' names the column 'contents', which no row has; there are lang, spans, text")


def test_a_column_that_some_row_has_and_a_file_without_rows_are_no_misspelling(tmp_path: Path) -> None:
    reading = read(tmp_path, ROW, {**ROW, "kind": "mail"}, slices=["kind"])
    assert [document.slices for document in reading.documents] == [{}, {"kind": "mail"}]
    assert read(tmp_path, {**ROW, "kind": None}, slices=["kind"]).documents[0].slices == {}
    assert read(tmp_path, slices=["kind"]).documents == []


def test_a_key_of_spans_that_is_not_there_is_told_by_the_name_that_the_table_gives_it(tmp_path: Path) -> None:
    said = refusal(tmp_path, ROW, span_keys={"start": "begin"})
    assert said.endswith("a span has no 'begin', which 'span_keys' names as its start")
    spans = [{"start": 2, "end": 9, "name": "NAME"}]
    assert refusal(tmp_path, {**ROW, "spans": spans}).endswith(
        "a span has no 'label'; 'span_keys' can say what it is called"
    )


def test_a_split_that_is_not_listed_is_told_with_how_to_choose_some(tmp_path: Path) -> None:
    said = refusal(tmp_path, {**ROW, "part": "dev"}, split_column="part", splits=["test"])
    assert said.endswith("expected one of test: 'splits' lists all there are, 'keep' chooses among them")


def test_parquet_is_read_in_batches_with_lists_of_structs_and_nulls_inside_them(tmp_path: Path) -> None:
    spans = [[{"start": 2, "end": 9, "label": "NAME", "entity_id": None}], []] * 1500
    pq.write_table(
        pa.table({"text": [ROW["text"]] * 3000, "spans": spans, "other": [b"\xff"] * 3000}), tmp_path / "a.parquet"
    )
    reading = read_files(tmp_path, paths=["a.parquet"])
    assert len(reading.documents) == 3000
    assert reading.documents[2998].spans == (Gold(2, 9, "NAME"),)
    assert reading.documents[2998].doc_id == "1-002999"


def test_the_files_of_a_folder_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / "in" / name).write_text(json.dumps({"text": name, "spans": []}))
    (tmp_path / "in" / "notes.md").write_text("no documents")
    found = [(one.doc_id, one.text) for one in read_files(tmp_path, paths=["in"]).documents]
    assert found == [("1-000001", "a.jsonl"), ("2-000001", "b.jsonl")]
    (tmp_path / "a.csv").write_text("text,spans\n")
    with pytest.raises(PiibenchError, match=r"a\.csv is, or holds, no file that ends in \.jsonl or \.parquet"):
        read_files(tmp_path, paths=["a.csv"])


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(PiibenchError, match=r"a\.parquet: Parquet that cannot be read behind row 0"):
        read_files(tmp_path, paths=["a.parquet"])
