"""Synthetic samples: a JSON array of texts, each with its `pii` as value, start, end and label."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import count_surface, gold, json_of, record, slices_of
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source


def read(root: Path, source: Source) -> Reading:
    """A sample without an id is named by its file and its place in it."""
    counts: Counter[str] = Counter(surface_mismatches=0, surface_case_mismatches=0, documents_without_pii=0)
    documents = [document for path in source.paths for document in _documents(root / path, counts)]
    return Reading(documents, dict(counts))


def _documents(path: Path, counts: Counter[str]) -> Iterator[Document]:
    items = json_of(path)
    if not isinstance(items, list):
        raise PiibenchError(f"{path.name}: is not an array of samples")
    for index, item in enumerate(items):
        where = f"{path.name}, sample {index}"
        with record(where):
            text = item["text"]
            spans: list[Gold] = []
            for pii in item["pii"]:
                spans.append(gold(where, text, pii["start"], pii["end"], pii["label"]))
                count_surface(counts, text, pii["start"], pii["end"], str(pii["value"]))  # an age is a number
            counts["documents_without_pii"] += not spans
            slices = slices_of(**{name: item.get(name) for name in ("locale", "domain", "document_type")})
            yield Document(item.get("id") or f"{path.stem}-{index:04d}", "all", text, tuple(spans), None, slices)
