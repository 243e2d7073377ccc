"""Where things lie: the SQL and data that come with the package, and the folders that a user's boards live in."""

import os
from pathlib import Path
from typing import NamedTuple

import platformdirs

from piibench_duck.errors import PiibenchError

_PACKAGE = Path(__file__).parent


def _shipped(name: str) -> Path:
    """`name` beside the package's modules (a wheel), else in the checkout around them; never one from elsewhere."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise PiibenchError(f"the installation has no {name!r} folder beside its package; install piibench-duck again")


def sql_dir() -> Path:
    """The SQL files, `<schema>/<name>.sql`."""
    return _shipped("sql")


def data_dir() -> Path:
    """`sources.toml`, `protocol.toml`, `seeds/` and `demo/`."""
    return _shipped("data")


def is_checkout() -> bool:
    """Whether this package runs from its repository rather than from a wheel."""
    return (_PACKAGE.parent / "pyproject.toml").is_file() and not (_PACKAGE / "sql").is_dir()


def home() -> Path:
    """The folder that holds `warehouse/` and `results/` of the named boards.

    The environment variable `PIIBENCH_HOME` names it; else it is the checkout, or the current folder where the package
    was installed from a wheel.
    """
    named = os.environ.get("PIIBENCH_HOME")
    if named:
        return Path(named)
    return _PACKAGE.parent if is_checkout() else Path.cwd()


def downloads_dir() -> Path:
    """Where fetched sources are kept; may be deleted at any time."""
    return home() / "data" / "downloads" if is_checkout() else cache_dir() / "downloads"


def cache_dir() -> Path:
    """Where what can be derived again is kept between processes (`PIIBENCH_CACHE`, else the system's place for it)."""
    named = os.environ.get("PIIBENCH_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("piibench-duck", appauthor=False))


def seen(path: Path) -> Path:
    """A path as whoever sits in the current folder would write it: from there, where it lies below."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


class Board(NamedTuple):
    """A board's two folders. `own` is the user's folder where the board is one, else None."""

    name: str
    warehouse: Path
    results: Path
    own: Path | None
