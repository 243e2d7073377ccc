"""What readers of other tools' files share: their bytes, and which row an answer is of."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from piibench_duck.door import Finding, Refused
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.json_file import read_json
from piibench_duck.interchange.records import Fault, Record
from piibench_duck.names import may_be_told

BY_POSITION = (("matched_by", "position"),)
"""What a run's settings say where answers had no ids."""

_BOM = b"\xef\xbb\xbf"


class UncountedError(Refused):
    """A file without ids that has not as many answers as there are rows."""


def refused(path: Path, reason: str, detail: str, line: int | None = None) -> Refused:
    """The refusal of a whole file for one reason."""
    return Refused([Finding(str(path), line, None, reason, detail)], listed_by=None)


def by_position(path: Path, n_answers: int, texts: Mapping[str, str], of: str = "answers") -> list[str]:
    """Ids of the rows in their order, if there are as many as the file has answers."""
    if n_answers != len(texts):
        detail = f"{n_answers} {of} without ids for {len(texts)} rows; by position there must be one for each"
        raise UncountedError([Finding(str(path), None, None, "bad_schema", detail)], listed_by=None)
    return list(texts)


def other_text(text: object, row_id: object, texts: Mapping[str, str]) -> Fault | None:
    """The fault where a file has another text than the row that it answers."""
    known = texts.get(row_id) if isinstance(row_id, str) else None
    if known is None or text == known:
        return None
    detail = "'text' is not the row's" if isinstance(text, str) else "'text' is no string"
    return Fault("surface_mismatch", detail)


def json_value(path: Path, expected: str) -> tuple[Any, str]:
    """The one JSON value of a file, and the digest of its bytes."""
    file = read_json(path, expected)
    if file.fault:
        raise refused(path, file.fault.reason, file.fault.detail)
    if file.repeated:
        twice = [
            Finding(str(path), None, name if may_be_told(name) else None, "duplicate_row", "the id stands twice")
            for name in file.repeated
        ]
        raise Refused(twice, listed_by=None)
    return file.value, file.sha256


def utf8(path: Path, found: bytes) -> str:
    """The text of a file, its BOM dropped. Nothing else is converted."""
    try:
        return found.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise refused(path, "bad_schema", f"not UTF-8 at byte {error.start}") from None


def bytes_of(path: Path, expected: str) -> bytes:
    """The bytes of a file, or the error that says why it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise PiibenchError(f"{path}: cannot be read ({why}); {expected} was expected") from error


def text_lines(path: Path, expected: str) -> tuple[list[str], str]:
    """Lines of a text file, broken at line feeds alone, a `\\r` before one dropped; and the digest of its bytes."""
    found = bytes_of(path, expected)
    lines = utf8(path, found).split("\n")
    return [line.removesuffix("\r") for line in lines], hashlib.sha256(found).hexdigest()


def numbered(values: Sequence[Any], ids: Sequence[Any], key: str = "spans") -> Iterator[Record]:
    """Records of a predictions file: the id of each and its spans."""
    for number, (row_id, value) in enumerate(zip(ids, values, strict=True), 1):
        yield Record(number, {"id": row_id, key: value})
