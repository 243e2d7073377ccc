"""Our own format, a document a line: `{"doc_id", "text", "spans": [{"start", "end", "label"}], "slices", "split"}`.

`slices`, `split` and a span's `entity_id` may be absent.
"""

from pathlib import Path

from piibench_duck.corpora import Document, Reading
from piibench_duck.corpora._files import gold, json_lines, record
from piibench_duck.errors import PiibenchError
from piibench_duck.names import may_be_told
from piibench_duck.sources import Source

_KEYS = {"doc_id", "text", "spans", "slices", "split"}
_SPAN_KEYS = {"start", "end", "label", "entity_id"}


def read(root: Path, source: Source) -> Reading:
    """Strict, since it is written for us: an unknown key is an error."""
    documents = []
    for path in source.paths:
        for where, item in json_lines(root / path):
            with record(where):
                doc_id, text = item["doc_id"], item["text"]
                if unknown := (set(item) - _KEYS) | {key for span in item["spans"] for key in set(span) - _SPAN_KEYS}:
                    named = {repr(key) if may_be_told(key, text) else "key that may be text" for key in unknown}
                    raise PiibenchError(f"{where}: has the unknown {', '.join(sorted(named))}")
                spans = [
                    gold(where, text, span["start"], span["end"], span["label"], entity_id=span.get("entity_id"))
                    for span in item["spans"]
                ]
                slices = {str(name): str(value) for name, value in item.get("slices", {}).items()}
                documents.append(Document(doc_id, item.get("split", "all"), text, tuple(spans), None, slices))
    return Reading(documents, {})
