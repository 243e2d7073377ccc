"""IAHLT Wikipedia: CoNLL-U with nested entities as brackets in MISC, e.g. `Entity=(GPE)ORG)`."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import conllu
from conllu.models import TokenList

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import gold, record, slices_of, text_of
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source

_BRACKET = re.compile(r"\((?P<whole>\w+)\)|\((?P<opens>\w+)|(?P<closes>\w+)\)")


class _Sentence(NamedTuple):
    text: str
    begins_paragraph: bool
    spans: list[Gold]


def read(root: Path, source: Source) -> Reading:
    """Sentences are joined by a space, paragraphs by a line end.

    Document ids are digests, since those of the source name people.
    A bracket that its sentence never closes, or never opened, is dropped and counted.
    """
    counts: Counter[str] = Counter(sentences=0, unclosed_brackets=0, unopened_brackets=0)
    documents = []
    for path in source.paths:
        split = PurePosixPath(path).stem.rpartition("-")[2]
        for name, domain, sentences in _articles(root / path, counts):
            doc_id = f"{split}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
            documents.append(_joined(doc_id, split, sentences, slices_of(domain=domain)))
    return Reading(documents, dict(counts))


def _articles(path: Path, counts: Counter[str]) -> Iterator[tuple[str, str | None, list[_Sentence]]]:
    article: tuple[str, str | None, list[_Sentence]] | None = None
    text = text_of(path)
    with record(path.name):
        parsed = conllu.parse(text)
    for index, tokens in enumerate(parsed):
        where = f"{path.name}, sentence {index}"
        with record(where):
            comments = tokens.metadata
            if name := comments.get("newdoc id"):
                if article:
                    yield article
                article = (name, comments.get("meta::domain"), [])
            if article is None:
                raise PiibenchError(f"{where}: stands before the first 'newdoc id'")
            spans = _spans(where, comments["text"], tokens, counts)
            article[2].append(_Sentence(comments["text"], "newpar" in comments or "newpar id" in comments, spans))
            counts["sentences"] += 1
    if article:
        yield article


def _joined(doc_id: str, split: str, sentences: list[_Sentence], slices: dict[str, str]) -> Document:
    text = ""
    spans: list[Gold] = []
    for sentence in sentences:
        if text:
            text += "\n" if sentence.begins_paragraph else " "
        spans.extend(span._replace(start=span.start + len(text), end=span.end + len(text)) for span in sentence.spans)
        text += sentence.text
    return Document(doc_id, split, text, tuple(spans), None, slices)


def _spans(where: str, text: str, tokens: TokenList, counts: Counter[str]) -> list[Gold]:
    spans: list[Gold] = []
    opened: list[tuple[str, int]] = []
    for entity, start, end in _entities(where, text, tokens):
        brackets = list(_BRACKET.finditer(entity))
        if "".join(bracket[0] for bracket in brackets) != entity:
            raise PiibenchError(f"{where}: has an 'Entity' that is not brackets")
        for bracket in brackets:
            if label := bracket["whole"]:
                spans.append(gold(where, text, start, end, label))
            elif label := bracket["opens"]:
                opened.append((label, start))
            else:
                label = bracket["closes"]
                at = next((i for i in reversed(range(len(opened))) if opened[i][0] == label), None)
                if at is None:
                    counts["unopened_brackets"] += 1
                else:
                    spans.append(gold(where, text, opened.pop(at)[1], end, label))
    counts["unclosed_brackets"] += len(opened)
    return spans


def _entities(where: str, text: str, tokens: TokenList) -> Iterator[tuple[str, int, int]]:
    """The brackets of each syntactic word that has any, and the word's place in the text.

    A word of a multiword token (a Hebrew clitic, a hidden article) has the characters that spell it in the token, which
    may be none.
    """
    at = 0
    last_word, token_end = -1, 0  # of the multiword token that we are in
    for token in tokens:
        number, form = token["id"], token["form"]
        if isinstance(number, int) and number <= last_word:
            start = at
            at += len(form) if text.startswith(form, at, token_end) else 0
            if number == last_word and at != token_end:
                raise PiibenchError(f"{where}: the words of the token before word {number + 1} do not spell it")
        else:
            if isinstance(number, tuple) and number[1] != "-":
                continue  # an empty node of the enhanced graph
            start = text.find(form, at)
            if start < 0 or text[at:start].strip():
                raise PiibenchError(f"{where}: the token {'-'.join(map(str, [number]))} does not follow in the text")
            if isinstance(number, tuple):
                at, last_word, token_end = start, number[2], start + len(form)
                continue
            at = start + len(form)
        if entity := (token["misc"] or {}).get("Entity"):
            yield entity, start, at
