"""Documents cut into passages: sentences packed up to a length, never through a span."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import unicode_segmentation_rs

from piibench_duck.corpora import Document
from piibench_duck.errors import PiibenchError
from piibench_duck.names import told

# What a full stop after it need not end: one or two letters, letters between full stops (z.B.), and these.
_ABBREVIATIONS = (
    *("abs", "arts?", "bzw", "capt", "col", "corp", "dipl", "dña", "dra?s?", "frl", "gen", "gov", "hon", "hrn", "ing"),
    *("lic", "ltd", "mag", "maj", "messrs", "mlle", "mme", "mrs", "pres", "prof", "rep", "rev", "sen", "sgt", "sra?s?"),
    *(
        "sres",
        "srta",
        "ste",
        "str",
        "tel",
        "vgl",
        "акад",
        "гор",
        "гос",
        "доц",
        "обл",
        "проф",
        "ред",
        "стр",
        "тел",
        "тов",
    ),
)
_ABBREVIATION = re.compile(
    rf"(?<![^\W_])(?:[^\W\d_]{{1,2}}|(?:[^\W\d_]+\.)+[^\W\d_]+|{'|'.join(_ABBREVIATIONS)})\.[^\S\r\n]*\Z",
    re.IGNORECASE,
)
_LOOK_BACK = 40  # code points in which an abbreviation and the white space behind it are looked for

LONGEST = 400
"""Code points that a passage has at most, unless one sentence or span needs more."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The piece `[start, end)` of a document. `value_bounds` are its sentences, relative to `start`, and partition it.

    A sentence that ends inside a span goes on to the end of the next one, so neither passages nor values cut spans.
    """

    index: int
    start: int
    end: int
    value_bounds: tuple[tuple[int, int], ...]
    is_long: bool  # more than LONGEST


def cut(document: Document) -> list[Passage]:
    """Passages that partition the document, in order.

    Where the source comes as sentences, each is a passage of one value. Raises where the source's own sentences cut a
    span.
    """
    if document.passage_starts is not None:
        return _given(document, document.passage_starts)
    try:
        sentences = _sentences(document.text, _places(document))
    except UnicodeEncodeError as error:
        raise PiibenchError(f"{_told(document)}: has a lone surrogate at code point {error.start}") from error
    return [
        _passage(index, _past_abbreviations(document.text, packed)) for index, packed in enumerate(_packed(sentences))
    ]


def values(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences of a text, which partition it; one that ends inside a span goes on to the end of the next one.

    So does one that ends in what may be an abbreviation: what stands before a name, a title say, must not be torn from
    it, or a carrier that spreads its values would be blamed for what the break does.

    >>> values("Call Dr. Fox of Fox and Co. Now. Thanks.", [(16, 27)])
    [(0, 33), (33, 40)]
    """
    return _past_abbreviations(text, _sentences(text, spans))


def _sentences(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return list(pairwise([0, *_outside_spans(_sentence_ends(text), spans)]))


def _past_abbreviations(text: str, sentences: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sentences:
        if joined and _ABBREVIATION.search(text, max(joined[-1][0], joined[-1][1] - _LOOK_BACK), joined[-1][1]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _told(document: Document) -> str:
    return f"document {told(document.doc_id, document.text, 'without a name')}"


def _places(document: Document) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in document.spans]


def _given(document: Document, starts: Sequence[int]) -> list[Passage]:
    ends = [*starts[1:], len(document.text)]
    if not document.text and not starts:
        return []
    if list(starts[:1]) != [0] or any(start >= end for start, end in zip(starts, ends, strict=True)):
        raise PiibenchError(f"{_told(document)}: its sentences do not partition it")
    if _outside_spans(ends, _places(document)) != ends:
        raise PiibenchError(f"{_told(document)}: one of its sentences ends inside a span")
    return [_passage(index, [bounds]) for index, bounds in enumerate(zip(starts, ends, strict=True))]


def _passage(index: int, values: Sequence[tuple[int, int]]) -> Passage:
    start, end = values[0][0], values[-1][1]
    bounds = tuple((value_start - start, value_end - start) for value_start, value_end in values)
    return Passage(index, start, end, bounds, end - start > LONGEST)


def _packed(values: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """As many whole values as fit, then the next; one that does not fit at all stands alone."""
    packed: list[tuple[int, int]] = []
    for value in values:
        if packed and value[1] - packed[0][0] > LONGEST:
            yield packed
            packed = []
        packed.append(value)
    if packed:
        yield packed


def _sentence_ends(text: str) -> list[int]:
    """Ends of the sentences of UAX #29. What holds neither letter nor digit goes with the sentence before it.

    The library leaves such pieces out. What lies between two sentences then has no letter or digit, so the first place
    where a sentence is found is its own.
    """
    if not text:
        return []
    starts = []
    at = 0
    for sentence in unicode_segmentation_rs.unicode_sentences(text):
        starts.append(text.index(sentence, at))
        at = starts[-1] + len(sentence)
    return [*starts[1:], len(text)]


def _outside_spans(ends: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Those ends that lie strictly inside no span."""
    kept = []
    waiting = sorted(spans)
    reached = at = 0  # the furthest end of the spans that begin before an end
    for end in ends:
        while at < len(waiting) and waiting[at][0] < end:
            reached = max(reached, waiting[at][1])
            at += 1
        if reached <= end:
            kept.append(end)
    return kept
