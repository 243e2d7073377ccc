"""JSON lines and Parquet as numbered records: what a file holds, before anyone asks what it means."""

import json
import re
from collections.abc import Generator, Iterator, Set
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from piibench_duck.errors import PiibenchError

_PARQUET_MAGIC = b"PAR1"
_BOM = b"\xef\xbb\xbf"
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE_PAIR = re.compile(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
_TOO_LARGE = 10**30  # stands for every integer that Python refuses to read; larger than any offset


class Fault(NamedTuple):
    """Something wrong with a record. `detail` never holds text of the file."""

    reason: str
    detail: str


class Record(NamedTuple):
    """A line (counted from 1, empty lines too) or a Parquet row. `value` is None where it could not be read."""

    line: int
    value: object
    fault: Fault | None = None
    holds_surrogate: bool = False


class Digest(Protocol):
    """What hashlib gives."""

    def update(self, data: bytes, /) -> None: ...


class NoDigest:
    """Takes the bytes of files whose digest nobody asks for, such as those of a source, which are pinned before."""

    def update(self, data: bytes, /) -> None:
        pass


def check_rereadable(path: Path) -> None:
    """Refuse a pipe where a file is read more than once: it would be empty, or wait, at the second time."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise PiibenchError(f"{path}: is a pipe or a device; it is read more than once, so a file was expected")


def read_records(path: Path, digest: Digest, columns: Set[str]) -> Generator[Record, None, None]:
    """Every record of a file, which is Parquet where its first bytes say so; `digest` gets the bytes of the file.

    Of Parquet only `columns` are read, and nulls are absent keys.
    """
    try:
        with path.open("rb") as file:
            if file.peek(len(_PARQUET_MAGIC))[: len(_PARQUET_MAGIC)] == _PARQUET_MAGIC:
                from piibench_duck.interchange.parquet import read_parquet  # pyarrow takes long to import

                yield from read_parquet(path, file, digest, columns)
            else:
                yield from _read_lines(file, digest)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise PiibenchError(f"{path}: cannot be read ({why}); a JSONL or Parquet file was expected") from error


def column_names(path: Path) -> Generator[list[str], None, None]:
    """The columns of a Parquet file, or the keys of each object of JSON lines; what cannot be read has none."""
    with path.open("rb") as file:
        is_parquet = file.read(len(_PARQUET_MAGIC)) == _PARQUET_MAGIC
    if is_parquet:
        from piibench_duck.interchange.parquet import column_names

        yield column_names(path)
        return
    for record in read_records(path, NoDigest(), frozenset()):
        if isinstance(record.value, dict):
            yield list(record.value)


def _read_lines(file: BinaryIO, digest: Digest) -> Iterator[Record]:
    repeated: list[bool] = []

    def unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) != len(pairs):
            repeated.append(True)
        return value

    decode = json.JSONDecoder(object_pairs_hook=unrepeated, parse_constant=refuse_constant).decode
    decode_large = json.JSONDecoder(
        object_pairs_hook=unrepeated, parse_constant=refuse_constant, parse_int=int_or_too_large
    ).decode
    for number, line in enumerate(file, 1):  # a binary file breaks at \n and nowhere else
        digest.update(line)
        if number == 1 and line.startswith(_BOM):
            line = line[len(_BOM) :]
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if not line:
            continue
        repeated.clear()
        try:
            text = line.decode()
            try:
                value = decode(text)
            except json.JSONDecodeError:
                raise
            except ValueError:  # an integer of thousands of digits
                value = decode_large(text)
            is_half = _may_hold_surrogate(line) and holds_surrogate(value)
        except UnicodeDecodeError as error:
            yield Record(number, None, Fault("bad_json", f"not UTF-8 at byte {error.start} of the line"))
        except json.JSONDecodeError as error:
            yield Record(number, None, Fault("bad_json", f"not JSON at character {error.pos} of the line"))
        except RecursionError:
            yield Record(number, None, Fault("bad_json", "nested too deeply"))
        except ValueError:
            yield Record(number, None, Fault("bad_json", "NaN and Infinity are not JSON"))
        else:
            fault = Fault("bad_schema", "a key stands twice in one object") if repeated else None
            yield Record(number, value, fault, is_half)


def refuse_constant(name: str) -> None:
    """What Python takes for a number and JSON does not: NaN and Infinity."""
    raise ValueError(name)


def int_or_too_large(digits: str) -> int:
    """An integer, or one that stands for all that Python refuses to read."""
    if len(digits) <= 400:
        return int(digits)
    return -_TOO_LARGE if digits.startswith("-") else _TOO_LARGE


def _may_hold_surrogate(line: bytes) -> bool:
    """False only where every escape of a surrogate is surely half of a pair."""
    if _SURROGATE_ESCAPE.search(line) is None:
        return False
    # Behind an escaped backslash, `\\ud83d\ude42`, what looks like a pair is a word and a lone surrogate.
    return b"\\\\" in line or _SURROGATE_ESCAPE.search(_SURROGATE_PAIR.sub(b"", line)) is not None


def holds_surrogate(value: object) -> bool:
    """Whether a string anywhere in `value`, a key too, holds a surrogate, which no encoding of text has."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
