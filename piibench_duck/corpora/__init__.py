"""What a reader of a source format gives: documents with gold spans."""

from collections.abc import Mapping
from typing import NamedTuple


class Gold(NamedTuple):
    """An annotated span `[start, end)` of a document, in code points."""

    start: int
    end: int
    source_label: str
    entity_id: str | None = None
    identifier_type: str | None = None
    annotator: str | None = None


class Document(NamedTuple):
    """A source text. `passage_starts` are given where the source comes as sentences, None where passages are to be cut.

    `doc_id` is unique within its source and opaque: never natural language, since it stands in results.
    """

    doc_id: str
    split: str
    text: str
    spans: tuple[Gold, ...]
    passage_starts: tuple[int, ...] | None
    slices: Mapping[str, str]
    annotators: tuple[str, ...] = ()  # all who annotated it, where they are known by name; also who marked nothing


class Reading(NamedTuple):
    """All documents of a source and how often the reader met each thing worth counting, e.g. `unclosed_brackets`."""

    documents: list[Document]
    counts: dict[str, int]
