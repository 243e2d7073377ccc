"""Files from outside, taken whole or refused whole with the list of all that is wrong."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.intervals import misplaced_alignments, misplaced_chars_seen, place_spans
from piibench_duck.interchange.keys import PREDICTION, ROW, check_key_map, keys_read
from piibench_duck.interchange.records import Fault, Record, holds_surrogate, read_records
from piibench_duck.interchange.schema import Shape, prediction_shape, read_object, row_shape
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    GOLD_COLUMNS,
    PRED_COLUMNS,
    ROW_COLUMNS,
    RUN_ROW_COLUMNS,
    Predictions,
    Rows,
    append,
    append_alignments,
    append_gold,
    append_preds,
    append_row,
    empty,
)
from piibench_duck.offsets import OFFSET_UNITS, OffsetUnit
from piibench_duck.quiet import no_collection

REASONS = (  # in the order in which they are looked for
    *("bad_json", "bad_schema", "lone_surrogate", "unknown_row", "duplicate_row"),
    *("out_of_range", "inverted_span", "empty_span", "splits_a_character", "surface_mismatch"),
    "missing_rows",
)
_NO_KEYS: Mapping[str, str] = {}


class Finding(NamedTuple):
    """One thing wrong with a file. `line` counts from 1 (a Parquet row too) and is None for a row that is missing."""

    file: str
    line: int | None
    row_id: str | None
    reason: str
    detail: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        row = "" if self.row_id is None else f" row {self.row_id!r}:"
        return f"{place}:{row} {self.reason}: {self.detail}"


class Refused(PiibenchError):  # noqa: N818 (what happened to the file, not an error of ours)
    """A file that was not taken, with everything that is wrong with it in the order of its lines."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = list(findings)
        first = self.findings[0]
        if first.reason == "missing_rows":
            what = f"rows not answered: {len(self.findings)}, the first {first.row_id!r}"
        else:
            there = "" if first.row_id is None else f" in {first.row_id!r}"
            there = there if first.line is None else f" at line {first.line}"
            what = "1 fault" if len(self.findings) == 1 else f"{len(self.findings)} faults, the first"
            what += ("," if there and len(self.findings) == 1 else "") + there
        super().__init__(f"{first.file}: {what}: {first.reason}")

    def as_json(self) -> str:
        """All findings as a JSON array."""
        return as_json(self.findings)


def as_json(findings: Sequence[Finding]) -> str:
    """Findings as a JSON array of objects `{"file", "line", "row_id", "reason", "detail"}`, in ASCII."""
    return json.dumps([finding._asdict() for finding in findings], indent=2)


def read_rows(path: Path, key_map: Mapping[str, str] = _NO_KEYS) -> Rows:
    """A rows file, JSON lines or Parquet. Raises Refused with every fault, PiibenchError where it is no such file."""
    with no_collection():
        rows, findings = _read_rows(path, key_map)
    if findings:
        raise Refused(findings)
    return rows


def read_predictions(
    path: Path,
    rows: Rows | Mapping[str, str],
    offset_unit: OffsetUnit = "codepoint",
    key_map: Mapping[str, str] = _NO_KEYS,
    allow_missing: bool = False,
) -> Predictions:
    """A predictions file for `rows` (or row_id → text), its offsets as code points. Raises as `read_rows` does."""
    texts = rows.texts if isinstance(rows, Rows) else rows
    with no_collection():
        predictions, findings = _read_predictions(path, texts, offset_unit, key_map)
    if not findings and not allow_missing:
        findings = _missing(path, predictions)
    if findings:
        raise Refused(findings)
    return predictions


def validate(
    path: Path,
    rows_path: Path | None = None,
    offset_unit: OffsetUnit = "codepoint",
    key_map: Mapping[str, str] = _NO_KEYS,
) -> list[Finding]:
    """What the door would say of a file. With `rows_path` it is predictions; else rows, where its lines have a text.

    Predictions without their rows are checked for all that does not need a text.
    """
    if rows_path is not None:
        rows = read_rows(rows_path)
        predictions, findings = _read_predictions(path, rows.texts, offset_unit, key_map)
        return findings or _missing(path, predictions)
    if _has_texts(path, key_map) or (path.is_file() and not path.stat().st_size):
        return _read_rows(path, key_map)[1]
    return _read_predictions(path, None, offset_unit, key_map)[1]


