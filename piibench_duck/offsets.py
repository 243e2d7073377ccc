"""Spans in code points, and offsets that other tools count in UTF-16 units or bytes."""

from collections.abc import Sequence
from enum import Enum
from typing import Literal

OffsetUnit = Literal["codepoint", "utf16", "byte"]
OFFSET_UNITS: tuple[OffsetUnit, ...] = ("codepoint", "utf16", "byte")


class Misplaced(Enum):
    """Why an offset has no code point; the values are the door's reasons."""

    OUT_OF_RANGE = "out_of_range"
    SPLITS_A_CHARACTER = "splits_a_character"


def length(text: str, unit: OffsetUnit) -> int:
    """The length of `text` in `unit`."""
    if unit == "codepoint" or text.isascii():
        return len(text)
    return len(text.encode()) if unit == "byte" else len(text.encode("utf-16-le")) // 2


def to_code_points(text: str, unit: OffsetUnit, offsets: Sequence[int]) -> list[int | Misplaced]:
    """Each offset of `text`, counted in `unit`, as a code point; in time linear in the text, however many there are.

    >>> to_code_points("🙂 Ana", "utf16", [3, 6])
    [2, 5]
    """
    if unit == "codepoint" or text.isascii():
        n_chars = len(text)
        return [offset if 0 <= offset <= n_chars else Misplaced.OUT_OF_RANGE for offset in offsets]
    if unit == "byte":
        codec, width, encoded = "utf-8", 1, text.encode()
    else:
        codec, width, encoded = "utf-16-le", 2, text.encode("utf-16-le")
    end = len(encoded) // width
    found: dict[int, int | Misplaced] = {}
    reached = n_chars = 0
    for offset in sorted(set(offsets)):
        if not 0 <= offset <= end:
            found[offset] = Misplaced.OUT_OF_RANGE
        elif offset < end and _is_continuation(encoded, offset, unit):
            found[offset] = Misplaced.SPLITS_A_CHARACTER
        else:
            n_chars += len(encoded[reached * width : offset * width].decode(codec))
            reached = offset
            found[offset] = n_chars
    return [found[offset] for offset in offsets]


def _is_continuation(encoded: bytes, offset: int, unit: OffsetUnit) -> bool:
    """Whether the unit at `offset` continues a character: a later byte of UTF-8, or a low surrogate."""
    if unit == "byte":
        return encoded[offset] & 0xC0 == 0x80
    return encoded[2 * offset + 1] & 0xFC == 0xDC
