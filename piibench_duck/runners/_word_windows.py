"""Long texts in windows of words, for models that answer with spans, and their answers put together again."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from piibench_duck.runners import Span


class Found(NamedTuple):
    """A span that a window answered with; offsets are those of the text."""

    span: Span
    window: int


def cut(costs: Sequence[int], size: int, budget: int | None, stride: int) -> list[tuple[int, int]]:
    """Windows `[start, end)` over words, none longer than `size` or dearer than `budget`, neighbours sharing `stride`.

    `costs` are the tokens of each word. A word that is dearer than the budget has a window to itself. Windows that the
    budget cuts short share half of their words at most, and fewer where the next would have no room for a new one. The
    last is as long as fits.

    >>> cut([1] * 10, 6, None, 2)
    [(0, 6), (4, 10)]
    >>> cut([1, 1, 9, 1], 4, 3, 1)
    [(0, 2), (2, 3), (3, 4)]
    """
    n_words = len(costs)
    paid = [0]
    for cost in costs:
        paid.append(paid[-1] + cost)

    def fits(start: int, end: int) -> bool:
        return end - start <= size and (budget is None or paid[end] - paid[start] <= budget or end - start == 1)

    found: list[tuple[int, int]] = []
    start = end = 0
    while end < n_words:
        while end < n_words and fits(start, end + 1):
            end += 1
        if end == n_words:
            least = found[-1][0] + 1 if found else 0
            while start > least and fits(start - 1, end):
                start -= 1
        found.append((start, end))
        shared = stride if end - start == size else min(stride, (end - start) // 2)
        start = max(start + 1, end - shared)
        while end < n_words and not fits(start, end + 1):
            start += 1
    return found


def merged(found: Iterable[Found], windows: Sequence[tuple[int, int]], is_flat: bool) -> list[Span]:
    """The spans of a text in order, from what its `windows` (in code points) answered.

    The window that sees a span farthest from a cut is heard first; what the others say counts where that leaves
    nothing, so that no finding is lost to two windows that each leave it to the other. Where `is_flat`, no spans
    overlap, and the surer wins; else those of the windows heard first all stay.
    """
    if len(windows) < 2:
        return sorted(one.span for one in found)
    ordered = sorted((one.window != _owner(one.span, windows), -(one.span.score or 0.0), one.span) for one in found)
    kept: list[Span] = []
    for is_second, _, span in ordered:
        same = any(span[:3] == other[:3] for other in kept)
        if same or ((is_flat or is_second) and any(_overlap(span, other) for other in kept)):
            continue
        kept.append(span)
    return sorted(kept)


def _owner(span: Span, windows: Sequence[tuple[int, int]]) -> int:
    """The window in which a span is farthest from a cut; the ends of the text are none."""
    last = len(windows) - 1
    distances = {
        index: min(
            math.inf if index == 0 else span.start - start,
            math.inf if index == last else end - span.end,
        )
        for index, (start, end) in enumerate(windows)
        if start <= span.start and span.end <= end
    }
    return max(distances, key=lambda index: (distances[index], -index))


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
