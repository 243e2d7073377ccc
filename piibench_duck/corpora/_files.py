"""What every reader needs: strict text, strict records, spans that lie inside their text."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from piibench_duck.corpora import Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.records import refuse_constant
from piibench_duck.names import may_be_told


def text_of(path: Path) -> str:
    """The file as UTF-8, exactly: offsets may count a BOM at its start, and line ends as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise PiibenchError(f"{path.name}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise PiibenchError(f"{path.name}: is not UTF-8 at byte {error.start}") from error


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers from 1. Only `\n` ends one: `splitlines` would cut a JSON text at U+2028."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        yield number, line.removesuffix("\r")


def json_of(path: Path) -> Any:
    """The file as one JSON value."""
    return _parsed(text_of(path), path.name)


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """A JSON value a line, each with the words that name its line."""
    for number, line in lines_of(path):
        if line.strip():
            where = f"{path.name}, line {number}"
            yield where, _parsed(line, where)


def _parsed(text: str, where: str) -> Any:
    try:
        return strict_json(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:  # its message may hold text of the file
        raise PiibenchError(f"{where}: {why_unreadable(error, 'is not JSON')}") from error


class RepeatedKeyError(ValueError):
    """A key stands twice in one object, and nobody can say which of the two counts."""


def strict_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError or RecursionError, which may quote it."""
    return json.loads(text, object_pairs_hook=_unrepeated, parse_constant=refuse_constant)


def why_unreadable(error: Exception, otherwise: str = "the text cannot be read as such") -> str:
    """What is wrong with a text that could not be read, without what it holds."""
    if isinstance(error, RepeatedKeyError):
        return "a key stands twice in one object"
    return "nested too deeply" if isinstance(error, RecursionError | MemoryError) else otherwise


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise RepeatedKeyError
    return value


@contextmanager
def record(where: str) -> Iterator[None]:
    """Turns what a malformed record makes of its reader into one sentence without the record's text."""
    try:
        yield
    except KeyError as error:
        named = repr(error.args[0]) if may_be_told(error.args[0]) else "something that it names"
        raise PiibenchError(f"{where}: lacks {named}") from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise PiibenchError(f"{where}: has not the shape of its format ({type(error).__name__})") from error


def gold(
    where: str,
    text: str,
    start: int,
    end: int,
    source_label: str,
    *,
    entity_id: str | None = None,
    identifier_type: str | None = None,
    annotator: str | None = None,
) -> Gold:
    """A span that is sure to lie inside its text and to hold something."""
    if type(start) is not int or type(end) is not int:  # not shown: what stands there instead may be text
        raise PiibenchError(f"{where}: a span's start or end is not an integer")
    if not 0 <= start < end <= len(text):
        raise PiibenchError(f"{where}: a span {start} to {end} does not lie inside its text of {len(text)} code points")
    if not isinstance(source_label, str) or not source_label:
        raise PiibenchError(f"{where}: the span {start} to {end} has no label")
    return Gold(start, end, source_label, entity_id, identifier_type, annotator)


def count_surface(counts: Counter[str], text: str, start: int, end: int, surface: str) -> None:
    """Compares a stored surface with the text under its offsets. Offsets win; the difference is counted."""
    found = text[start:end]
    if found != surface:
        same_letters = found.casefold() == surface.casefold()
        counts["surface_case_mismatches" if same_letters else "surface_mismatches"] += 1


def slices_of(**values: Any) -> dict[str, str]:
    """Slice columns as text; what a document lacks is left out."""
    return {name: str(value) for name, value in values.items() if value not in (None, "")}
