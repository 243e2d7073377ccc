"""From the tags of tokens to spans: of each token by itself, of tokens joined, or of words that take one tag each."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from piibench_duck.runners import Span

_PREFIXED = re.compile(r"([BIESLU])[-_](.+)", re.DOTALL)
# Scripts that write no spaces: a run of them is no word, so each piece stands for itself.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Tag(NamedTuple):
    """What a label of a model says: the entity's type (None for outside) and whether the entity began before."""

    type: str | None
    is_inside: bool


class Tagged(NamedTuple):
    """The tokens of a text: where each lies, in which of the tokenizer's words, its likeliest label and how likely."""

    offsets: Sequence[tuple[int, int]]  # code points
    words: Sequence[int | None]
    labels: list[int]  # ids
    scores: list[float]
    odds: list[Any]  # an array of the probability of each label, for each token; empty unless `average` needs it


class _Unit(NamedTuple):
    """What gets one tag: a word or a token."""

    start: int
    end: int
    label: int
    score: float


def tags(labels: Mapping[int, str]) -> list[Tag]:
    """The tags of a label list by id, in BIO, BIOES, BILOU, IO or bare labels (`PER`), with O for outside.

    Bare labels and IO do not say where an entity begins, so there every word may go on with the one before.
    """
    named = [labels[index] for index in sorted(labels)]
    inside = [label for label in named if label not in ("O", "o")]
    matches = [_PREFIXED.fullmatch(label) for label in inside]
    if all(matches):
        parts = {label: (m.group(1), m.group(2)) for label, m in zip(inside, matches, strict=True) if m}
        return [Tag(parts[x][1], parts[x][0] in "IEL") if x in parts else Tag(None, False) for x in named]
    return [Tag(x, True) if x in inside else Tag(None, False) for x in named]


def spans(text: str, tokens: Tagged, tags: Sequence[Tag], aggregation: str, threshold: float = 0.0) -> list[Span]:
    """The spans that the tokens of a text amount to; `score` is the mean over the words or tokens of a span.

    `first`, `max` and `average` give each word a tag, that of its first token, of its surest or of the mean of all, and
    join neighbouring words of one type where the later says that it goes on (I-) and where they touch: `anna.b@c.org`
    is one span even if each of its parts says B-. A full stop that is outside still parts them. `simple` joins
    neighbouring tokens of one type unless the later begins one (B-), and `none` joins nothing; neither looks at words.
    The five names and what they mean for a word are those of the token-classification pipeline of transformers.
    """
    by_words = aggregation not in ("simple", "none")
    units = _words(text, tokens, aggregation) if by_words else _each(tokens)
    found: list[tuple[int, int, str, list[float]]] = []
    before: str | None = None
    for unit in units:
        kind, is_inside = tags[unit.label]
        if unit.score < threshold:
            kind = None
        if kind is not None:
            goes_on = is_inside or (by_words and unit.start == found[-1][1]) if kind == before else False
            if goes_on and aggregation != "none":
                start, end, _, scores = found[-1]
                scores.append(unit.score)
                found[-1] = (start, max(end, unit.end), kind, scores)
            else:
                found.append((unit.start, unit.end, kind, [unit.score]))
        before = kind
    made = []
    for start, end, kind, scores in found:
        start, end = _trimmed(text, start, end)
        if start < end:
            made.append(Span(start, end, kind, round(sum(scores) / len(scores), 6)))
    return made


def _each(tokens: Tagged) -> Iterator[_Unit]:
    for (start, end), label, score in zip(tokens.offsets, tokens.labels, tokens.scores, strict=True):
        yield _Unit(start, end, label, score)


def _words(text: str, tokens: Tagged, aggregation: str) -> Iterator[_Unit]:
    """Words without blank edges, each with one tag.

    Punctuation is a word of its own even where a tokenizer cuts words at spaces only; where a tokenizer knows no words,
    letters and digits that touch are one. A word whose first token is the blank before it (`▁`, `Ġ`) has that token's
    say too, since models are trained on it.
    """
    start = end = 0
    word: int | None = None
    parts: list[int] = []
    blanks: list[int] = []  # tokens of the word that is to come
    for index, (low, high) in enumerate(tokens.offsets):
        low, high = _trimmed(text, low, high)
        if blanks and tokens.words[index] != tokens.words[blanks[0]]:
            blanks = []
        if low == high:
            blanks += [index] if tokens.words[index] is not None and not (parts and tokens.words[index] == word) else []
            continue
        if parts and tokens.words[index] == word and _goes_on(text, end, low):
            end = max(end, high)
            parts.append(index)
            continue
        if parts:
            yield _Unit(start, end, *_tag(tokens, parts, aggregation))
        start, end, word, parts = low, high, tokens.words[index], [*blanks, index]
        blanks = []
    if parts:
        yield _Unit(start, end, *_tag(tokens, parts, aggregation))


def _tag(tokens: Tagged, parts: Sequence[int], aggregation: str) -> tuple[int, float]:
    """Label and confidence of a word that is made of these tokens."""
    if len(parts) > 1 and aggregation == "average":
        mean = sum(tokens.odds[part] for part in parts) / len(parts)
        label = int(mean.argmax())
        return label, float(mean[label])
    chosen = max(parts, key=tokens.scores.__getitem__) if aggregation == "max" else parts[0]
    return tokens.labels[chosen], tokens.scores[chosen]


def _goes_on(text: str, end: int, start: int) -> bool:
    """Whether what begins at `start` belongs to the word that has come to `end`."""
    if start != end:
        return start < end  # bytes of one character, each a token of its own
    last, first = text[end - 1], text[start]
    return _is_letter(last) and _is_letter(first) and not (_UNSPACED.match(last) or _UNSPACED.match(first))


def _is_letter(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without blanks at the edges, and with the marks behind it that a tokenizer drops from a decomposed letter."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    while start < end < len(text) and text[end] > "\u02ff" and unicodedata.category(text[end])[0] == "M":
        end += 1
    return start, end
