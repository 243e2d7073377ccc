"""What holds of every document that a reader gives, whichever it is: checked here, told without any of its text."""

from collections.abc import Iterator, Sequence

from piibench_duck.corpora import Document
from piibench_duck.errors import PiibenchError
from piibench_duck.names import is_text, may_be_told, told
from piibench_duck.source_tables import Source


def check(source: Source, documents: Sequence[Document]) -> None:
    """Raises for the first document that is not what the contracts and the source's table ask for."""
    labels = frozenset(source.labels).union(*(drop.labels for drop in source.drop))
    seen: dict[str, int] = {}
    for number, document in enumerate(documents, start=1):
        for wrong in _shapes(document):
            raise PiibenchError(f"source {source.name!r}: document number {number}: {wrong}")
        doc_id, text = document.doc_id, document.text
        if doc_id in seen:
            if may_be_told(doc_id, text):
                raise PiibenchError(f"source {source.name!r}: has two documents {doc_id}")
            raise PiibenchError(f"source {source.name!r}: documents number {seen[doc_id]} and {number} have one id")
        seen[doc_id] = number
        for wrong in _wrong(source, document, labels):
            named = told(doc_id, text, f"number {number}")
            raise PiibenchError(f"source {source.name!r}: document {named} {wrong}")


def _shapes(document: Document) -> Iterator[str]:
    names = [document.doc_id, document.split, document.text, *document.slices, *document.slices.values()]
    if not all(isinstance(name, str) for name in names) or not document.doc_id:
        yield "its id, text, split or a slice is not a text"
        return
    for span in document.spans:
        names += [span.source_label]
        names += [name for name in (span.entity_id, span.identifier_type, span.annotator) if name is not None]
    names += document.annotators
    if not all(isinstance(name, str) for name in names):
        yield "an entity id, identifier type or annotator is not a text"
        return
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        yield "holds half of a surrogate pair, in its text or in a name"


def _wrong(source: Source, document: Document, labels: frozenset[str]) -> Iterator[str]:
    text = document.text
    if document.split not in source.splits:
        named = f"the split {document.split!r}" if may_be_told(document.split, text) else "a split that is not listed"
        there = ", ".join(source.splits)
        yield f"is of {named}, expected one of {there}: 'splits' lists all there are, 'keep' chooses among them"
    for name in document.slices:
        if name not in source.slices:
            yield f"has the unlisted slice {name!r}" if may_be_told(name, text) else "has an unlisted slice"
    for start, end, label, *_ in document.spans:
        if is_text(label, text[start:end], labels):
            yield f"has a span {start} to {end} whose label is the text that it marks"
