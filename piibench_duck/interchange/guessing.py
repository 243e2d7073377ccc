"""What a file is where nobody said: PII Bench's own or TAB's; and which formats there are where it is neither."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from piibench_duck.door import Finding, Refused
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import formats
from piibench_duck.interchange.formats import Way
from piibench_duck.interchange.keys import PREDICTION, keys_read
from piibench_duck.interchange.records import check_rereadable
from piibench_duck.json_types import word

AUTO = "auto"
_BOM = b"\xef\xbb\xbf"
_BY_SHAPE = ("bad_json", "bad_schema")


def of_predictions(path: Path, key_map: Mapping[str, str]) -> str:
    """`tab` where a file is one JSON object and not a line of predictions, `jsonl` (or Parquet) for all else."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe, which can be read once
        return "jsonl"
    try:
        value = json.loads(_bytes(path, "read"))
    except (ValueError, RecursionError):  # Parquet, several lines, or what the door will refuse
        return "jsonl"
    if not isinstance(value, dict):
        detail = (
            f"is {word(value)}; predictions, an object with id and spans on each line, or masks, one object of "
            "documents, were expected (gold goes through `piibench-duck convert` without --rows)"
        )
        raise Refused([Finding(str(path), None, None, "bad_schema", detail)], listed_by=None)
    ids = keys_read({"id": PREDICTION["id"]}, key_map)
    is_masks = not any(isinstance(value.get(key), str) for key in ids)
    return "tab" if is_masks else "jsonl"


def of_gold(path: Path) -> str:
    """`tab` where a file opens as a JSON array does, `jsonl` (or Parquet) for all else."""
    check_rereadable(path)
    return "tab" if _bytes(path, "read_rows").removeprefix(_BOM).lstrip().startswith(b"[") else "jsonl"


@contextmanager
def hinted(path: Path, kind: str, way: Way) -> Iterator[None]:
    """A refusal of a file whose format was not said names the formats, where the file has another shape."""
    try:
        yield
    except Refused as refused:
        if kind == AUTO:
            refused.hint = hint(path, refused.findings, way)
        raise


def hint(path: Path, findings: Sequence[Finding], way: Way) -> str | None:
    """Which formats there are, where a file has not the shape that it was taken for.

    Another tool's file is misshapen from its first line on; a fault further down is one of a file of our own.
    """
    if not findings or findings[0].file != str(path):
        return None
    first = findings[0]
    return _formats(way) if first.reason in _BY_SHAPE and first.line in (None, 1) else None


def _formats(way: Way) -> str:
    return f"if it is another tool's, --from says whose: {', '.join(formats.names(way))}"


def _bytes(path: Path, way: Way) -> bytes:
    if path.is_dir():
        raise PiibenchError(f"{path}: is a folder, a file was expected; {_formats(way)}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise PiibenchError(f"{path}: cannot be read ({error.strerror or type(error).__name__})") from error
