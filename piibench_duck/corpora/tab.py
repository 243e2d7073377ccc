"""Text Anonymization Benchmark: JSON lines of one annotator each, or the official array with all annotators."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import count_surface, gold, json_lines, json_of, record, slices_of
from piibench_duck.corpora._tab_shape import EXPECTED, faults
from piibench_duck.errors import PiibenchError
from piibench_duck.json_types import word
from piibench_duck.names import may_be_told, told
from piibench_duck.sources import Source


def read(root: Path, source: Source) -> Reading:
    """Spans keep entity, identifier type and annotator; the applicant's name stays behind."""
    counts: Counter[str] = Counter(surface_mismatches=0, mentions=0)
    documents: list[Document] = []
    for path in source.paths:
        read_file = _lines if path.endswith(".jsonl") else _official
        documents.extend(read_file(root / path, counts))
    return Reading(documents, dict(counts))


def _lines(path: Path, counts: Counter[str]) -> Iterator[Document]:
    for where, item in json_lines(path):
        with record(where):
            origin = item["metadata"]["provenance"]
            doc_id, text = origin["doc_id"], item["text"]
            where = f"{path.name}, document {doc_id}" if may_be_told(doc_id, text) else where
            spans = _spans(where, text, item["entities"], origin["annotator"], counts)
            slices, annotators = _slices(origin), (origin["annotator"],)
            yield Document(doc_id, origin["dataset_type"], text, spans, None, slices, annotators)


def _official(path: Path, counts: Counter[str]) -> Iterator[Document]:
    return official(json_of(path), path.name, counts)


def official(items: Any, name: str, counts: Counter[str]) -> Iterator[Document]:
    """The documents of the official array, which the file `name` holds."""
    if not isinstance(items, list):
        raise PiibenchError(f"{name}: is {word(items)}; {EXPECTED} was expected")
    for wrong in faults(items):
        raise PiibenchError(f"{name}, {wrong}")
    for index, item in enumerate(items):
        doc_id, text = item["doc_id"], item["text"]
        where = f"{name}, document {told(doc_id, text, str(index))}"
        spans = [
            span
            for annotator, annotation in item["annotations"].items()
            for span in _spans(where, text, annotation["entity_mentions"], annotator, counts)
        ]
        slices, annotators = _slices(item.get("meta") or {}), tuple(item["annotations"])
        yield Document(doc_id, item.get("dataset_type") or "all", text, tuple(spans), None, slices, annotators)


def _spans(where: str, text: str, mentions: Any, annotator: str, counts: Counter[str]) -> tuple[Gold, ...]:
    spans = []
    for mention in mentions:
        span = gold(
            where,
            text,
            mention["start_offset"],
            mention["end_offset"],
            mention["entity_type"],
            entity_id=mention["entity_id"],
            identifier_type=mention["identifier_type"],
            annotator=annotator,
        )
        counts["mentions"] += 1
        count_surface(counts, text, span.start, span.end, mention["span_text"])
        spans.append(span)
    return tuple(spans)


def _slices(origin: Mapping[str, Any]) -> dict[str, str]:
    return slices_of(**{name: origin.get(name) for name in ("year", "legal_branch", "countries")})
