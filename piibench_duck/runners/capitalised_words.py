"""Marks each word that begins with a capital letter; finds nothing in scripts that have none."""

import unicodedata
from collections.abc import Mapping

from piibench_duck.runners import Detector, Span
from piibench_duck.runners._options import no_model, only
from piibench_duck.runners._simple import own


def _continues(char: str) -> bool:
    # str.isalnum and \w leave out combining marks, which would cut a decomposed é in two.
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def find(text: str) -> list[Span]:
    """One span a word.

    >>> [text[s.start : s.end] for text in ["Anna O'Brien, 2nd"] for s in find(text)]
    ['Anna', 'O', 'Brien']
    """
    spans = []
    start = None
    for index, char in enumerate(text + " "):
        if start is None and _continues(char):
            start = index
        elif start is not None and not _continues(char):
            if unicodedata.category(text[start]) in ("Lu", "Lt"):
                spans.append(Span(start, index, "OTHER"))
            start = None
    return spans


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    no_model("capitalised-words", model, revision)
    only("capitalised-words", options, ())
    return own("baseline", "capitalised-words", find)
