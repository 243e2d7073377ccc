"""A redacted text against its original: what is not in it any more, found by comparing words.

Words that stand once in both with their neighbours are taken for the same, which is fast however long the text is. What
lies between two such places is small: as many words as can be are matched in order, and among such matches the one in
the fewest stretches is taken. (`difflib` takes the longest stretch first and so loses words; matching characters marks
letters that a placeholder shares with a name.)
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from piibench_duck.names import AT_LEAST, is_text, may_be_told

MASK = "MASK"
_TOKEN = re.compile(r"[^\W_]+|_|[^\w\s]")
_NAME = r"[A-Za-z][A-Za-z0-9_ -]{0,38}"
_BRACKETS = (r"\[%s\]", r"\{%s\}", r"<%s>", r"\(%s\)")  # doubled ones hold one of these
_PLACEHOLDER = re.compile("|".join((*(one % _NAME for one in _BRACKETS), r"([*█#Xx_•])\1{2,}")))
_LABEL = re.compile(r"\W+([A-Z][A-Z_-]*?)[_ -]?\d*\W+")
_PLAIN = 40_000  # pairs of words that are compared one by one
_MOST = 250_000


class TooRepetitiveError(Exception):
    """No words stand once in both texts, and there are too many to compare all of them with each other."""


class _Token(NamedTuple):
    start: int
    end: int
    word: str  # a placeholder stands for itself with a space before it, which no word has


def removed(original: str, redacted: str) -> list[tuple[int, int, str]]:
    """Stretches of the original that the redacted text lacks, labelled by the placeholder there or `MASK`.

    Changes of white space alone are none. Raises `TooRepetitiveError`.

    >>> removed("Call Anna Smith now", "Call [NAME_1] now")
    [(5, 15, 'NAME')]
    """
    ours = list(_tokens(original, []))
    # What looks like a placeholder and stands in the original is text.
    placeholders = [found for found in _PLACEHOLDER.finditer(redacted) if found[0] not in original]
    theirs = list(_tokens(redacted, placeholders))
    numbers: dict[str, int] = {}
    a, b = ([numbers.setdefault(token.word, len(numbers)) for token in tokens] for tokens in (ours, theirs))
    found = []
    ends = [(-1, -1), *_matched(a, b, (8, 4, 2, 1)), (len(ours), len(theirs))]
    for (i, j), (next_i, next_j) in pairwise(ends):
        if next_i - i > 1:
            span = ours[i + 1].start, ours[next_i - 1].end
            instead = redacted[theirs[j + 1].start : theirs[next_j - 1].end] if next_j - j > 1 else ""
            inside = [one for one in _PLACEHOLDER.finditer(instead) if one[0] not in original]
            start, end = _trimmed(original, span, instead, inside)
            found.append((start, end, _label(inside, original, original[start:end])))
    return found


def _tokens(text: str, placeholders: Sequence[re.Match[str]]) -> Iterator[_Token]:
    at = 0
    for match in placeholders:
        yield from (_Token(*one.span(), one[0]) for one in _TOKEN.finditer(text, at, match.start()))
        yield _Token(*match.span(), f" {match[0]}")
        at = match.end()
    yield from (_Token(*one.span(), one[0]) for one in _TOKEN.finditer(text, at))


def _matched(a: Sequence[int], b: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of places of the same word, rising in both."""
    if not a or not b:
        return
    if len(a) * len(b) <= _PLAIN or not sizes:
        places_a: Sequence[int] = range(len(a))
        places_b: Sequence[int] = range(len(b))
        if len(a) * len(b) > _PLAIN:  # what the other does not have need not be compared
            there_a, there_b = {*a}, {*b}
            places_a = [place for place in places_a if a[place] in there_b]
            places_b = [place for place in places_b if b[place] in there_a]
        if len(places_a) * len(places_b) > _MOST:
            raise TooRepetitiveError
        words = [a[place] for place in places_a], [b[place] for place in places_b]
        yield from ((places_a[i], places_b[j]) for i, j in _most_words(*words))
        return
    i = j = 0
    for x, y in [*_anchors(a, b, sizes[0]), (len(a), len(b))]:
        yield from ((i + p, j + q) for p, q in _matched(a[i:x], b[j:y], sizes[1:]))
        if x < len(a):
            yield x, y
        i, j = x + 1, y + 1


def _most_words(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """The most pairs of the same word that rise in both, in the fewest stretches; in time of the product of lengths."""
    word = len(a) + len(b) + 1  # worth more than all stretches that there can be
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # of what lies before i and j
    ending = [[-1] * (len(b) + 1) for _ in range(len(a) + 1)]  # the same where both words before them are a pair
    for i, ours in enumerate(a):
        above, here, ended, ends = best[i], best[i + 1], ending[i], ending[i + 1]
        for j, theirs in enumerate(b):
            most = above[j + 1] if above[j + 1] > here[j] else here[j]
            if ours == theirs:
                paired = word + (ended[j] if ended[j] >= above[j] - 1 else above[j] - 1)
                ends[j + 1] = paired
                most = paired if paired > most else most
            here[j + 1] = most
    pairs = []
    i, j, in_pair = len(a), len(b), False
    while i and j:
        if in_pair or ending[i][j] == best[i][j]:
            pairs.append((i - 1, j - 1))
            in_pair = ending[i - 1][j - 1] >= best[i - 1][j - 1] - 1 and ending[i - 1][j - 1] >= 0
            i, j = i - 1, j - 1
        elif best[i - 1][j] == best[i][j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _anchors(a: Sequence[int], b: Sequence[int], size: int) -> list[tuple[int, int]]:
    """Pairs of places within runs of `size` words that stand once in each; the most that rise in both."""
    once_a, once_b = _once(a, size), _once(b, size)
    pairs = sorted((place, once_b[run]) for run, place in once_a.items() if run in once_b)
    lasts: list[int] = []  # the least last place in b of a rising row of each length, and which pair that is
    which: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(lasts, place)
        before.append(which[length - 1] if length else -1)
        lasts[length : length + 1] = [place]
        which[length : length + 1] = [index]
    index = which[-1] if which else -1
    chain = []
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    rising: list[tuple[int, int]] = []
    for x, y in sorted({(x + step, y + step) for x, y in chain for step in range(size)}):
        if not rising or (x > rising[-1][0] and y > rising[-1][1]):
            rising.append((x, y))
    return rising


def _once(words: Sequence[int], size: int) -> dict[tuple[int, ...], int]:
    runs = list(zip(*(words[start:] for start in range(size)), strict=False))
    often = Counter(runs)
    return {run: place for place, run in enumerate(runs) if often[run] == 1}


def _trimmed(original: str, span: tuple[int, int], instead: str, found: Sequence[re.Match[str]]) -> tuple[int, int]:
    """The span without what stands around the placeholders there too, as in `J***` for John."""
    start, end = span
    if not found:
        return span
    before, behind = instead[: found[0].start()], instead[found[-1].end() :]
    surface = original[start:end]
    if len(before) + len(behind) < len(surface) and surface.startswith(before) and surface.endswith(behind):
        return start + len(before), end - len(behind)
    return span


def _label(found: Sequence[re.Match[str]], original: str, surface: str) -> str:
    """The word of the one placeholder in capitals, unless it may be text."""
    named = _LABEL.fullmatch(found[0][0]) if len(found) == 1 else None
    if named is None:
        return MASK
    label = named[1]
    is_ours = not is_text(label, label) and len(label) >= AT_LEAST  # labels of the seeds are names wherever they stand
    return label if (is_ours or may_be_told(label, original)) and not is_text(label, surface) else MASK
