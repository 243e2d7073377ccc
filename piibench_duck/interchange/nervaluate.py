"""nervaluate's input as JSON: a list for each document of `{"label", "start", "end"}`, or of a tag for each word.

Ends are inclusive, as nervaluate reads them: `{"start": 0, "end": 3}` is the first four characters. Documents stand in
the order of the rows, one for each, or in an object by row id. Tags (`B-X`, `I-X`, `O`) are of the words between white
space, which there must be as many of.

Cannot carry: ids, where documents are a list; scores; of tags, spans that overlap or end inside of a word.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piibench_duck.door import take_predictions
from piibench_duck.interchange import iob
from piibench_duck.interchange.records import Record
from piibench_duck.interchange.tables import Predictions
from piibench_duck.interchange.taking import BY_POSITION, by_position, json_value, refused
from piibench_duck.json_types import word
from piibench_duck.offsets import OffsetUnit

_EXPECTED = "a JSON array with an array of spans for each row, or an object of them by row id,"
_WORD = re.compile(r"\S+")
_ENDS = (("ends", "inclusive"),)
_TAGS = (("tags_of", "words between white space"),)


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Predictions with inclusive ends, or as tags of words, which count no offsets."""
    documents, sha256 = json_value(path, _EXPECTED)
    if isinstance(documents, dict):
        ids, values = list(documents), list(documents.values())
    elif isinstance(documents, list):
        ids, values = by_position(path, len(documents), texts, "documents"), documents
    else:
        raise refused(path, "bad_schema", f"{word(documents)}, {_EXPECTED} was expected")
    are_tags = any(isinstance(value, list) and value and isinstance(value[0], str) for value in values)
    records = [
        _of_tags(number, row_id, value, texts.get(row_id)) if are_tags else _of_spans(number, row_id, value)
        for number, (row_id, value) in enumerate(zip(ids, values, strict=True), 1)
    ]
    taken = take_predictions(path, records, texts, sha256, "codepoint" if are_tags else unit)
    return taken._replace(
        settings=(*(_TAGS if are_tags else _ENDS), *(BY_POSITION if isinstance(documents, list) else ()))
    )


def _of_spans(number: int, row_id: str, value: object) -> Record:
    spans = [_half_open(span) for span in value] if isinstance(value, list) else value
    return Record(number, {"id": row_id, "spans": spans})


def _half_open(span: Any) -> Any:
    """The span with an end that is its own no more; what is no integer is left for the door to refuse."""
    if isinstance(span, dict) and type(span.get("end")) is int:
        return {**span, "end": span["end"] + 1}
    return span


def _of_tags(number: int, row_id: str, tags: object, text: str | None) -> Record:
    offsets = [match.span() for match in _WORD.finditer(text or "")]
    fault = None if text is None else iob.fault(tags, len(offsets))
    if fault or text is None or not isinstance(tags, list):
        return Record(number, {"id": row_id, "spans": []}, fault)
    spans = [{"start": start, "end": end, "label": label} for start, end, label in iob.spans(offsets, tags)]
    return Record(number, {"id": row_id, "spans": spans})
