"""Which interval of the wire stands for which interval of the passage, and spans moved between the two."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Alignment(NamedTuple):
    """A line of `contracts.alignments` without its row_id. In wire order, which is passage order too."""

    interval_index: int
    value_index: int | None  # None for a lookalike, and for what was lost between two values
    wire_start: int
    wire_end: int
    passage_start: int | None  # None for a lookalike
    passage_end: int | None
    kind: str  # copied, escaped, changed, lost, lookalike


class Sides(NamedTuple):
    """What passage and wire both have, seen from one of them; in columns, since a bisection of integers is fast.

    A piece that is not copied moves as a whole.
    """

    starts: list[int]
    ends: list[int]
    other_starts: list[int]
    other_ends: list[int]
    are_copied: list[bool]


def to_passage(alignments: Sequence[Alignment], start: int, end: int) -> tuple[int, int] | None:
    """The passage span that a wire span touches, an escaped character whole; None where it touches only scaffold.

    Lost characters belong to it where it has characters on both sides of them.
    """
    return move(wire_side(alignments), start, end)


def to_wire(alignments: Sequence[Alignment], start: int, end: int) -> tuple[int, int] | None:
    """The wire span from the first character of a passage span to the end of its last; None where all was lost."""
    return move(passage_side(alignments), start, end)


def passage_side(alignments: Sequence[Alignment]) -> Sides:
    """The passage seen with the wire as its other side, for many calls of `move`."""
    sides = Sides([], [], [], [], [])
    for _, _, wire_start, wire_end, passage_start, passage_end, kind in alignments:
        if passage_start is not None and passage_end is not None and kind != "lost":
            sides.starts.append(passage_start)
            sides.ends.append(passage_end)
            sides.other_starts.append(wire_start)
            sides.other_ends.append(wire_end)
            sides.are_copied.append(kind == "copied")
    return sides


def wire_side(alignments: Sequence[Alignment]) -> Sides:
    """The wire seen with the passage as its other side, for many calls of `move`."""
    passage = passage_side(alignments)
    return Sides(passage.other_starts, passage.other_ends, passage.starts, passage.ends, passage.are_copied)


def move(sides: Sides, start: int, end: int) -> tuple[int, int] | None:
    """The other side's span for `[start, end)`; None where that touches no piece."""
    first = bisect_right(sides.ends, start)
    last = bisect_left(sides.starts, end) - 1
    if start >= end or first > last:
        return None
    skipped = max(0, start - sides.starts[first]) if sides.are_copied[first] else 0
    left = max(0, sides.ends[last] - end) if sides.are_copied[last] else 0
    return sides.other_starts[first] + skipped, sides.other_ends[last] - left
