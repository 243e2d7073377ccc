"""Files that a command was given, through the door; a key map counts for those of them that need it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from piibench_duck import door
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.keys import check_key_map
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.offsets import OffsetUnit

T = TypeVar("T")


def read(
    rows: Path,
    predictions: Sequence[Path],
    unit: OffsetUnit = "codepoint",
    key_map: Mapping[str, str] | None = None,
    allow_missing: bool = False,
) -> tuple[Rows, list[Predictions]]:
    """A rows file and predictions files for it.

    A file that is refused under the key map is tried without it, since rows and predictions often come from different
    hands; the map must have served one of them.
    """
    keys = key_map or {}
    check_key_map(keys)
    taken, refusal = _under(keys, lambda keys: door.read_rows(rows, keys))
    refusals = [refusal]
    answers = []
    for path in predictions:
        answered, refusal = _under(keys, _reader(path, taken, unit, allow_missing))
        answers.append(answered)
        refusals.append(refusal)
    if refusals[0] is not None and all(refusals):
        raise refusals[0]
    return taken, answers


def findings(file: Path, rows: Path | None, unit: OffsetUnit, key_map: Mapping[str, str]) -> list[door.Finding]:
    """What the door would say of a file, and of the rows that it answers."""
    if rows is None:
        return door.validate(file, None, unit, key_map)
    try:
        read(rows, [file], unit, key_map)
    except door.Refused as refused:
        return refused.findings
    return []


def _reader(
    path: Path, rows: Rows, unit: OffsetUnit, allow_missing: bool
) -> Callable[[Mapping[str, str]], Predictions]:
    return lambda keys: door.read_predictions(path, rows, unit, keys, allow_missing)


def _under(keys: Mapping[str, str], reader: Callable[[Mapping[str, str]], T]) -> tuple[T, PiibenchError | None]:
    """What is read, and why it could not be under the key map."""
    try:
        return reader(keys), None
    except PiibenchError as error:
        if not keys:
            raise
        try:
            return reader({}), error
        except PiibenchError:
            raise error from None
