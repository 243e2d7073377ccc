"""IAHLT Knesset: JSON lines of Hebrew sentences with `[start, end, type]` labels, in the order of their protocols."""

from collections import Counter
from pathlib import Path, PurePosixPath

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import gold, json_lines, record
from piibench_duck.sources import Source


def read(root: Path, source: Source) -> Reading:
    """The sentences of one protocol are one document, joined by line ends; speakers' names stay behind."""
    counts: Counter[str] = Counter(sentences=0)
    documents: list[Document] = []
    for path in source.paths:
        split = PurePosixPath(path).stem.rpartition("-")[2]
        protocols: dict[str, list[tuple[str, tuple[Gold, ...]]]] = {}
        for where, item in json_lines(root / path):
            with record(where):
                text = item["text"]
                spans = tuple(gold(where, text, start, end, label) for start, end, label in item["label"])
                protocols.setdefault(item["metadata"]["doc_id"], []).append((text, spans))
                counts["sentences"] += 1
        documents.extend(_joined(doc_id, split, sentences) for doc_id, sentences in protocols.items())
    return Reading(documents, dict(counts))


def _joined(doc_id: str, split: str, sentences: list[tuple[str, tuple[Gold, ...]]]) -> Document:
    starts: list[int] = []
    spans: list[Gold] = []
    at = 0
    for text, found in sentences:
        starts.append(at)
        spans.extend(span._replace(start=span.start + at, end=span.end + at) for span in found)
        at += len(text) + 1
    return Document(doc_id, split, "\n".join(text for text, _ in sentences), tuple(spans), tuple(starts), {})
