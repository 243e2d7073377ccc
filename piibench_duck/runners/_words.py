"""From the tags of word pieces to spans: a word takes its first piece's tag, and words of one entity are joined."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

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


class Piece(NamedTuple):
    """A token of the text: code points `[start, end)`, which word the tokenizer puts it in, its tag and confidence."""

    start: int
    end: int
    word: int | None
    tag: Tag
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


def spans(text: str, pieces: Iterable[Piece], threshold: float = 0.0) -> list[Span]:
    """The spans that the pieces of a text amount to; `score` is the mean over its words.

    Neighbouring words of one type are joined where the later says that it goes on (I-) and where they touch:
    `anna.b@c.org` is one span even if each of its parts says B-. A full stop that is outside still parts them.
    """
    found: list[tuple[int, int, str, list[float]]] = []
    before: str | None = None
    for word in _words(text, pieces):
        kind = word.tag.type if word.score >= threshold else None
        if kind is not None:
            if kind == before and (word.tag.is_inside or word.start == found[-1][1]):
                start, _, _, scores = found[-1]
                found[-1] = (start, word.end, kind, [*scores, word.score])
            else:
                found.append((word.start, word.end, kind, [word.score]))
        before = kind
    return [Span(start, end, kind, round(sum(scores) / len(scores), 6)) for start, end, kind, scores in found]


def _words(text: str, pieces: Iterable[Piece]) -> Sequence[Piece]:
    """Pieces without blank edges, those of one word made into one that keeps the first one's tag and score.

    Punctuation is a word of its own even where a tokenizer cuts words at spaces only.
    """
    words: list[Piece] = []
    for piece in pieces:
        start, end = _trimmed(text, piece.start, piece.end)
        if start == end:
            continue
        if words and piece.word == words[-1].word and _goes_on(text, words[-1], start):
            words[-1] = words[-1]._replace(end=max(end, words[-1].end))
        else:
            words.append(piece._replace(start=start, end=end))
    return words


def _goes_on(text: str, word: Piece, start: int) -> bool:
    if word.word is None or start > word.end:
        return False
    if start < word.end:  # bytes of one character, each a piece of its own
        return True
    last, first = text[word.end - 1], text[start]
    return _is_letter(last) and _is_letter(first) and not (_UNSPACED.match(last) or _UNSPACED.match(first))


def _is_letter(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without blanks at the edges, and with the marks behind it that a tokenizer drops from a decomposed letter."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    while start < end < len(text) and unicodedata.category(text[end])[0] == "M":
        end += 1
    return start, end
