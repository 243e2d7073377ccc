"""Which formats of other tools there are: each module of this package that reads or writes one, named after the module.

`read(path, texts, unit)` gives `Predictions`, `read_rows(path, unit)` gold as `Rows`, and `write(path, rows, runs)`
makes a file or folder of both and counts what the format could not carry, by reason.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, cast

from piibench_duck import interchange
from piibench_duck.errors import WrongUsageError
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.offsets import OffsetUnit

Way = Literal["read", "read_rows", "write"]
_WHAT: Mapping[Way, str] = {"read": "predictions", "read_rows": "gold", "write": "what to write"}


class Read(Protocol):
    """The predictions of a file for rows, row_id → text in the order that positions count. Raises `door.Refused`."""

    def __call__(self, path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions: ...


class ReadRows(Protocol):
    """The texts of a file with their gold. Raises `door.Refused`."""

    def __call__(self, path: Path, unit: OffsetUnit = "codepoint") -> Rows: ...


class Write(Protocol):
    """A file or a new folder of rows: with their gold where there is no run, else with what a run predicted.

    Gives the number of spans that are not in it, by reason, in words for one and for many. Nothing
    is there, or what was, if it raises.
    """

    def __call__(self, path: Path, rows: Rows, runs: Mapping[str, Predictions]) -> Mapping[str, int]: ...


def names(way: Way) -> list[str]:
    """The formats that can go this way, in order."""
    modules = [found.name for found in pkgutil.iter_modules(interchange.__path__)]
    can = [name for name in modules if hasattr(importlib.import_module(f"{interchange.__name__}.{name}"), way)]
    return sorted(name.replace("_", "-") for name in can)


def reader(name: str) -> Read:
    """What reads predictions of this format."""
    return cast(Read, _of(name, "read"))


def rows_reader(name: str) -> ReadRows:
    """What reads gold of this format."""
    return cast(ReadRows, _of(name, "read_rows"))


def writer(name: str) -> Write:
    """What writes this format."""
    return cast(Write, _of(name, "write"))


def _of(name: str, way: Way) -> object:
    module = name.replace("-", "_")
    path = f"{interchange.__name__}.{module}"
    known = module.isidentifier() and any(found.name == module for found in pkgutil.iter_modules(interchange.__path__))
    found = getattr(importlib.import_module(path), way, None) if known else None
    if found is None:
        raise WrongUsageError(f"{name!r} is no format of {_WHAT[way]}; there are {', '.join(names(way))}")
    return found
