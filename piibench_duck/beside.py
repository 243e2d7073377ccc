"""A file or a new folder, written beside its place and renamed, so that it is the old or the new and never half."""

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_UNFINISHED: set[Path] = set()


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Where to write what becomes `path` if all goes well. What a killed process left there before is removed."""
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        pid = left.name.split(".")[-2]
        if pid.isdigit() and not is_alive(int(pid)):
            _remove(left)
    _UNFINISHED.add(part)
    try:
        with named(part, path):
            yield part
            part.replace(path)
    finally:
        _remove(part)
        _UNFINISHED.discard(part)


@contextmanager
def named(part: Path, path: Path) -> Iterator[None]:
    """Have an error of the system name `path`: that of a write that finds no room names no file, others name `part`."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, part, str(part)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_json(path: Path, value: object) -> None:
    """A value as JSON, sorted and indented, beside and renamed; raises `ValueError` where a number is none."""
    import json

    import msgspec

    # The library's own encoder has no numbers that are none, and Python's indents eight times more slowly.
    compact = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    with beside(path) as part:
        part.write_bytes(msgspec.json.format(compact.encode(), indent=2) + b"\n")


def abandon() -> None:
    """Remove what is not finished, for a process that ends at once."""
    for part in list(_UNFINISHED):
        _remove(part)


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    """Whether a process of that number is there; one of somebody else's counts."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
