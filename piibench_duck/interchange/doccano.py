"""doccano's JSON lines: `{"text", "label": [[start, end, label], …]}`, or `entities` as objects with offsets.

A row is named by `row_id`, `example_id` or an `id` that is a string. doccano numbers its lines itself: where no id is a
string, lines stand in the order of the rows. A `text` has to be the row's.

Cannot carry: scores, which texts were seen in part; of gold, all that a row has beside its text. Relations and comments
are not looked at.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piibench_duck.door import take_predictions, take_rows
from piibench_duck.interchange.records import Fault, Record, read_records
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.taking import BY_POSITION, by_position, other_text
from piibench_duck.offsets import OffsetUnit

_IDS = ("row_id", "example_id", "id")
_SPANS = ("label", "labels", "entities")
_KEYS = frozenset({*_IDS, *_SPANS, "text", "relations"})


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Predictions of lines."""
    records, sha256 = _records(path)
    values = [record.value if isinstance(record.value, dict) else {} for record in records]
    ids = [_id(value) for value in values]
    by_id = any(row_id is not None for row_id in ids)
    ids = ids if by_id else list(by_position(path, len(records), texts, "lines"))
    answers = []
    for record, value, row_id in zip(records, values, ids, strict=True):
        fault = other_text(value["text"], row_id, texts) if "text" in value else None
        answers.append(_record(record, value, {"id": row_id}, fault))
    taken = take_predictions(path, answers, texts, sha256, unit)
    return taken if by_id else taken._replace(settings=BY_POSITION)


def read_rows(path: Path, unit: OffsetUnit = "codepoint") -> Rows:
    """Gold of lines; one without an id has its number, of doccano or in the file."""
    records, sha256 = _records(path)
    rows = []
    for number, record in enumerate(records, 1):
        value = record.value if isinstance(record.value, dict) else {}
        theirs = value.get("id")
        row_id = _id(value) or (str(theirs) if type(theirs) is int and abs(theirs) < 10**18 else str(number))
        rows.append(_record(record, value, {"id": row_id, **({"text": value["text"]} if "text" in value else {})}))
    return take_rows(path, rows, sha256, unit)


def _records(path: Path) -> tuple[list[Record], str]:
    digest = hashlib.sha256()
    records = list(read_records(path, digest, _KEYS))
    return records, digest.hexdigest()


def _id(value: Mapping[str, Any]) -> str | None:
    return next((value[key] for key in _IDS if isinstance(value.get(key), str)), None)


def _record(record: Record, value: Mapping[str, Any], named: dict[str, Any], fault: Fault | None = None) -> Record:
    """The line under our names; one that is no object stays as it is, for the door to refuse."""
    if not isinstance(record.value, dict):
        return record
    there = [key for key in _SPANS if key in value]
    if len(there) != 1:
        wrong = f"both {there[0]!r} and {there[1]!r}" if there else f"none of {', '.join(map(repr, _SPANS))}"
        return record._replace(value={**named, "spans": []}, fault=record.fault or Fault("bad_schema", wrong))
    spans = value[there[0]]
    if isinstance(spans, list):
        wrong_ones = [index for index, span in enumerate(spans) if isinstance(span, list) and len(span) != 3]
        if wrong_ones:
            found = f"{there[0]}[{wrong_ones[0]}] is an array of {len(spans[wrong_ones[0]])}"
            fault = fault or Fault("bad_schema", f"{found}, [start, end, label] was expected")
        spans = [
            dict(zip(("start", "end", "label"), span, strict=False)) if isinstance(span, list) else span
            for span in spans
        ]
        spans = [] if wrong_ones else spans
    return record._replace(value={**named, "spans": spans}, fault=record.fault or fault)
