"""Files from outside, taken whole or refused whole with the list of all that is wrong."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.intervals import label_faults, misplaced_alignments, misplaced_chars_seen, place_spans
from piibench_duck.interchange.keys import PREDICTION, ROW, check_key_map, keys_read
from piibench_duck.interchange.records import Fault, Record, check_rereadable, read_records
from piibench_duck.interchange.row_names import texts_as_names
from piibench_duck.interchange.schema import Shape, prediction_shape, read_object, row_shape
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    ANNOTATOR_COLUMNS,
    GOLD_COLUMNS,
    PRED_COLUMNS,
    ROW_COLUMNS,
    RUN_ROW_COLUMNS,
    Predictions,
    Rows,
    append,
    append_alignments,
    append_annotators,
    append_gold,
    append_preds,
    append_row,
    empty,
)
from piibench_duck.names import may_be_told
from piibench_duck.offsets import OFFSET_UNITS, OffsetUnit
from piibench_duck.quiet import no_collection

REASONS = (  # in the order in which they are looked for
    *("bad_json", "bad_schema", "lone_surrogate", "unknown_row", "duplicate_row"),
    *("out_of_range", "inverted_span", "empty_span", "splits_a_character", "surface_mismatch", "bad_label"),
    *("bad_name", "missing_rows"),
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
        row = "" if self.row_id is None else f" row {self.row_id!r}:"
        return f"{_place(self)}:{row} {self.reason}: {self.detail}"


class Refused(PiibenchError):  # noqa: N818 (what happened to the file, not an error of ours)
    """A file that was not taken, with everything that is wrong with it in the order of its lines."""

    def __init__(
        self,
        findings: Sequence[Finding],
        listed_by: str | None = "`piibench-duck validate`",
        folder: str | None = None,
    ) -> None:
        """`folder` is what was not taken where findings name the files in it."""
        self.findings = list(findings)
        self.hint: str | None = None  # what to try instead, where somebody knows
        self.listed_by = listed_by  # what shows all of them, where there is such a thing
        first = self.findings[0]
        if first.reason == "missing_rows":
            which = "" if first.row_id is None else f", the first {first.row_id!r}"
            what = f"rows not answered: {len(self.findings)}{which}"
        else:
            there = "" if first.row_id is None else f" in {first.row_id!r}"
            there = there if first.line is None else f" at line {first.line}"
            there = there if folder is None else f" in {_place(first)}"
            what = "1 fault" if len(self.findings) == 1 else f"{len(self.findings)} faults, the first"
            what += ("," if there and len(self.findings) == 1 else "") + there
        super().__init__(f"{folder or first.file}: {what}: {first.reason}")

    def __str__(self) -> str:
        return super().__str__() + (f"; {self.hint}" if self.hint else "")

    def as_json(self) -> str:
        """All findings as a JSON array."""
        return as_json(self.findings)


def _place(finding: Finding) -> str:
    return finding.file if finding.line is None else f"{finding.file}:{finding.line}"


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
        findings = missing_rows(path, predictions.missing_row_ids, texts)
    if findings:
        raise Refused(findings)
    return predictions


def take_rows(path: Path, records: Iterable[Record], sha256: str, unit: OffsetUnit = "codepoint") -> Rows:
    """Rows of another tool's file, its records turned into those of a rows file. Raises as `read_rows` does."""
    with no_collection():
        rows, findings = _rows_of(path, records, _NO_KEYS, unit)
    if findings:
        raise Refused(findings, listed_by=None)
    return rows._replace(sha256=sha256)


def take_predictions(
    path: Path, records: Iterable[Record], texts: Mapping[str, str], sha256: str, unit: OffsetUnit = "codepoint"
) -> Predictions:
    """Answers of another tool's file, its records turned into those of a predictions file; rows may be missing.

    Raises as `read_rows` does.
    """
    with no_collection():
        predictions, findings = _predictions_of(path, records, texts, unit, _NO_KEYS)
    if findings:
        raise Refused(findings, listed_by=None)
    return predictions._replace(sha256=sha256)


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
        return findings or missing_rows(path, predictions.missing_row_ids, rows.texts)
    check_rereadable(path)
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
    rows, findings = _rows_of(path, read_records(path, digest, keys_read(ROW, key_map)), key_map)
    return rows._replace(sha256=digest.hexdigest()), findings


