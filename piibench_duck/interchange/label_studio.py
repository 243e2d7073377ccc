"""Label Studio's export as JSON: an array of tasks, each with one annotation or one prediction of type `labels`.

Predictions are read from `predictions`, and where no task has any from `annotations` that were not cancelled; gold from
`annotations`. A result with several labels is a span of each; results of other types are not looked at. A row is named
by `id`, `row_id` or `example_id` of the task's `data`, a string there; where none has one, tasks stand in the order of
the rows. A `text` of the data has to be the row's.

Cannot carry: which texts were seen in part; of gold, all that a row has beside its text. Several annotations of a task
are refused, since a span is one annotator's.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from piibench_duck.door import take_predictions, take_rows
from piibench_duck.interchange.records import Fault, Record
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.taking import BY_POSITION, by_position, json_value, other_text, refused
from piibench_duck.json_types import word
from piibench_duck.offsets import OffsetUnit

_EXPECTED = "a JSON array of tasks, as Label Studio exports them,"
_IDS = ("id", "row_id", "example_id")
_TEXTS = ("text", "full_text")


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Predictions, or annotations where there are none."""
    tasks, sha256 = _tasks(path)
    key = "predictions" if any(task.get("predictions") for task in tasks) else "annotations"
    ids = [_first(task, _IDS) for task in tasks]
    by_id = any(isinstance(row_id, str) for row_id in ids)
    ids = ids if by_id else by_position(path, len(tasks), texts, "tasks")
    records = []
    for number, (task, row_id) in enumerate(zip(tasks, ids, strict=True), 1):
        text = _first(task, _TEXTS)
        spans, fault = _spans(task, key)
        value = {"id": row_id, "spans": spans}
        records.append(Record(number, value, fault or (other_text(text, row_id, texts) if text is not None else None)))
    taken = take_predictions(path, records, texts, sha256, unit)
    return taken._replace(settings=(("read_from", key), *(() if by_id else BY_POSITION)))


def read_rows(path: Path, unit: OffsetUnit = "codepoint") -> Rows:
    """Gold of annotations; a task without an id of its data is named by its own number."""
    tasks, sha256 = _tasks(path)
    records = []
    for number, task in enumerate(tasks, 1):
        row_id = _first(task, _IDS)
        if row_id is None and type(task.get("id")) is int and abs(task["id"]) < 10**18:
            row_id = str(task["id"])
        spans, fault = _spans(task, "annotations")
        spans = [{key: value for key, value in span.items() if key != "score"} for span in spans]
        text = _first(task, _TEXTS)
        fault = fault or (Fault("bad_schema", "the task's data has no 'text'") if text is None else None)
        records.append(Record(number, {"id": row_id or str(number), "text": text, "spans": spans}, fault))
    return take_rows(path, records, sha256, unit)


def _tasks(path: Path) -> tuple[list[dict[str, Any]], str]:
    tasks, sha256 = json_value(path, _EXPECTED)
    if not isinstance(tasks, list):
        raise refused(path, "bad_schema", f"{word(tasks)}, {_EXPECTED} was expected")
    for number, task in enumerate(tasks, 1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise refused(path, "bad_schema", "a task with an object 'data' was expected", number)
    return tasks, sha256


def _first(task: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of these keys that the task's data has."""
    return next((task["data"][key] for key in keys if key in task["data"]), None)


def _spans(task: Mapping[str, Any], key: str) -> tuple[list[dict[str, Any]], Fault | None]:
    """The spans of the one annotation or prediction of a task."""
    given = task.get(key, [])
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        return [], Fault("bad_schema", f"'{key}' is no array of objects")
    kept = [one for one in given if one.get("was_cancelled") is not True]
    if len(kept) > 1:
        return [], Fault("bad_schema", f"{len(kept)} {key} of one task; one was expected")
    results = kept[0].get("result") if kept else []
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        return [], Fault("bad_schema", "'result' is no array of objects")
    spans: list[dict[str, Any]] = []
    for index, result in enumerate(results):
        if result.get("type") != "labels":
            continue
        value = result.get("value")
        labels = value.get("labels") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(labels, list):
            return [], Fault("bad_schema", f"result[{index}] has no 'value' with an array 'labels'")
        spans += _labelled(value, labels, result.get("score"))
    return spans, None


def _labelled(value: Mapping[str, Any], labels: list[Any], score: object) -> Iterator[dict[str, Any]]:
    """A span for each label, with those of its other parts that are there."""
    parts = {key: value[key] for key in ("start", "end", "text") if key in value}
    for label in labels:
        yield {**parts, "label": label, **({} if score is None else {"score": score})}
