"""A run in several parts that are answered apart, by digest of the row, and put together when all are there."""

import hashlib
import re
from typing import NamedTuple

from piibench_duck.errors import WrongUsageError

MOST = 10_000


class Shard(NamedTuple):
    """Part `part` of `of`, from 1."""

    part: int
    of: int

    @property
    def ending(self) -> str:
        """Of the name of its folder."""
        return f"-{self.part}-of-{self.of}"

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"


def parse(said: str) -> Shard:
    """The shard that `2/8` names; raises where it names none.

    >>> parse("2/8")
    Shard(part=2, of=8)
    """
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", said, re.ASCII)
    if found:
        index, count = int(found[1]), int(found[2])
        if 1 <= index <= count <= MOST:
            return Shard(index, count)
    raise WrongUsageError(f"--shard {said!r}: a part of a number of parts, from 1/1 to {MOST}/{MOST}, was expected")


def of_row(row_id: str, count: int) -> int:
    """Which of so many shards, from 1, a row belongs to: the same on every machine, whatever other rows there are."""
    return int.from_bytes(hashlib.sha256(row_id.encode()).digest()[:8]) % count + 1


def all_of(count: int) -> list[Shard]:
    """Every shard of so many."""
    return [Shard(index, count) for index in range(1, count + 1)]