def _rows_of(
    path: Path, records: Iterable[Record], key_map: Mapping[str, str], unit: OffsetUnit = "codepoint"
) -> tuple[Rows, list[Finding]]:
    rows, gold_spans, alignments = empty(ROW_COLUMNS), empty(GOLD_COLUMNS), empty(ALIGNMENT_COLUMNS)
    annotators = empty(ANNOTATOR_COLUMNS)
    findings: list[Finding] = []
    seen: set[str] = set()
    shape = row_shape(key_map)
    for record in records:
        row, faults = _checked(record, shape)
        row_id: Any = row.get("id")
        text = row.get("text", "")
        if not faults and row_id in seen:
            faults = [Fault("duplicate_row", "the id stands on an earlier line")]
        elif not faults:
            seen.add(row_id)
            for name in ("spans", "excluded"):
                faults += place_spans(row.get(name, []), text, unit, name)
            faults += misplaced_alignments(row.get("alignments", []), text)
            faults = faults or texts_as_names(row)
        if faults:
            findings += _findings(path, record, row_id, text, faults)
        elif not findings:  # what will be refused need not be kept
            append_row(rows, row)
            append_gold(gold_spans, row)
            append_alignments(alignments, row)
            append_annotators(annotators, row)
    if not seen and not findings:
        raise PiibenchError(f"{path}: no rows; at least one line with id, text and spans was expected")
    named = annotators if annotators["row_id"] else None
    return Rows(rows, gold_spans, alignments, "", named), findings


def _read_predictions(
    path: Path, texts: Mapping[str, str] | None, unit: OffsetUnit, key_map: Mapping[str, str]
) -> tuple[Predictions, list[Finding]]:
    check_key_map(key_map)
    if unit not in OFFSET_UNITS:
        raise PiibenchError(f"no offset unit {unit!r}; there are {', '.join(OFFSET_UNITS)}")
    digest = hashlib.sha256()
    records = read_records(path, digest, keys_read(PREDICTION, key_map))
    predictions, findings = _predictions_of(path, records, texts, unit, key_map)
    return predictions._replace(sha256=digest.hexdigest()), findings


def _predictions_of(
    path: Path,
    records: Iterable[Record],
    texts: Mapping[str, str] | None,
    unit: OffsetUnit,
    key_map: Mapping[str, str],
) -> tuple[Predictions, list[Finding]]:
    run_rows, pred_spans = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)
    findings: list[Finding] = []
    seen: set[str] = set()
    shape = prediction_shape(key_map)
    for record in records:
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
            faults = faults or label_faults(row["spans"], text, "spans")
        if faults:
            known = texts.get(row_id) if texts is not None and isinstance(row_id, str) else None
            findings += _findings(path, record, row_id, known, faults)
        elif not findings and text is not None:
            chars_seen = row.get("chars_seen")
            n_seen = len(text) if chars_seen is None else chars_seen
            append(run_rows, row_id, "ok" if n_seen == len(text) else "truncated", n_seen)
            append_preds(pred_spans, row)
    missing = [row_id for row_id in texts or () if row_id not in seen]
    return Predictions(run_rows, pred_spans, missing, ""), findings


def missing_rows(
    path: Path, row_ids: Sequence[str], texts: Mapping[str, str], why: str = "the file has no line for it"
) -> list[Finding]:
    """A finding for each row that a file does not answer, by its place among `texts` where its id may be text."""
    findings = []
    places: dict[str, int] = {}
    for row_id in row_ids:
        if may_be_told(row_id, texts.get(row_id, "")):
            findings.append(Finding(str(path), None, row_id, "missing_rows", why))
            continue
        places = places or {name: place for place, name in enumerate(texts, start=1)}
        there = f"row {places[row_id]}: " if row_id in places else ""
        findings.append(Finding(str(path), None, None, "missing_rows", there + why))
    return findings


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


def _findings(path: Path, record: Record, row_id: object, text: object, faults: Sequence[Fault]) -> list[Finding]:
    """A row is named by its line, and by its id where that cannot be text."""
    is_told = may_be_told(row_id, text if isinstance(text, str) else "")
    named = row_id if is_told and isinstance(row_id, str) else None
    return [Finding(str(path), record.line, named, fault.reason, fault.detail) for fault in faults]
