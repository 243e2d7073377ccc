"""The Writer: puts a carrier on the wire from left to right and keeps account of where each passage character went."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from piibench_duck.carriers.alignment import Alignment, Sides, move, passage_side
from piibench_duck.errors import PiibenchError

Escape = Mapping[str, str] | Callable[[str], str]

_MERGED = ("copied", "lost")  # neighbours of these kinds are one interval


class Value(NamedTuple):
    """What a carrier writes as one cell, element or string; `start` is its offset in the passage."""

    text: str
    start: int


class Wrapped(NamedTuple):
    """A row's wire text, its spans in the order given, and what each wire interval stands for."""

    text: str
    spans: list[tuple[int, int]]
    alignments: list[Alignment]


class CannotHoldError(PiibenchError):
    """A text that the carrier's format has no way to write. The message names code point and offset, never the text."""


class Writer:
    """All offset arithmetic of all carriers: a carrier says what it writes, and never where.

    Most carriers need `scaffold`, `lookalike` and `value`. One that rewrites a character for where it stands, not for
    what it is, opens a value, goes through it with `copy`, `escape`, `change` and `lose`, and closes it.
    Misuse is a bug of the carrier and raises ValueError.
    """

    def __init__(self, passage: str, spans: Sequence[tuple[int, int]] = ()) -> None:
        self.passage = Value(passage, 0)  # for a carrier that takes the passage whole
        self._spans = list(spans)
        self._edges: set[int] | None = None  # made when a carrier first asks
        self._parts: list[str] = []
        # The alignments, in columns until the end, which the garbage collector need not look through as they grow.
        self._value_indexes: list[int | None] = []
        self._wire_starts: list[int] = []
        self._wire_ends: list[int] = []
        self._passage_starts: list[int | None] = []
        self._passage_ends: list[int | None] = []
        self._kinds: list[str] = []
        self._wire = 0  # length of what is written
        self._read = 0  # passage characters accounted for
        self._value_starts: list[int] = []  # in the passage
        self._value_ends: list[int] = []
        self._value_end: int | None = None  # in the passage, while a value is open

    def scaffold(self, text: str) -> None:
        """Syntax and keys of the carrier."""
        self._outside_a_value()
        self._put(text)

    def lookalike(self, text: str) -> None:
        """Scaffold that looks like personal data without being anybody's: a timestamp, a host, a request id."""
        self._outside_a_value()
        if text:
            self._line(None, text, None, None, "lookalike")

    def value(self, value: Value, escape: Escape | None = None) -> None:
        """A whole value. `escape` gives the wire text of a character, or the character itself where it needs none."""
        self.open(value)
        escaped = _escaped(value.text, escape)
        done = 0
        if escaped:
            for match in re.finditer(f"[{re.escape(''.join(escaped))}]", value.text):
                self.copy(match.start() - done)
                self.escape(escaped[match.group()])
                done = match.end()
        self.copy(len(value.text) - done)
        self.close()

    def open(self, value: Value) -> None:
        """Begin a value. Passage characters between it and the last one are lost."""
        self._outside_a_value()
        if value.start < self._read:
            raise ValueError(f"the value at {value.start} comes again or out of order")
        if not self.passage.text.startswith(value.text, value.start):
            raise ValueError(f"the value at {value.start} is not what the passage has there")
        self._take(value.start - self._read, "", "lost", None)
        self._value_end = value.start + len(value.text)
        self._value_starts.append(value.start)
        self._value_ends.append(self._value_end)

    def copy(self, n: int = 1) -> None:
        """The next `n` characters as they are."""
        self._take(n, self.passage.text[self._read : self._read + n], "copied", len(self._value_starts) - 1)

    def escape(self, text: str) -> None:
        """The next character in another spelling, from which a reader of the format gets it back."""
        self._one(text, "escaped")

    def change(self, text: str) -> None:
        """The next character as something that no reader turns back, like a scanner's `rn` for `m`."""
        self._one(text, "changed")

    def lose(self, n: int = 1) -> None:
        """Leave out the next `n` characters, none of which may be an edge of a span."""
        if any(self.is_edge(offset) for offset in range(self._read, self._read + n)):
            raise ValueError(f"a span's first or last character is lost at {self._read}")
        self._take(n, "", "lost", len(self._value_starts) - 1)

    def is_edge(self, offset: int) -> bool:
        """Whether a span begins or ends with this passage character, so that it must not be lost."""
        if self._edges is None:
            self._edges = {edge for start, end in self._spans for edge in (start, end - 1)}
        return offset in self._edges

    def close(self) -> None:
        """End the open value, all of which must have been written or lost."""
        if self._read != self._value_end:
            raise ValueError(f"the value ends at {self._value_end} and is written up to {self._read}")
        self._value_end = None

    def finish(self) -> Wrapped:
        """What was written; the rest of the passage is lost."""
        self._outside_a_value()
        self._take(len(self.passage.text) - self._read, "", "lost", None)
        alignments = self._lines()
        sides = passage_side(alignments)
        spans = [self._moved(sides, start, end) for start, end in self._spans]
        return Wrapped("".join(self._parts), spans, alignments)

    def _moved(self, sides: Sides, start: int, end: int) -> tuple[int, int]:
        index = bisect_right(self._value_starts, start) - 1
        if index < 0 or end > self._value_ends[index]:
            raise ValueError(f"the span at {start} is not inside one value")
        moved = move(sides, start, end)
        if moved is None:
            raise ValueError(f"the span at {start} is lost")
        return moved

    def _lines(self) -> list[Alignment]:
        return list(
            map(
                Alignment,
                range(len(self._kinds)),
                self._value_indexes,
                self._wire_starts,
                self._wire_ends,
                self._passage_starts,
                self._passage_ends,
                self._kinds,
            )
        )

    def _one(self, text: str, kind: str) -> None:
        if not text:
            raise ValueError(f"the character at {self._read} is {kind} into nothing")
        self._take(1, text, kind, len(self._value_starts) - 1)

    def _take(self, n: int, text: str, kind: str, value_index: int | None) -> None:
        """Account for the next `n` passage characters, which stand on the wire as `text`."""
        if n == 0:
            return
        start, end = self._read, self._read + n
        limit = len(self.passage.text) if value_index is None else self._value_end
        if n < 0 or limit is None or end > limit:
            raise ValueError(f"characters {start} to {end} are not in an open value")
        if kind in _MERGED and self._kinds and self._kinds[-1] == kind and self._value_indexes[-1] == value_index:
            self._put(text)
            self._wire_ends[-1] = self._wire
            self._passage_ends[-1] = end
        else:
            self._line(value_index, text, start, end, kind)
        self._read = end

    def _line(self, value_index: int | None, text: str, start: int | None, end: int | None, kind: str) -> None:
        self._value_indexes.append(value_index)
        self._wire_starts.append(self._wire)
        self._put(text)
        self._wire_ends.append(self._wire)
        self._passage_starts.append(start)
        self._passage_ends.append(end)
        self._kinds.append(kind)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._wire += len(text)

    def _outside_a_value(self) -> None:
        if self._value_end is not None:
            raise ValueError(f"the value that ends at {self._value_end} is still open")


def _escaped(text: str, escape: Escape | None) -> dict[str, str]:
    """The characters of the text that need an escape; each is asked for once, however often it stands there."""
    if escape is None:
        return {}
    wire_text = escape if callable(escape) else lambda char: escape.get(char, char)
    return {char: written for char in sorted(set(text)) if (written := wire_text(char)) != char}
