"""Spans given as a label for each token of a text."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from piibench_duck.interchange.records import Fault
from piibench_duck.json_types import word

MASK = "MASK"
_OUTSIDE = ("O", "NO_MASK")
_WORD = re.compile(r"\w")


class Tokens(NamedTuple):
    """Where tokens lie in their text; `is_whole` where they are known to reach all of it but white space."""

    offsets: list[tuple[int, int]]
    is_whole: bool


def spans(offsets: Sequence[tuple[int, int]], labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Spans `(start, end, type)` of labels that `fault` finds nothing wrong with, from first token to last.

    B begins a span, also beside another; I and MASK go on with one of their type, or begin one where there is none.

    >>> spans([(0, 3), (4, 7), (8, 11)], ["B-PER", "I-PER", "MASK"])
    [(0, 7, 'PER'), (8, 11, 'MASK')]
    """
    found: list[tuple[int, int, str]] = []
    before = ""
    for (start, end), label in zip(offsets, labels, strict=True):
        if label in _OUTSIDE:
            before = ""
            continue
        prefix, _, kind = ("I", "", MASK) if label == MASK else label.partition("-")
        kind = kind or MASK
        if prefix == "I" and kind == before:
            found[-1] = (found[-1][0], end, kind)
        else:
            found.append((start, end, kind))
        before = kind
    return found


def fault(labels: object, n_tokens: int) -> Fault | None:
    """Why these are no labels of so many tokens; never says what stands there instead."""
    if not isinstance(labels, list):
        return Fault("bad_schema", f"'labels' is {word(labels)}, an array was expected")
    for index, label in enumerate(labels):
        if not isinstance(label, str) or not (label in (MASK, *_OUTSIDE, "B", "I") or label.startswith(("B-", "I-"))):
            return Fault("bad_schema", f"labels[{index}] is none of {MASK}, NO_MASK, O, B-… and I-…")
    if len(labels) != n_tokens:
        return Fault("bad_schema", f"{len(labels)} labels for {n_tokens} tokens")
    return None


def place(tokens: Sequence[str], text: str) -> Tokens | Fault:
    """Tokens found from left to right, with only white space between them; or the first that is not there.

    >>> place(["Ana", "Fox"], "Ana  Fox left")
    Tokens(offsets=[(0, 3), (5, 8)], is_whole=False)
    """
    offsets = []
    at = 0
    for index, token in enumerate(tokens):
        if not token:
            return Fault("empty_span", f"tokens[{index}] is empty")
        start = at
        while not text.startswith(token, start):  # a token may itself be white space
            if start == len(text) or not text[start].isspace():
                return Fault("surface_mismatch", f"tokens[{index}] is not what the text has from code point {at}")
            start += 1
        at = start + len(token)
        offsets.append((start, at))
    return Tokens(offsets, not text[at:].strip())


def reach_all(offsets: Sequence[tuple[int, int]], text: str) -> bool:
    """Whether no word of the text stands behind the last token; offsets may leave out what is no word.

    >>> reach_all([(0, 3)], "Ana ."), reach_all([(0, 3)], "Ana Fox")
    (True, False)
    """
    return _WORD.search(text, offsets[-1][1] if offsets else 0) is None


def disorder(offsets: Sequence[tuple[int, int]]) -> list[Fault]:
    """Where offsets are not those of tokens in their order, of which none begins before the one before it ends."""
    at = 0
    for index, (start, end) in enumerate(offsets):
        if start < at:
            return [Fault("bad_schema", f"tokens[{index}] begins before tokens[{index - 1}] ends")]
        at = end
    return []
