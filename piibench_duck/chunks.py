"""The Parquet files of a run that is being made: one a chunk of rows, and what they say together."""

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from piibench_duck.beside import named
from piibench_duck.errors import PiibenchError
from piibench_duck.machine import together
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
    pa.field("spans", pa.list_(_SPAN), nullable=False),
]
_CHUNK = pa.schema(_FIELDS)
_KEY = [pa.field(name, pa.string(), nullable=False) for name in ("run_id", "row_id")]
_ROWS = pa.schema([*_KEY, _FIELDS[1], _FIELDS[3]])
_SPANS = pa.schema([*_KEY, *_SPAN])


class Row(NamedTuple):
    """An answered row: what was said of it, and the exception's type where it failed."""

    row_id: str
    answer: Answer
    error: str | None


class Answers(NamedTuple):
    """A run's answers, which stay on disk until somebody asks for them."""

    run_id: str
    paths: tuple[Path, ...]  # of its chunks; those of a folder are in order of row id
    errors: dict[str, int]  # how often each type of exception was met
    seconds: float  # in the detector, over all processes that worked on the run
    machine: dict[str, str]  # where they ran

    @property
    def run_rows(self) -> pa.Table:
        """All lines of `contracts.run_rows`."""
        return pa.concat_tables([_ROWS.empty_table(), *self.tables("run_rows")])

    @property
    def pred_spans(self) -> pa.Table:
        """All lines of `contracts.pred_spans`, those of a row by (start_char, end_char, source_label, score)."""
        return pa.concat_tables([_SPANS.empty_table(), *self.tables("pred_spans")])

    def tables(self, name: str) -> Iterator[pa.Table]:
        """The lines of one of the two, a chunk at a time."""
        for path in self.paths:
            table = pq.read_table(path)
            if name == "run_rows":
                yield _named(self.run_id, table.select(["row_id", "status", "chars_seen"]), _ROWS)
            else:
                yield _named(self.run_id, _flat(table), _SPANS)


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
    return table.schema.equals(_CHUNK) and table["row_id"].to_pylist() == list(row_ids) and _is_sound(table)


def _is_sound(table: pa.Table) -> bool:
    """Whether the spans of a chunk are spans, as they are unless somebody else has written it."""
    spans = pc.list_flatten(table["spans"])
    starts, ends = (pc.struct_field(spans, name).to_pylist() for name in ("start_char", "end_char"))
    return all(0 <= start < end for start, end in zip(starts, ends, strict=True))


def write_chunk(path: Path, rows: Sequence[Row], seconds: float, machine: Mapping[str, str]) -> None:
    """One file of answers; `seconds` is the time they took together, on `machine`."""
    columns: dict[str, list[Any]] = {name: [] for name in _CHUNK.names}
    names = [field.name for field in _SPAN]
    for row_id, answer, error in rows:
        spans = [dict(zip(names, span, strict=True)) for span in sorted(answer.spans, key=_order)]
        line = (row_id, answer.status, error, answer.chars_seen, spans)
        for column, value in zip(columns.values(), line, strict=True):
            column.append(value)
    table = pa.table(columns, schema=_CHUNK).replace_schema_metadata(
        {"seconds": repr(seconds), "machine": json.dumps(dict(machine))}
    )
    replace(path, lambda part: pq.write_table(table, part))


def read_chunks(parts: Sequence[tuple[Path, int]], run_id: str) -> Answers:
    """What the chunks of folders, so many each, say together. Raises `PiibenchError` where one is missing."""
    errors: Counter[str] = Counter()
    seconds = []
    machines: dict[str, dict[str, str]] = {}
    paths = [chunk_path(folder, index) for folder, n_chunks in parts for index in range(n_chunks)]
    for path in paths:
        if not path.is_file():
            raise PiibenchError(f"run {path.parent.name!r} is not finished: {path.name} is missing; run predict again")
        table = pq.read_table(path, columns=["error"])
        said = table.schema.metadata or {}
        seconds.append(float(said.get(b"seconds", b"0")))
        machine = said.get(b"machine", b"{}").decode()
        machines.setdefault(machine, json.loads(machine))
        errors.update(kind for kind in table["error"].to_pylist() if kind is not None)
    return Answers(
        run_id,
        tuple(paths),
        dict(sorted(errors.items())),
        math.fsum(seconds),
        together([*machines.values()]),
    )


def _flat(table: pa.Table) -> pa.Table:
    """The spans of a chunk's rows, a line each."""
    spans = table["spans"].combine_chunks()
    rows = table["row_id"].combine_chunks().take(pc.list_parent_indices(spans))
    flat = pc.list_flatten(spans)
    return pa.table({"row_id": rows, **{field.name: pc.struct_field(flat, field.name) for field in _SPAN}})


def _named(run_id: str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    named = table.add_column(0, "run_id", pa.array([run_id] * table.num_rows, pa.string()))
    return pa.table([named[name].cast(schema.field(name).type) for name in schema.names], schema=schema)


def _order(span: Span) -> tuple[int, int, str, bool, float]:
    """As DuckDB puts columns in order, in which nothing comes last."""
    return span.start, span.end, span.label, span.score is None, span.score or 0.0
