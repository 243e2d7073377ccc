"""Files that a command was given, read or judged; a key map counts for those of them that need it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from piibench_duck import door
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange import guessing
from piibench_duck.interchange.formats import Way
from piibench_duck.interchange.keys import check_key_map
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.offsets import OffsetUnit

if TYPE_CHECKING:
    from piibench_duck import imports
    from piibench_duck.places import Board
    from piibench_duck.protocol import Protocol

T = TypeVar("T")


class Judged(NamedTuple):
    """What is wrong with a file, or what taking it would give."""

    findings: list[door.Finding]
    hint: str | None = None  # what to try instead
    warned: str | None = None
    answers: Predictions | None = None  # of predictions of another tool
    on_board: "imports.Checked | None" = None


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


def judge(
    file: Path,
    kind: str,
    rows: Path | None,
    board: "tuple[Board, Protocol] | None",
    unit: OffsetUnit,
    key_map: Mapping[str, str],
) -> Judged:
    """What `import` would say of a file where it answers a board, else `convert`: it is gold where it answers no rows.

    A predictions file of our own is also judged without its rows, for all that does not need a text.
    """
    try:
        if board is not None:
            from piibench_duck import imports

            checked = imports.check(*board, file, kind, unit, key_map)
            return Judged([], answers=checked.answers, on_board=checked)
        way: Way = "read_rows" if rows is None else "read"
        with guessing.hinted(file, kind, way):
            known = kind
            if kind == guessing.AUTO:
                known = guessing.of_gold(file) if rows is None else guessing.of_predictions(file, key_map)
            if known == "jsonl":
                found = findings(file, rows, unit, key_map)
                return Judged(found, guessing.hint(file, found, way) if kind == guessing.AUTO else None)
        if key_map:
            raise WrongUsageError(f"--map goes with a file of our own, not with one of the format {known}")
        from piibench_duck import converting

        if rows is None:
            return Judged([], warned=converting.gold(file, known, unit)[1])
        return Judged([], answers=converting.predictions(file, known, rows, unit, allow_missing=False))
    except door.Refused as refused:
        return Judged(refused.findings, refused.hint)


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
