"""Score floors and recalls as somebody gives them: on a command line, and in Python."""

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real

from piibench_duck.errors import PiibenchError, WrongUsageError

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""Python would also take underscores, and digits of any script."""


def parse(option: str, text: str) -> list[float | None]:
    """Floors separated by commas, `none` for no floor.

    >>> parse("--floors", "none, 0.5,1e-3")
    [None, 0.5, 0.001]
    """
    parts = [part.strip() for part in text.split(",")]
    return [None if part.lower() == "none" else parse_number(option, part, "a number or none") for part in parts]


def parse_number(option: str, text: str, expected: str = "a number") -> float:
    """A decimal number in ASCII."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise WrongUsageError(f"{option} names {text!r}; {expected} was expected")
    return number


def check(given: object) -> list[float | None]:
    """Floors given in Python, each once; raises `PiibenchError` where they are none."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise PiibenchError("floors are not a list of numbers, with None for no floor")
    found = [None if floor is None else _number(floor, "a floor") for floor in given]
    if not found:
        raise PiibenchError("floors are an empty list; a number, or None for no floor, was expected")
    return list(dict.fromkeys(found))


def check_recall(given: object) -> float:
    """A recall given in Python; raises `PiibenchError` where it is none."""
    recall = _number(given, "a recall")
    if not 0 <= recall <= 1:
        raise PiibenchError(f"a recall of {recall} cannot be; a number from 0 to 1 was expected")
    return recall


def _number(given: object, what: str) -> float:
    try:
        number = float(given) if isinstance(given, Real) and not isinstance(given, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise PiibenchError(f"{what} is not a finite number")
    return number
