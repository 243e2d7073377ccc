"""Long texts in pieces that a model can take: windows over tokens, and which window answers for which token."""

from itertools import pairwise
from typing import NamedTuple


class Window(NamedTuple):
    """Tokens `[start, end)`; the window's answer counts for those in `[keep_start, keep_end)`, which tile the text."""

    start: int
    end: int
    keep_start: int
    keep_end: int


def windows(n_tokens: int, size: int, stride: int) -> list[Window]:
    """Windows of `size` tokens, neighbours sharing at least `stride`; the last is moved back to be full.

    A token belongs to the window in which it is farthest from a cut, so seams lie in the middle of the shared tokens.

    >>> [(w.start, w.end, w.keep_start, w.keep_end) for w in windows(10, 6, 2)]
    [(0, 6, 0, 5), (4, 10, 5, 10)]
    """
    if n_tokens <= size:
        return [Window(0, n_tokens, 0, n_tokens)]
    starts = [*range(0, n_tokens - size, size - stride), n_tokens - size]
    seams = [0, *((start + before + size) // 2 for before, start in pairwise(starts)), n_tokens]
    return [Window(start, start + size, *keep) for start, keep in zip(starts, pairwise(seams), strict=True)]
