"""A table of spans, one a line: a CSV or Parquet file, or a frame of Polars, pandas or Arrow.

Columns are `row_id`, `start`, `end`, `label` and, where there are any, `score` and `text`, or their other names in a
predictions file, and those of `contracts.pred_spans`. A line with a row's id alone says that nothing was found there; a
row without a line was not answered.

Cannot carry: which texts were seen in part.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from piibench_duck.door import take_predictions
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.keys import ROW, SPAN, resolve
from piibench_duck.interchange.records import Fault, Record, int_or_too_large
from piibench_duck.interchange.tables import Predictions
from piibench_duck.interchange.taking import bytes_of, refused, utf8
from piibench_duck.offsets import OffsetUnit

_EXPECTED = "a table with a span on each line, CSV or Parquet,"
_COLUMNS = {
    "id": ROW["id"],
    **{name: SPAN[name] for name in ("start", "end", "score", "span_text")},
    "label": (*SPAN["label"], "source_label"),
}
_REQUIRED = ("id", "start", "end", "label")
_INTEGER = re.compile(r"-?\d+", re.ASCII)
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", re.ASCII)

_Line = tuple[int, dict[str, Any], Fault | None]


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """A file, which is Parquet where its first bytes say so and else CSV with a header and commas."""
    found = bytes_of(path, _EXPECTED)
    sha256 = hashlib.sha256(found).hexdigest()
    lines = _of_parquet(path, found) if found[:4] == b"PAR1" else _of_csv(path, utf8(path, found))
    return take_predictions(path, _by_row(lines, ()), texts, sha256, unit)


def read_frame(
    frame: Any, texts: Mapping[str, str], unit: OffsetUnit = "codepoint", answered: Iterable[str] = ()
) -> Predictions:
    """A frame of any library that hands out Arrow; `answered` are rows that were answered besides those in it."""
    import pyarrow as pa

    path = Path("frame")
    try:
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise PiibenchError(
            f"a frame of {type(frame).__name__} is none of Polars, pandas or Arrow ({type(error).__name__})"
        ) from error
    also = list(answered)
    digest = hashlib.sha256()
    lines = []
    for line in _of_table(path, table):
        lines.append(line)
        digest.update(json.dumps(line[:2], sort_keys=True, default=str).encode())
    digest.update(json.dumps(also).encode())
    return take_predictions(path, _by_row(iter(lines), also), texts, digest.hexdigest(), unit)


def _of_csv(path: Path, text: str) -> Iterator[_Line]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, [])
        columns = _columns(path, names)
        for number, cells in enumerate(reader, 2):
            if not cells:
                continue
            wrong = None
            if len(cells) != len(names):
                wrong = Fault("bad_schema", f"{len(cells)} cells in {len(names)} columns")
            named = {name: cells[place] for name, place in columns if place < len(cells) and cells[place]}
            yield number, {name: _value(name, cell) for name, cell in named.items()}, wrong
    except csv.Error:
        raise refused(path, "bad_schema", "a line that is no CSV", reader.line_num) from None


def _value(name: str, cell: str) -> Any:
    """A number where the column is of numbers and the cell says one; any other cell is a string, which is refused."""
    if name in ("start", "end") and _INTEGER.fullmatch(cell):
        return int_or_too_large(cell)
    if name == "score" and _NUMBER.fullmatch(cell):
        return float(cell)
    return cell


def _of_parquet(path: Path, found: bytes) -> Iterator[_Line]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(found))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise PiibenchError(f"{path}: Parquet that cannot be read; {_EXPECTED} was expected") from error
    yield from _of_table(path, table)


def _of_table(path: Path, table: Any) -> Iterator[_Line]:
    columns = _columns(path, table.column_names)
    try:
        values = [table.column(place).to_pylist() for _, place in columns]
    except (ValueError, OverflowError) as error:
        raise PiibenchError(f"{path}: a column that cannot be read ({type(error).__name__})") from error
    for number, cells in enumerate(zip(*values, strict=True), 1):
        yield (
            number,
            {name: cell for (name, _), cell in zip(columns, cells, strict=True) if cell is not None},
            None,
        )


def _columns(path: Path, names: Sequence[str]) -> list[tuple[str, int]]:
    """Our names of the columns with their places."""
    pairs = resolve(_COLUMNS, {}, names)
    if isinstance(pairs, str):
        raise refused(path, "bad_schema", f"{pairs}; one was expected", 1)
    there = dict(pairs)
    missing = [name for name in _REQUIRED if name not in there]
    if missing or any(list(names).count(key) > 1 for key in there.values()):
        what = f"no column {missing[0]!r}" if missing else "a column stands twice"
        raise refused(path, "bad_schema", f"{what}; row_id, start, end and label were expected, each once", 1)
    return [(name, list(names).index(key)) for name, key in pairs]


def _by_row(lines: Iterable[_Line], answered: Iterable[str]) -> list[Record]:
    """A predictions line for each row, in the order in which rows are first named."""
    spans: dict[str, list[dict[str, Any]]] = {}
    first: dict[str, int] = {}
    faulty: dict[str, Fault] = {}
    nameless: list[Record] = []
    for number, line, wrong in lines:
        row_id = line.pop("id", None)
        if not isinstance(row_id, str):
            nameless.append(Record(number, {"spans": [], "id": row_id}, wrong))
            continue
        first.setdefault(row_id, number)
        if wrong:
            faulty.setdefault(row_id, wrong)
        of_row = spans.setdefault(row_id, [])
        if line:
            if "span_text" in line:
                line["text"] = line.pop("span_text")
            of_row.append(line)
    for row_id in answered:
        first.setdefault(row_id, 0)
        spans.setdefault(row_id, [])
    records = [Record(first[row_id], {"id": row_id, "spans": of}, faulty.get(row_id)) for row_id, of in spans.items()]
    return nameless + records
