"""A policy: what somebody asks of a detector before they trust it, as a TOML file says it."""

import difflib
import hashlib
import math
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.json_types import word

HOLDS = ("figure", "interval")
UNITS = ("row", "document")
_MOST = 1e9


class Clause(NamedTuple):
    """A bound of one figure: `what` of `slice` within `by`, which is `mean`, `overall` or a kind of slice."""

    what: str  # recall, f1, protected, leaks, median_ms or p95_ms
    by: str
    slice: str | None
    bound: float
    hold: str = "figure"  # or the end of its interval that is the worse
    unit: str = "row"  # of that interval

    @property
    def is_least(self) -> bool:
        """Whether the figure has to be at least the bound, rather than at most."""
        return self.what in ("recall", "f1", "protected")


class Policy(NamedTuple):
    """Its clauses in the order of the file, and the digest of its bytes."""

    clauses: tuple[Clause, ...]
    sha256: str


class _Section(NamedTuple):
    what: str
    whole: str  # the key of the bound over all corpora
    slices: Collection[str]
    is_bound: Callable[[float], bool]
    expected: str
    how: Collection[str]  # whether an interval may have to hold, and of which unit it is


def _is_share(value: float) -> bool:
    return 0 < value <= 1  # what is at least 0 always holds


def _is_count(value: float) -> bool:
    return 0 <= value <= _MOST and value == int(value)


_HOW = ("hold", "unit")
_SHARE = "a number above 0 and up to 1"
_SECTIONS = {
    "recall": _Section(
        "recall", "mean", ("type", "carrier", "corpus", "language"), _is_share, _SHARE, ("hold", "unit")
    ),
    "f1": _Section("f1", "mean", ("carrier", "corpus", "language"), _is_share, _SHARE, _HOW),
    "protected": _Section("protected", "overall", ("corpus",), _is_share, _SHARE, ("hold",)),
    "leaks": _Section("leaks", "overall", ("corpus",), _is_count, "a whole number that is not negative", ()),
}
_SPEED = ("median_ms", "p95_ms")
_KEYS = ("hold", "unit", *_SECTIONS, "speed")


def read(path: Path) -> Policy:
    """The policy in a file; raises `PiibenchError` where it is none, or where it has no clause."""
    try:
        content = path.read_bytes()
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or _not_toml(error)
        raise PiibenchError(f"{path}: cannot be read ({why}); a policy was expected") from None
    clauses = tuple(_clauses(table, str(path)))
    if not clauses:
        raise PiibenchError(f"{path}: has no clause; a bound in one of {', '.join((*_SECTIONS, 'speed'))} was expected")
    return Policy(clauses, hashlib.sha256(content).hexdigest())


def _not_toml(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return f"it is not TOML: {error}" if isinstance(error, tomllib.TOMLDecodeError) else "it is not TOML"


def _clauses(table: Mapping[str, Any], where: str) -> Iterator[Clause]:
    _check_keys(table, _KEYS, where, "")
    how = _how(table, where, "", {"hold": HOLDS[0], "unit": UNITS[0]})
    for name, value in table.items():
        if name in _SECTIONS:
            yield from _of_section(_SECTIONS[name], _table(value, where, name), where, how)
        elif name == "speed":
            speed = _table(value, where, name)
            _check_keys(speed, _SPEED, where, name)
            _refuse_empty(speed, _SPEED, where, name)
            for what, bound in speed.items():
                most = "a number above 0, of milliseconds"
                yield Clause(
                    what, "overall", None, _bound(bound, lambda ms: 0 < ms <= _MOST, most, where, f"speed.{what}")
                )


def _of_section(section: _Section, table: Mapping[str, Any], where: str, how: Mapping[str, str]) -> Iterator[Clause]:
    _check_keys(table, (section.whole, *section.slices, *section.how), where, section.what)
    _refuse_empty(table, (section.whole, *section.slices), where, section.what)
    how = _how(table, where, section.what, how)
    if "unit" not in section.how:  # documents are what it counts
        how = {**how, "unit": "document"}
    if "hold" not in section.how:
        how = {**how, "hold": HOLDS[0]}

    def clause(by: str, name: str | None, value: object) -> Clause:
        key = ".".join(part for part in (section.what, by, name) if part is not None)
        bound = _bound(value, section.is_bound, section.expected, where, key)
        return Clause(section.what, by, name, bound, how["hold"], how["unit"])

    for key, value in table.items():
        if key == section.whole:
            yield clause(key, None, value)
        elif key in section.slices:
            bounds = _table(value, where, f"{section.what}.{key}")
            _refuse_empty(bounds, bounds, where, f"{section.what}.{key}")
            for name, bound in bounds.items():
                yield clause(key, name, bound)


def _how(table: Mapping[str, Any], where: str, within: str, known: Mapping[str, str]) -> dict[str, str]:
    found = dict(known)
    for key, allowed in (("hold", HOLDS), ("unit", UNITS)):
        if key in table:
            value = table[key]
            if value not in allowed:
                told = repr(value) if isinstance(value, str) else word(value)
                named = f"{within}.{key}" if within else key
                raise PiibenchError(f"{where}: {named!r} is {told}; {' or '.join(map(repr, allowed))} was expected")
            found[key] = value
    return found


def _table(value: object, where: str, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise PiibenchError(f"{where}: {name!r} is {word(value)}; a table was expected")
    return value


def _refuse_empty(table: Mapping[str, Any], bounds: Collection[str], where: str, name: str) -> None:
    """A table without a bound asks for nothing, and was meant to."""
    if not table.keys() & set(bounds):
        raise PiibenchError(f"{where}: {name!r} has no clause; a bound was expected")


def _bound(value: object, is_bound: Callable[[float], bool], expected: str, where: str, name: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number:
        raise PiibenchError(f"{where}: {name!r} is {word(value)}; {expected} was expected")
    try:
        number = float(value)  # type: ignore[arg-type]  # it is a number, as the line above asked
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or not is_bound(number):
        raise PiibenchError(f"{where}: {name!r} is {number:g}; {expected} was expected")
    return number


def _check_keys(table: Mapping[str, Any], known: Collection[str], where: str, within: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            meant = f"; {near[0]!r} was meant?" if near else ""
            of = f" in {within!r}" if within else ""
            raise PiibenchError(f"{where}: no key {key!r}{of}{meant}; there are {', '.join(known)}")
