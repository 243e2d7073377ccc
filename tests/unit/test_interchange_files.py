"""Rows and predictions written for other tools and read back, and Parquet that others wrote."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piibench_duck.door import Refused, read_predictions, read_rows, validate
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import Columns, Predictions, Rows
from piibench_duck.interchange.writing import write_predictions, write_rows

ROWS = Rows(
    rows={
        **{"row_id": ["b", "a@json"], "corpus": ["c", "c"], "source": ["s", "s"], "split": ["dev", "all"]},
        **{"doc_id": ["d", "d"], "passage_id": ["b", "a"], "passage_start": [9, 0], "language": ["en", "he"]},
        **{"carrier": ["prose", "json"], "licence": ["MIT", "MIT"], "text": ["Bo\u2028", "{🙂é}"], "n_chars": [3, 4]},
        "slices": [[("x", "1"), ("y", "2")], []],
    },
    gold_spans={
        **{"row_id": ["b", "b", "a@json"], "span_id": [0, 1, 0], "start_char": [1, 0, 1], "end_char": [2, 2, 3]},
        **{
            "surface": ["o", "Bo", "🙂é"],
            "source_label": ["X", "PER", "PER"],
            "role": ["excluded", "scored", "scored"],
        },
        **{"entity_id": [None, "e", None], "identifier_type": [None, "QUASI", None], "annotator": [None, "a", None]},
    },
    alignments={
        **{"row_id": ["a@json", "a@json"], "interval_index": [0, 1], "value_index": [None, 0]},
        **{"wire_start": [0, 1], "wire_end": [1, 3], "passage_start": [None, 0], "passage_end": [None, 2]},
        "kind": ["lookalike", "copied"],
    },
    sha256="",
    annotators={"row_id": ["a@json", "a@json"], "annotator": ["a", "b"]},
)
PREDICTIONS = Predictions(
    run_rows={"row_id": ["b", "a", "c"], "status": ["ok", "truncated", "error"], "chars_seen": [3, 2, 0]},
    pred_spans={
        **{"row_id": ["b", "a", "b", "b"], "start_char": [1, 0, 0, 0], "end_char": [2, 2, 2, 2]},
        **{"source_label": ["X", "PER", "PER", "PER"], "score": [0.1, None, 0.5, 0.5]},
    },
    missing_row_ids=[],
    sha256="",
)
TEXTS = {"a": "Anna", "b": "Bob", "c": "Cy"}


def lines(columns: Columns) -> list[tuple[Any, ...]]:
    values = [column for name, column in columns.items() if name != "span_id"]  # numbered anew by a rows file
    return sorted(zip(*values, strict=True), key=repr)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_rows_that_were_written_read_back_as_they_were(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{suffix}"
    write_rows(path, ROWS)
    back = read_rows(path)
    assert back.rows["row_id"] == ["a@json", "b"]
    for written, read in zip(ROWS[:3], back[:3], strict=True):
        assert lines(written) == lines(read)
    assert back.annotators == ROWS.annotators
    assert validate(path) == []


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_predictions_that_were_written_read_back_without_rows_that_failed(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"predictions{suffix}"
    write_predictions(path, PREDICTIONS)
    back = read_predictions(path, TEXTS, allow_missing=True)
    assert back.missing_row_ids == ["c"]
    assert lines(back.run_rows) == [("a", "truncated", 2), ("b", "ok", 3)]
    assert lines(back.pred_spans) == lines(PREDICTIONS.pred_spans)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_the_order_of_rows_and_spans_does_not_change_a_byte(suffix: str, tmp_path: Path) -> None:
    turned = Predictions(
        {name: column[::-1] for name, column in PREDICTIONS.run_rows.items()},
        {name: column[::-1] for name, column in PREDICTIONS.pred_spans.items()},
        [],
        "",
    )
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    write_predictions(one, PREDICTIONS)
    write_predictions(other, turned)
    assert one.read_bytes() == other.read_bytes()


def test_the_lines_are_those_of_the_documented_shape(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_predictions(path, PREDICTIONS)
    assert path.read_text("utf-8").splitlines()[0] == (
        '{"id": "a", "spans": [{"start": 0, "end": 2, "label": "PER"}], "chars_seen": 2}'
    )


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("old")
    broken = PREDICTIONS._replace(run_rows={"row_id": ["a"], "status": ["ok"], "chars_seen": [object()]})
    broken.run_rows["status"][0] = "truncated"
    with pytest.raises(TypeError):
        write_predictions(path, broken)
    assert [file.name for file in tmp_path.iterdir()] == ["p.jsonl"]
    assert path.read_text() == "old"


def test_a_name_or_folder_that_cannot_be_written_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(PiibenchError, match=r"\.jsonl or \.parquet was expected"):
        write_predictions(tmp_path / "p.csv", PREDICTIONS)
    with pytest.raises(PiibenchError, match="cannot be written"):
        write_predictions(tmp_path / "absent" / "p.jsonl", PREDICTIONS)


# Parquet that others wrote

SPAN = pa.struct([pa.field("start", pa.int32()), pa.field("end", pa.uint16()), pa.field("label", pa.large_string())])


def parquet(path: Path, ids: Any, spans: Any) -> Path:
    pq.write_table(pa.table({"row_id": ids, "entities": spans, "note": pa.array([b"\xff"] * len(ids))}), path)
    return path


def test_integers_and_strings_of_any_width_are_taken_whatever_the_name_of_the_file(tmp_path: Path) -> None:
    ids = pa.array(["a", "b"]).dictionary_encode()
    spans = pa.array([[{"start": 0, "end": 4, "label": "PER"}], []], pa.large_list(SPAN))
    taken = read_predictions(parquet(tmp_path / "p.jsonl", ids, spans), TEXTS, allow_missing=True)
    assert lines(taken.pred_spans) == [("a", 0, 4, "PER", None)]
    assert taken.run_rows["row_id"] == ["a", "b"]


def test_parquet_is_checked_as_lines_are_and_its_rows_are_counted_from_one(tmp_path: Path) -> None:
    ids = pa.array(["a", None, "b", "x", "c", "a"])
    whole = {"start": 0, "end": 2, "label": "PER"}
    nameless = {"start": 0, "end": 2, "label": None}
    spans = pa.array([[{**whole, "end": 9}], [], [nameless], [], None, []], pa.list_(SPAN))
    with pytest.raises(Refused) as refused:
        read_predictions(parquet(tmp_path / "p.parquet", ids, spans), TEXTS)
    assert [(finding.line, finding.reason) for finding in refused.value.findings] == [
        *((1, "out_of_range"), (2, "bad_schema"), (3, "bad_schema")),
        *((4, "unknown_row"), (5, "bad_schema"), (6, "duplicate_row")),
    ]


def test_a_float_is_no_offset_and_a_number_no_id(tmp_path: Path) -> None:
    floats = pa.struct([("start", pa.float64()), ("end", pa.int64()), ("label", pa.string())])
    spans = pa.array([[{"start": 0.0, "end": 2, "label": "X"}]], pa.list_(floats))
    for ids, some in ((pa.array(["a"]), spans), (pa.array([7]), pa.array([[]], pa.list_(SPAN)))):
        with pytest.raises(Refused) as refused:
            read_predictions(parquet(tmp_path / "p.parquet", ids, some), TEXTS)
        assert [finding.reason for finding in refused.value.findings] == ["bad_schema"]


def test_a_string_that_is_not_utf8_is_one_bad_row(tmp_path: Path) -> None:
    ids = pa.Array.from_buffers(pa.string(), 2, [*pa.array(["a", "b"]).buffers()[:2], pa.py_buffer(b"a\xff")])
    spans = pa.array([[], []], pa.list_(SPAN))
    with pytest.raises(Refused) as refused:
        read_predictions(parquet(tmp_path / "p.parquet", ids, spans), TEXTS)
    assert [(finding.line, finding.reason) for finding in refused.value.findings] == [(2, "bad_json")]


def test_parquet_cut_short_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = parquet(tmp_path / "p.parquet", pa.array(["a"]), pa.array([[]], pa.list_(SPAN)))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(PiibenchError, match="Parquet that cannot be read"):
        read_predictions(path, TEXTS)
    path.write_bytes(b"PAR1")
    with pytest.raises(PiibenchError, match="Parquet that cannot be read"):
        validate(path)
