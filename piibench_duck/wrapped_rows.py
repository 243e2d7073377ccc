"""Passages to rows of the warehouse: wraps each in its carriers, in several processes where there are many."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Any, NamedTuple

import pyarrow as pa

from piibench_duck import carriers
from piibench_duck.corpora import Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import ALIGNMENT_COLUMNS, GOLD_COLUMNS, ROW_COLUMNS
from piibench_duck.quiet import no_collection

_CHUNK = 40  # passages that a process is given at once
_MANY = 6_000  # rows from which on more than one process pays

_INTEGERS = (
    *("passage_start", "passage_end", "n_chars", "span_id", "start_char", "end_char"),
    *("interval_index", "value_index", "wire_start", "wire_end"),
)


def _schema(names: Sequence[str]) -> pa.Schema:
    """The columns of a contract; whatever is neither a number nor the map of slices is a text."""
    types: dict[str, pa.DataType] = dict.fromkeys(_INTEGERS, pa.int64())
    types["slices"] = pa.map_(pa.string(), pa.string())
    return pa.schema([pa.field(name, types.get(name, pa.string())) for name in names])


SCHEMAS = {
    "rows": _schema(ROW_COLUMNS),
    "gold_spans": _schema(GOLD_COLUMNS),
    "alignments": _schema(ALIGNMENT_COLUMNS),
}


class Item(NamedTuple):
    """A passage with the carriers that it is wanted in. `constants` are the columns that all its rows share."""

    passage_id: str
    text: str
    gold: Sequence[Gold]  # offsets in the passage
    values: Sequence[tuple[int, int]]
    carriers: Sequence[str]
    constants: dict[str, Any]


class Made(NamedTuple):
    """Tables with the columns of the contracts of the same names, and why which rows were refused."""

    tables: dict[str, pa.Table]
    refused: dict[tuple[str, str], str]  # by passage id and carrier


Make = Callable[[Sequence[Item]], Iterator[Made]]


@contextmanager
def maker(n_rows: int, workers: int | None = None) -> Iterator[Make]:
    """What makes rows of items, in their order whatever the number of processes; None for as many as there is use."""
    workers = workers or ((os.cpu_count() or 1) if n_rows >= _MANY else 1)
    if workers == 1:
        yield lambda items: map(make, _chunks(items))
        return
    try:
        with ProcessPoolExecutor(workers, get_context("spawn"), _follow_parent) as executor:
            yield lambda items: executor.map(make, _chunks(items))
    except BrokenProcessPool as error:
        raise PiibenchError("a process that wrapped texts was ended from outside; try fewer --workers") from error


def _follow_parent() -> None:
    """A worker ends when its parent is gone, however that ended, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _chunks(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))


def make(items: Sequence[Item]) -> Made:
    """The rows of some items."""
    columns: dict[str, dict[str, list[Any]]] = {
        table: {name: [] for name in schema.names} for table, schema in SCHEMAS.items()
    }
    refused = {}
    with no_collection():
        for item in items:
            spans = [(gold.start, gold.end) for gold in item.gold]
            for carrier in item.carriers:
                key = carriers.row_key(item.passage_id, carrier)
                try:
                    wrapped = carriers.wrap(carrier, item.text, spans, item.values, key)
                except carriers.CannotHoldError as error:
                    refused[item.passage_id, carrier] = str(error)
                    continue
                _append(columns, item, carrier, wrapped)
        tables = {table: pa.table(columns[table], schema=schema) for table, schema in SCHEMAS.items()}
    return Made(tables, refused)


def _append(columns: dict[str, dict[str, list[Any]]], item: Item, carrier: str, wrapped: carriers.Wrapped) -> None:
    row_id = f"{item.passage_id}@{carrier}"
    row = {
        **item.constants,
        "row_id": row_id,
        "passage_id": item.passage_id,
        "carrier": carrier,
        "text": wrapped.text,
        "n_chars": len(wrapped.text),
    }
    for name, column in columns["rows"].items():
        column.append(row[name])
    gold = columns["gold_spans"]
    for span_id, (span, (start, end)) in enumerate(zip(item.gold, wrapped.spans, strict=True)):
        line = (row_id, span_id, start, end, wrapped.text[start:end], span.source_label, None)
        for column, value in zip(
            gold.values(), (*line, span.entity_id, span.identifier_type, span.annotator), strict=True
        ):
            column.append(value)
    alignments = columns["alignments"]
    alignments["row_id"] += [row_id] * len(wrapped.alignments)
    for name, values in zip(carriers.Alignment._fields, zip(*wrapped.alignments, strict=True), strict=False):
        alignments[name] += values
