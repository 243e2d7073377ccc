"""Redacted text without offsets: `{"id", "text"}` lines, aligned with the originals to find what was taken out.

Whatever words the redacted text lacks are a span, with the placeholder in its place (`[NAME]`, `<PERSON_1>`) for its
label, else `MASK`. It is marked as aligned wherever it is scored, since nobody but the tool knows what it meant: two
spans side by side are one, and a text that was rewritten is masked wherever it differs.

Cannot carry: scores, where spans end that touch, spans of white space; labels, where there is no placeholder in
capitals; a value that the redacted text still has elsewhere in the same place, as one of two that are alike.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from piibench_duck.door import take_predictions
from piibench_duck.errors import WrongUsageError
from piibench_duck.interchange.alignment import TooRepetitiveError, removed
from piibench_duck.interchange.keys import PREDICTION, ROW, resolve
from piibench_duck.interchange.records import Fault, Record, read_records
from piibench_duck.interchange.tables import Predictions
from piibench_duck.json_types import word
from piibench_duck.offsets import OffsetUnit

ALIGNED = (("aligned", "true"),)
_KEYS = {"id": PREDICTION["id"], "text": ROW["text"]}


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """What the texts of the file lack of the originals; it has no offsets to be of a unit."""
    if unit != "codepoint":
        raise WrongUsageError("--offset-unit goes with offsets, which redacted text has not")
    digest = hashlib.sha256()
    keys = frozenset(key for names in _KEYS.values() for key in names)
    records = [*_aligned(read_records(path, digest, keys), texts)]
    return take_predictions(path, records, texts, digest.hexdigest())._replace(settings=ALIGNED)


def _aligned(records: Iterator[Record], texts: Mapping[str, str]) -> Iterator[Record]:
    """Each line as one of a predictions file."""
    for record in records:
        if not isinstance(record.value, dict):
            yield record
            continue
        pairs = resolve(_KEYS, {}, record.value)
        if isinstance(pairs, str) or len(pairs) < len(_KEYS):
            wrong = pairs if isinstance(pairs, str) else "no id or no text"
            yield record._replace(value={}, fault=record.fault or Fault("bad_schema", wrong))
            continue
        row_id, redacted = (record.value[key] for _, key in pairs)
        original = texts.get(row_id) if isinstance(row_id, str) else None
        spans: list[dict[str, object]] = []
        fault = record.fault
        if not isinstance(redacted, str):
            fault = fault or Fault("bad_schema", f"'text' is {word(redacted)}, a string was expected")
        elif original is not None and fault is None:
            try:
                spans = [{"start": s, "end": e, "label": label} for s, e, label in removed(original, redacted)]
            except TooRepetitiveError:
                fault = Fault("bad_schema", "too long and too repetitive to be aligned with the original")
        yield record._replace(value={"id": row_id, "spans": spans}, fault=fault)
