"""What is wrong with TAB's official array of documents: each fault with its place by ids, and nothing of its text."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from piibench_duck.json_types import WORDS, word
from piibench_duck.names import is_text, may_be_told

IDENTIFIER_TYPES = ("DIRECT", "QUASI", "NO_MASK")
EXPECTED = "a JSON array of TAB's documents"
_MENTION: Mapping[str, type] = {
    **{"entity_id": str, "entity_type": str, "identifier_type": str},
    **{"start_offset": int, "end_offset": int, "span_text": str},
}
_MAY_BE_EMPTY = ("text", "span_text")


class Wrong(NamedTuple):
    """A fault, the document that has it by its id where it has one, and by its place in the array where not."""

    doc_id: str | None
    place: int
    reason: str  # one of `door.REASONS`
    what: str

    def __str__(self) -> str:
        return f"document {self.place if self.doc_id is None else repr(self.doc_id)}: {self.what}"


def faults(items: list[Any]) -> Iterator[Wrong]:
    """Every fault of the array, in the order of the documents, annotators and mentions."""
    seen = set()
    for index, item in enumerate(items):
        named = item.get("doc_id") if isinstance(item, dict) else None
        doc_id = named if isinstance(named, str) and named else None
        text = item.get("text") if doc_id else None
        told = doc_id if may_be_told(doc_id, text if isinstance(text, str) else "") else None
        for reason, what in _of_document(item):
            yield Wrong(told, index, reason, what)
        if doc_id in seen:
            yield Wrong(told, index, "duplicate_row", "a document of the file has this doc_id already")
        elif doc_id is not None:
            seen.add(doc_id)


def _of_document(item: Any) -> Iterator[tuple[str, str]]:
    if type(item) is not dict:
        yield "bad_schema", f"is {word(item)}, {WORDS[dict]} was expected"
        return
    wrong = [_of_key(item, "doc_id", str), _of_key(item, "text", str)]
    wrong += [_of_key(item, name, kind) for name, kind in (("dataset_type", str), ("meta", dict)) if item.get(name)]
    wrong.append(_of_key(item, "annotations", dict, " with a key for each annotator"))
    yield from (("bad_schema", what) for what in wrong if what)
    text, annotations = item.get("text"), item.get("annotations")
    if type(annotations) is dict:
        for number, (name, annotation) in enumerate(annotations.items()):
            who = f"annotator {repr(name) if may_be_told(name) else number}"
            for reason, what in _of_annotator(name, annotation, text if type(text) is str else None):
                yield reason, f"{who}: {what}"


def _of_annotator(name: str, annotation: Any, text: str | None) -> Iterator[tuple[str, str]]:
    if not name:
        yield "bad_schema", "has no name"
        return
    if type(annotation) is not dict:
        yield "bad_schema", f"is {word(annotation)}, an object with 'entity_mentions' was expected"
        return
    if wrong := _of_key(annotation, "entity_mentions", list):
        yield "bad_schema", wrong
        return
    for index, mention in enumerate(annotation["entity_mentions"]):
        for reason, what in _of_mention(mention, text):
            yield reason, f"mention {index}: {what}"


def _of_mention(mention: Any, text: str | None) -> Iterator[tuple[str, str]]:
    if type(mention) is not dict:
        yield "bad_schema", f"is {word(mention)}, {WORDS[dict]} was expected"
        return
    wrong = [found for name, kind in _MENTION.items() if (found := _of_key(mention, name, kind))]
    if not wrong and mention["identifier_type"] not in IDENTIFIER_TYPES:
        wrong = [f"'identifier_type' is none of {', '.join(IDENTIFIER_TYPES)}"]
    yield from (("bad_schema", what) for what in wrong)
    if wrong or text is None:
        return
    start, end = mention["start_offset"], mention["end_offset"]
    if start < 0 or end < 0 or max(start, end) > len(text):
        reason = "out_of_range"
    elif start >= end:
        reason = "inverted_span" if start > end else "empty_span"
    elif is_text(mention["entity_type"], text[start:end]):
        yield "bad_label", "'entity_type' is the text that it marks"
        return
    else:
        return
    yield reason, f"[{_number(start)}, {_number(end)}) of a text of {len(text)} code points"


def _of_key(of: Mapping[str, Any], name: str, kind: type, more: str = "") -> str | None:
    if name not in of:
        return f"no {name!r}; {WORDS[kind]}{more} was expected"
    if type(of[name]) is not kind:
        return f"{name!r} is {word(of[name])}, {WORDS[kind]}{more} was expected"
    return f"{name!r} is empty" if of[name] == "" and name not in _MAY_BE_EMPTY else None


def _number(value: int) -> str:
    return str(value) if abs(value) < 10**18 else "a huge number"
