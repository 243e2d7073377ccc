"""Windows of words: they cover a text within their limits, and what a model finds in them comes out whole and once."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck.runners import Span
from piibench_duck.runners._word_windows import Found, cut, merged

costs_ = st.lists(st.integers(0, 6), max_size=60)


@settings(deadline=None)
@given(costs=costs_, size=st.integers(1, 12), budget=st.none() | st.integers(1, 20), share=st.integers(0, 11))
def test_windows_cover_all_words_within_size_and_budget(
    costs: list[int], size: int, budget: int | None, share: int
) -> None:
    stride = min(share, size - 1)
    windows = cut(costs, size, budget, stride)
    covered: set[int] = set()
    for start, end in windows:
        assert 0 <= start < end <= len(costs)
        assert end - start <= size
        assert budget is None or end - start == 1 or sum(costs[start:end]) <= budget
        covered |= set(range(start, end))
    assert covered == set(range(len(costs)))
    for (start, end), (next_start, next_end) in pairwise(windows):
        assert start < next_start <= end < next_end
        whole = stride if end - start == size else min(stride, (end - start) // 2)
        one_more = costs[next_start - 1 : end + 1]  # of the words before, with the first that is new
        has_room = len(one_more) <= size and (budget is None or sum(one_more) <= budget)
        assert end - next_start >= whole or not has_room or next_start - 1 == start


@settings(deadline=None)
@given(
    names=st.lists(st.integers(1, 3), min_size=1, max_size=12),
    gaps=st.lists(st.integers(1, 5), min_size=13, max_size=13),
    size=st.integers(4, 12),
    is_flat=st.booleans(),
)
def test_what_is_found_in_windows_is_what_is_there(names: list[int], gaps: list[int], size: int, is_flat: bool) -> None:
    words: list[str] = []
    truth: list[tuple[int, int]] = []
    for gap, name in zip(gaps, names, strict=False):
        words += ["x"] * gap
        begin = len(" ".join(words)) + 1
        words += ["A"] * name
        truth.append((begin, begin + 2 * name - 1))
    words += ["x"] * gaps[-1]
    text = " ".join(words)
    windows = [(2 * start, 2 * end - 1) for start, end in cut([1] * len(words), size, None, 3)]
    found = [
        Found(Span(start + place, start + place + length, "NAME", 0.5), index)
        for index, (start, end) in enumerate(windows)
        for place, length in runs(text[start:end])
    ]
    assert [(span.start, span.end) for span in merged(found, windows, is_flat)] == truth


def runs(piece: str) -> list[tuple[int, int]]:
    """Each stretch of A in a piece, as a model that sees no further would have it."""
    found: list[tuple[int, int]] = []
    place = 0
    while (place := piece.find("A", place)) >= 0:
        end = place
        while piece[end : end + 2] in ("A ", "A"):
            end += 2
        found.append((place, end - 1 - place))
        place = end
    return found


def _found(window: int, start: int, length: int, label: str, score: int) -> Found:
    begin = 6 * window + start
    return Found(Span(begin, begin + min(length, 10 - start), label, score / 9), window)


places = (st.integers(0, 3), st.integers(0, 9), st.integers(1, 4))


@settings(deadline=None)
@given(
    found=st.lists(st.builds(_found, *places, st.sampled_from("AB"), st.integers(0, 9))),
    is_flat=st.booleans(),
)
def test_a_finding_is_kept_or_gives_way_to_one_that_it_overlaps(found: list[Found], is_flat: bool) -> None:
    windows = [(0, 10), (6, 16), (12, 22), (18, 28)]
    kept = merged(found, windows, is_flat)
    places = [span[:3] for span in kept]
    assert len(set(places)) == len(places)
    assert set(kept) <= {one.span for one in found}
    for one in found:
        assert any(one.span.start < other.end and other.start < one.span.end for other in kept)
    if is_flat:
        characters = [char for span in kept for char in range(span.start, span.end)]
        assert len(set(characters)) == len(characters)
    assert merged(found[::-1], windows, is_flat) == kept
