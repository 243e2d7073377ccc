"""Keys, ids and moments that make one row's scaffold differ from the next, drawn from the row's key alone."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from piibench_duck.carriers.writer import Value

T = TypeVar("T")

_FIRST_MOMENT = datetime(2021, 1, 1, tzinfo=UTC)
_SECONDS = 4 * 365 * 24 * 3600


def number(key: int, what: str, below: int) -> int:
    """One of `range(below)`; `what` names the purpose, so that two draws of a row are independent."""
    return int.from_bytes(hashlib.sha256(f"{key}/{what}".encode()).digest()[:8]) % below


def pick(key: int, what: str, choices: Sequence[T]) -> T:
    """One of the choices."""
    return choices[number(key, what, len(choices))]


def serial(key: int, value: Value) -> int:
    """A record number: rising from value to value of a row, eight digits for any passage of usual length."""
    return 10_000_000 + number(key, "serial", 80_000_000) + value.start


def hex_id(key: int, what: str, length: int = 12) -> str:
    """Lower-case hexadecimal digits, at most 64."""
    return hashlib.sha256(f"{key}/{what}".encode()).hexdigest()[:length]


def moment(key: int, what: str) -> datetime:
    """A second of the years 2021 to 2024, in UTC."""
    return _FIRST_MOMENT + timedelta(seconds=number(key, what, _SECONDS))
