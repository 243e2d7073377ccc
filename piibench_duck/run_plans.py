"""What a run is to be: the table of a run in `data/protocol.toml`, or a user's own `run.toml`."""

import difflib
import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # of files and folders on any system


class RunPlan(NamedTuple):
    """A runner with its model and options, and what only people can say of it.

    `namespace` is the label map's where the runner does not say; `unpinned` takes a hub model as it is today.
    """

    name: str
    runner: str
    model: str | None = None
    revision: str | None = None
    namespace: str | None = None
    options: Mapping[str, str] = {}
    unpinned: bool = False
    artefact: str | None = None
    licence: str | None = None
    credit: str | None = None
    publisher: str | None = None
    recipe: str | None = None
    training_seed: str | None = None
    steered: Mapping[str, str] | None = None
    conflict_of_interest: str | None = None
    note: str | None = None


KEYS = RunPlan._fields[1:]
SAID = (
    "artefact",
    "licence",
    "credit",
    "publisher",
    "recipe",
    "training_seed",
    "steered",
    "conflict_of_interest",
    "note",
)
"""Keys that shape no answer and only say what a run is."""

_TABLES = ("options", "steered")


def is_name(name: str) -> bool:
    """Whether a run can be called so."""
    return _NAME.fullmatch(name) is not None


def check_name(name: str) -> None:
    """Raise where a run cannot be called so."""
    if not is_name(name):
        raise PiibenchError(f"run name {name!r}: letters, digits, and - _ . behind the first of them were expected")


def of_table(name: str, table: Mapping[str, Any], where: str) -> RunPlan:
    """The plan that a table of TOML says; `where` names it in errors. Options may be numbers."""
    for key in table:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            meant = f"; {near[0]!r} was meant?" if near else ""
            raise PiibenchError(f"{where}: no key {key!r}{meant}; there are name, {', '.join(KEYS)}")
    if "runner" not in table:
        raise PiibenchError(f"{where}: has no 'runner'; the name of one was expected (piibench-duck list runners)")
    found: dict[str, Any] = {}
    for key, value in table.items():
        found[key] = _checked(key, value, where)
    return RunPlan(name, **found)


def read(path: Path, corpora: Collection[str]) -> dict[str, Any]:
    """The keys of a `run.toml`, of `KEYS` and `name`, each of its kind; `corpora` are those that may be `steered`."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is not TOML"
        raise PiibenchError(f"{path}: cannot be read ({why}); a table of a run was expected") from None
    name = table.pop("name", None)
    if name is not None and not isinstance(name, str):
        raise PiibenchError(f"{path}: 'name' is no text; the name of the run was expected")
    plan = of_table(name or "", {"runner": "", **table}, str(path))
    for corpus in plan.steered or ():
        if corpus not in corpora:
            raise PiibenchError(
                f"{path}: 'steered' names {corpus!r}, which is no corpus of the board; there are {', '.join(corpora)}"
            )
    found = {key: getattr(plan, key) for key in table}
    return found if name is None else {"name": name, **found}


def _checked(key: str, value: object, where: str) -> object:
    if key in _TABLES:
        if not isinstance(value, dict):
            raise PiibenchError(f"{where}: {key!r} is no table")
        texts = {name: _text(one) for name, one in value.items()} if key == "options" else value
        if not all(isinstance(one, str) and one for one in texts.values()):
            raise PiibenchError(f"{where}: a value of {key!r} is of the wrong kind; a text was expected")
        return texts
    if key == "unpinned":
        if not isinstance(value, bool):
            raise PiibenchError(f"{where}: 'unpinned' is neither true nor false")
        return value
    if key == "training_seed" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise PiibenchError(f"{where}: {key!r} is no text")
    return value


def _text(value: object) -> object:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float) else value