def _has_texts(path: Path, key_map: Mapping[str, str]) -> bool:
    text_keys = keys_read({"text": ROW["text"]}, key_map)
    columns = keys_read(ROW, key_map)
    with closing(read_records(path, hashlib.sha256(), columns)) as records:
        first = next((record.value for record in records if isinstance(record.value, dict)), {})
    return not text_keys.isdisjoint(first)


def _read_rows(path: Path, key_map: Mapping[str, str]) -> tuple[Rows, list[Finding]]:
    check_key_map(key_map)
    digest = hashlib.sha256()
    rows, gold_spans, alignments = empty(ROW_COLUMNS), empty(GOLD_COLUMNS), empty(ALIGNMENT_COLUMNS)
    findings: list[Finding] = []
    seen: set[str] = set()
    shape = row_shape(key_map)
    for record in read_records(path, digest, keys_read(ROW, key_map)):
        row, faults = _checked(record, shape)
        row_id: Any = row.get("id")
        text = row.get("text", "")
        if not faults and row_id in seen:
            faults = [Fault("duplicate_row", "the id stands on an earlier line")]
        elif not faults:
            seen.add(row_id)
            for name in ("spans", "excluded"):
                faults += place_spans(row.get(name, []), text, "codepoint", name)
            faults += misplaced_alignments(row.get("alignments", []), text)
        if faults:
            findings += _findings(path, record, row_id, faults)
        elif not findings:  # what will be refused need not be kept
            append_row(rows, row)
            append_gold(gold_spans, row)
            append_alignments(alignments, row)
    if not seen and not findings:
        raise PiibenchError(f"{path}: no rows; at least one line with id, text and spans was expected")
    return Rows(rows, gold_spans, alignments, digest.hexdigest()), findings


def _read_predictions(
    path: Path, texts: Mapping[str, str] | None, unit: OffsetUnit, key_map: Mapping[str, str]
) -> tuple[Predictions, list[Finding]]:
    check_key_map(key_map)
    if unit not in OFFSET_UNITS:
        raise PiibenchError(f"no offset unit {unit!r}; there are {', '.join(OFFSET_UNITS)}")
    digest = hashlib.sha256()
    run_rows, pred_spans = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)
    findings: list[Finding] = []
    seen: set[str] = set()
    shape = prediction_shape(key_map)
    for record in read_records(path, digest, keys_read(PREDICTION, key_map)):
        row, faults = _checked(record, shape)
        row_id: Any = row.get("id")
        text = None if faults or texts is None else texts.get(row_id)
        if not faults and texts is not None and text is None:
            faults = [Fault("unknown_row", "the rows file has no such id")]
        elif not faults and row_id in seen:
            faults = [Fault("duplicate_row", "the id stands on an earlier line")]
        elif not faults:
            seen.add(row_id)
            faults = place_spans(row["spans"], text, unit, "spans") + misplaced_chars_seen(row.get("chars_seen"), text)
        if faults:
            findings += _findings(path, record, row_id, faults)
        elif not findings and text is not None:
            chars_seen = row.get("chars_seen")
            n_seen = len(text) if chars_seen is None else chars_seen
            append(run_rows, row_id, "ok" if n_seen == len(text) else "truncated", n_seen)
            append_preds(pred_spans, row)
    missing = [row_id for row_id in texts or () if row_id not in seen]
    return Predictions(run_rows, pred_spans, missing, digest.hexdigest()), findings


def _missing(path: Path, predictions: Predictions) -> list[Finding]:
    return [
        Finding(str(path), None, row_id, "missing_rows", "the file has no line for it")
        for row_id in predictions.missing_row_ids
    ]


def _checked(record: Record, shape: Shape) -> tuple[dict[str, Any], list[Fault]]:
    """The record under our names, and the first of bad_json, bad_schema and lone_surrogate that it has."""
    if record.value is None and record.fault:
        return {}, [record.fault]
    row, faults = read_object(record.value, shape)
    if record.fault:
        faults = [record.fault, *faults]
    if not faults and record.holds_surrogate:
        faults = [Fault("lone_surrogate", "half of a surrogate pair, which no text can hold")]
    return row, faults


def _findings(path: Path, record: Record, row_id: object, faults: Sequence[Fault]) -> list[Finding]:
    named = row_id if isinstance(row_id, str) and not holds_surrogate(row_id) else None
    return [Finding(str(path), record.line, named, fault.reason, fault.detail) for fault in faults]
