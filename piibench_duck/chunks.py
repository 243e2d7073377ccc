"""The Parquet files of a run that is being made: one a chunk of rows, and what they say together."""

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from piibench_duck.beside import named
from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Span

_SPAN = pa.struct(
    [
        pa.field("start_char", pa.int64(), nullable=False),
        pa.field("end_char", pa.int64(), nullable=False),
        pa.field("source_label", pa.string(), nullable=False),
        pa.field("score", pa.float64()),
    ]
)
_FIELDS: "list[pa.Field[Any]]" = [
    pa.field("row_id", pa.string(), nullable=False),
    pa.field("status", pa.string(), nullable=False),
    pa.field("error", pa.string()),  # the type of the exception; its message may hold text
    pa.field("chars_seen", pa.int64(), nullable=False),
    pa.field("milliseconds", pa.float64()),  # only where the row was a batch of its own
    pa.field("spans", pa.list_(_SPAN), nullable=False),
]
_CHUNK = pa.schema(_FIELDS)


class Row(NamedTuple):
    """An answered row: what was said of it, the exception's type where it failed, its time where it was timed alone."""

    row_id: str
    answer: Answer
    error: str | None
    milliseconds: float | None


class Answers(NamedTuple):
    """A run's answers. The tables have the columns of the contracts of the same names, in order of row id."""

    run_rows: pa.Table
    pred_spans: pa.Table  # within a row by (start_char, end_char, source_label, score)
    timings: pa.Table  # rows that were timed alone, so with a batch size of 1
    errors: dict[str, int]  # how often each type of exception was met
    seconds: float  # in the detector, over all processes that worked on the run


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Writes beside `path` and renames, so that `path` is old or new and never half."""
    part = path.with_name(path.name + ".part")
    with named(part, path):
        write(part)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)


def chunk_path(folder: Path, index: int) -> Path:
    """The file of chunk `index`, from 0."""
    return folder / f"{index:06d}.parquet"


def is_whole(path: Path, row_ids: Sequence[str]) -> bool:
    """Whether the file is there, can be read and answers exactly these rows."""
    if not path.is_file():
        return False
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError):
        return False
    return table.schema.equals(_CHUNK) and table["row_id"].to_pylist() == list(row_ids)


def write_chunk(path: Path, rows: Sequence[Row], seconds: float) -> None:
    """One file of answers; `seconds` is the time they took together."""
    columns: dict[str, list[Any]] = {name: [] for name in _CHUNK.names}
    names = [field.name for field in _SPAN]
    for row_id, answer, error, milliseconds in rows:
        spans = [dict(zip(names, span, strict=True)) for span in sorted(answer.spans, key=_order)]
        line = (row_id, answer.status, error, answer.chars_seen, milliseconds, spans)
        for column, value in zip(columns.values(), line, strict=True):
            column.append(value)
    table = pa.table(columns, schema=_CHUNK).replace_schema_metadata({"seconds": repr(seconds)})
    replace(path, lambda part: pq.write_table(table, part))


def read_chunks(folder: Path, n_chunks: int, run_id: str) -> Answers:
    """All chunks as tables. Raises `PiibenchError` where one is missing."""
    run_rows: dict[str, list[Any]] = {"row_id": [], "status": [], "chars_seen": []}
    spans: dict[str, list[Any]] = {"row_id": [], "start_char": [], "end_char": [], "source_label": [], "score": []}
    timings: dict[str, list[Any]] = {"row_id": [], "milliseconds": []}
    errors: Counter[str] = Counter()
    seconds = []
    for path in (chunk_path(folder, index) for index in range(n_chunks)):
        if not path.is_file():
            raise PiibenchError(f"run {folder.name!r} is not finished: {path.name} is missing; run predict again")
        table = pq.read_table(path)
        seconds.append(float((table.schema.metadata or {}).get(b"seconds", b"0")))
        for row in table.to_pylist():
            _append(run_rows, row)
            for span in row["spans"]:
                _append(spans, {"row_id": row["row_id"], **span})
            if row["milliseconds"] is not None:
                _append(timings, row)
            if row["error"] is not None:
                errors[row["error"]] += 1
    return Answers(
        _table(run_id, run_rows, {"chars_seen": pa.int64()}),
        _table(run_id, spans, {"start_char": pa.int64(), "end_char": pa.int64(), "score": pa.float64()}),
        _table(run_id, timings, {"milliseconds": pa.float64()}),
        dict(sorted(errors.items())),
        math.fsum(seconds),
    )


def _order(span: Span) -> tuple[int, int, str, float]:
    return span.start, span.end, span.label, -1.0 if span.score is None else span.score


def _append(columns: dict[str, list[Any]], line: Mapping[str, Any]) -> None:
    for name, column in columns.items():
        column.append(line[name])


def _table(run_id: str, columns: dict[str, list[Any]], types: dict[str, pa.DataType]) -> pa.Table:
    fields = [pa.field(name, types.get(name, pa.string()), nullable=name == "score") for name in columns]
    schema = pa.schema([pa.field("run_id", pa.string(), nullable=False), *fields])
    return pa.table({"run_id": [run_id] * len(columns["row_id"]), **columns}, schema=schema)
