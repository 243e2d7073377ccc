"""GermEval 2014: a token a line with two layers of BIO tags, sentences under the address they were taken from."""

import hashlib
import re
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import gold, lines_of, record
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source

_LAYERS = ("outer", "inner")


class _Sentence(NamedTuple):
    where: str
    tokens: list[str]
    tags: tuple[list[str], list[str]]


def read(root: Path, source: Source) -> Reading:
    """Sentences of one source line are one document; tokens are joined by single spaces, sentences by a line end.

    Both layers become spans, under the labels they have. The document id is a digest, since addresses hold names.
    """
    counts: Counter[str] = Counter(sentences=0, outer=0, inner=0, inside_without_begin=0)
    documents = []
    for path in source.paths:
        split = PurePosixPath(path).stem.rpartition("-")[2]
        for header, sentences in _sentences(root / path).items():
            digest = hashlib.sha256(header.encode()).hexdigest()[:16]
            documents.append(_document(f"{split}-{digest}", split, sentences, counts))
    return Reading(documents, dict(counts))


def _sentences(path: Path) -> dict[str, list[_Sentence]]:
    by_header: dict[str, list[_Sentence]] = defaultdict(list)
    sentence: _Sentence | None = None
    for number, line in lines_of(path):
        where = f"{path.name}, line {number}"
        if line.startswith("#\t"):
            sentence = _Sentence(where, [], ([], []))
            by_header[line.rstrip()].append(sentence)
        elif line:
            with record(where):
                _, token, outer, inner = line.split("\t")
                if sentence is None:
                    raise PiibenchError(f"{where}: a token stands before the first source line")
                sentence.tokens.append(token)
                sentence.tags[0].append(outer)
                sentence.tags[1].append(inner)
    return by_header


def _document(doc_id: str, split: str, sentences: list[_Sentence], counts: Counter[str]) -> Document:
    text = "\n".join(" ".join(sentence.tokens) for sentence in sentences)
    starts: list[int] = []
    spans: list[Gold] = []
    at = 0
    for sentence in sentences:
        starts.append(at)
        bounds = []
        for token in sentence.tokens:
            bounds.append((at, at + len(token)))
            at += len(token) + 1
        counts["sentences"] += 1
        for layer, tags in zip(_LAYERS, sentence.tags, strict=True):
            found = _entities(sentence.where, tags, counts)
            counts[layer] += len(found)
            spans.extend(gold(sentence.where, text, bounds[i][0], bounds[j][1], label) for i, j, label in found)
    return Document(doc_id, split, text, tuple(spans), tuple(starts), {})


def _entities(where: str, tags: list[str], counts: Counter[str]) -> list[tuple[int, int, str]]:
    """First token, last token and label of each BIO run; an `I-` that continues nothing begins one, and is counted."""
    entities: list[tuple[int, int, str]] = []
    for index, tag in enumerate(tags):
        if tag == "O":
            continue
        if not (match := re.fullmatch("([BI])-(.+)", tag)):
            raise PiibenchError(f"{where}: token {index + 1} has a tag that is not BIO")
        continues = bool(entities) and entities[-1][1:] == (index - 1, match[2])
        if match[1] == "I" and continues:
            entities[-1] = (entities[-1][0], index, match[2])
        else:
            counts["inside_without_begin"] += match[1] == "I"
            entities.append((index, index, match[2]))
    return entities
