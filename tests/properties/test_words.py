"""Aggregations against definitions written out anew: what a word's tag is, and which neighbours are one span."""

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck.runners._words import Tagged, spans, tags

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


class Case(NamedTuple):
    """Words of letters, each cut into pieces, with one blank between them; a row of `odds` for each piece."""

    words: list[list[str]]
    odds: np.ndarray

    @property
    def text(self) -> str:
        return " ".join("".join(pieces) for pieces in self.words)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    words = draw(st.lists(st.lists(st.text("abcé", min_size=1, max_size=3), min_size=1, max_size=4), max_size=8))
    n_pieces = sum(map(len, words))
    weights = st.lists(st.integers(1, 20), min_size=len(LABELS), max_size=len(LABELS))
    drawn = draw(st.lists(weights, min_size=n_pieces, max_size=n_pieces))
    raw = np.array(drawn, np.float32).reshape(n_pieces, len(LABELS))
    return Case(words, raw / raw.sum(axis=1, keepdims=True))


def tagged(case: Case) -> Tagged:
    offsets, of_words = [], []
    at = 0
    for word, pieces in enumerate(case.words):
        for piece in pieces:
            offsets.append((at, at + len(piece)))
            of_words.append(word)
            at += len(piece)
        at += 1
    labels, scores = case.odds.argmax(axis=1).tolist(), case.odds.max(axis=1).tolist()
    return Tagged(offsets, of_words, labels, scores, list(case.odds))


def units(case: Case, aggregation: str) -> list[tuple[int, int, str, float]]:
    """Start, end, label and score of what has a tag of its own."""
    made = []
    at = row = 0
    for pieces in case.words:
        of_word = case.odds[row : row + len(pieces)]
        row += len(pieces)
        if aggregation in ("simple", "none"):
            begin = at
            for piece, odds in zip(pieces, of_word, strict=True):
                made.append((begin, begin + len(piece), LABELS[int(np.argmax(odds))], float(np.max(odds))))
                begin += len(piece)
        else:
            odds = {
                "first": of_word[0],
                "max": of_word[int(np.argmax(np.max(of_word, axis=1)))],
                "average": np.mean(of_word, axis=0),
            }[aggregation]
            made.append((at, at + sum(map(len, pieces)), LABELS[int(np.argmax(odds))], float(np.max(odds))))
        at += sum(map(len, pieces)) + 1
    return made


def joined(case: Case, aggregation: str, threshold: float) -> list[tuple[int, int, str, float]]:
    groups: list[list[tuple[int, int, str, float]]] = []
    last = "O"
    for unit in units(case, aggregation):
        label = unit[2] if unit[3] >= threshold else "O"
        if label != "O":
            if aggregation != "none" and label[0] == "I" and last[2:] == label[2:]:
                groups[-1].append(unit)
            else:
                groups.append([unit])
        last = label
    return [(group[0][0], group[-1][1], group[0][2][2:], sum(u[3] for u in group) / len(group)) for group in groups]


@settings(deadline=None, max_examples=400)
@given(cases(), st.sampled_from(["first", "max", "average", "simple", "none"]), st.sampled_from([0.0, 0.3, 0.6]))
def test_words_and_neighbours_are_what_the_definitions_say(case: Case, aggregation: str, threshold: float):
    wanted = joined(case, aggregation, threshold)
    found = spans(case.text, tagged(case), tags(dict(enumerate(LABELS))), aggregation, threshold)
    assert [(span.start, span.end, span.label) for span in found] == [want[:3] for want in wanted]
    np.testing.assert_allclose([span.score or 0 for span in found], [want[3] for want in wanted], atol=2e-6)


def test_the_blank_before_a_word_has_a_say_in_its_tag_and_no_place_in_its_span() -> None:
    odds = np.eye(len(LABELS), dtype=np.float32)
    blank, word = odds[LABELS.index("O")], odds[LABELS.index("B-PER")]

    def found(
        first: np.ndarray, second: np.ndarray, words: list[int | None], aggregation: str
    ) -> list[tuple[int, int]]:
        both = np.stack([first, second]) * 0.8 + 0.04
        labels, scores = both.argmax(axis=1).tolist(), both.max(axis=1).tolist()
        given = Tagged([(3, 4), (4, 8)], words, labels, scores, list(both))
        return [
            (span.start, span.end) for span in spans("Say Anna.", given, tags(dict(enumerate(LABELS))), aggregation)
        ]

    assert found(word, blank, [1, 1], "first") == [(4, 8)]  # as `▁` of a word whose label stands on its first token
    assert found(blank, word, [1, 1], "first") == []
    assert found(blank, word, [0, 1], "first") == [(4, 8)]  # a blank that is no part of the word
    assert found(blank, word, [None, None], "first") == [(4, 8)]
    assert found(word, blank, [1, 1], "simple") == []  # the blank alone, which leaves nothing
