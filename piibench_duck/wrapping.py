"""Annotated texts of a rows file put into a carrier, and predictions made there brought back to the texts."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from piibench_duck import carriers
from piibench_duck.carriers import Alignment
from piibench_duck.carriers.alignment import Sides, move, wire_side
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    ANNOTATOR_COLUMNS,
    GOLD_COLUMNS,
    PRED_COLUMNS,
    ROW_COLUMNS,
    RUN_ROW_COLUMNS,
    Columns,
    Predictions,
    Rows,
    append,
    empty,
)
from piibench_duck.passages import values

_BEFORE_WRAPPING = ("prose", "unknown")  # what a text that nobody has wrapped says of its carrier


class WrappedRows(NamedTuple):
    """Rows whose text is the wire, and for each row that the carrier cannot hold the reason why."""

    rows: Rows
    refused: dict[str, str]


class UnwrappedPredictions(NamedTuple):
    """Predictions on the texts before wrapping, and how many spans touched nothing but scaffold."""

    predictions: Predictions
    n_dropped: int


class _Origin(NamedTuple):
    """What a wrapped row says of its text."""

    row_id: str
    n_chars: int
    wire: Sides


def wrap_rows(rows: Rows, carrier: str) -> WrappedRows:
    """Each text whole as one passage, under the id `<row_id>@<carrier>`; its sentences are what a carrier may spread.

    Raises `PiibenchError` where a row is wrapped already.
    """
    _refuse_wrapped(rows)
    gold = _lines_by_row(rows.gold_spans)
    wires, spans, alignments = empty(ROW_COLUMNS), empty(GOLD_COLUMNS), empty(ALIGNMENT_COLUMNS)
    refused = {}
    for row in _lines(rows.rows):
        row_id, text = row["row_id"], row["text"]
        places = [(span["start_char"], span["end_char"]) for span in gold[row_id]]
        key = carriers.row_key(row_id, carrier)
        try:
            wrapped = carriers.wrap(carrier, text, places, values(text, places), key)
        except carriers.CannotHoldError as error:
            refused[row_id] = str(error)
            continue
        name = f"{row_id}@{carrier}"
        wire = {"row_id": name, "carrier": carrier, "text": wrapped.text, "n_chars": len(wrapped.text)}
        _append(wires, {**row, **wire})
        for span, (start, end) in zip(gold[row_id], wrapped.spans, strict=True):
            place = {"row_id": name, "start_char": start, "end_char": end, "surface": wrapped.text[start:end]}
            _append(spans, {**span, **place})
        alignments["row_id"] += [name] * len(wrapped.alignments)
        for column, of_row in zip(Alignment._fields, zip(*wrapped.alignments, strict=True), strict=False):
            alignments[column] += of_row
    return WrappedRows(Rows(wires, spans, alignments, "", _annotators(rows, carrier, refused)), refused)


def unwrap_predictions(rows: Rows, predictions: Predictions) -> UnwrappedPredictions:
    """What was predicted on wrapped rows, as predictions on the texts inside.

    A span is what it touches of the text, an escaped character whole; spans that become the same stay as many. Raises
    `PiibenchError` where a row does not say what its wire stands for, or two rows hold the same text.
    """
    origins = _origins(rows)
    run_rows, pred_spans = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)
    for answer in _lines(predictions.run_rows):
        origin = origins[answer["row_id"]]
        n_seen = _seen(origin, answer["chars_seen"])
        append(run_rows, origin.row_id, "ok" if n_seen == origin.n_chars else "truncated", n_seen)
    n_dropped = 0
    for span in _lines(predictions.pred_spans):
        origin = origins[span["row_id"]]
        place = move(origin.wire, span["start_char"], span["end_char"])
        if place is None:
            n_dropped += 1
        else:
            append(pred_spans, origin.row_id, *place, span["source_label"], span["score"])
    return UnwrappedPredictions(Predictions(run_rows, pred_spans, [], ""), n_dropped)


def _annotators(rows: Rows, carrier: str, refused: Mapping[str, str]) -> Columns | None:
    """Who annotated a text annotated its wire."""
    if rows.annotators is None:
        return None
    named = empty(ANNOTATOR_COLUMNS)
    for line in _lines(rows.annotators):
        if line["row_id"] not in refused:
            append(named, f"{line['row_id']}@{carrier}", line["annotator"])
    return named


def _refuse_wrapped(rows: Rows) -> None:
    aligned = set(rows.alignments["row_id"])
    places = zip(rows.rows["row_id"], rows.rows["carrier"], strict=True)
    found = [(row_id, was) for row_id, was in places if row_id in aligned or was not in _BEFORE_WRAPPING]
    if found:
        row_id, was = found[0]
        told = f"carrier {was!r}, {'with' if row_id in aligned else 'without'} alignments"
        raise PiibenchError(
            f"{len(found)} of {len(rows.rows['row_id'])} rows are wrapped already, the first {row_id!r} ({told}); "
            "texts that nobody has wrapped were expected"
        )


def _origins(rows: Rows) -> dict[str, _Origin]:
    """For each wrapped row the text that it was."""
    account = _alignments_by_row(rows.alignments)
    origins: dict[str, _Origin] = {}
    holders: dict[str, str] = {}  # of each text the row that holds it
    for row_id, carrier, text in zip(*(rows.rows[name] for name in ("row_id", "carrier", "text")), strict=True):
        lines, name = account[row_id], row_id.removesuffix(f"@{carrier}")
        if all(line.passage_start is None for line in lines) and not _held_nothing(name, carrier, text):
            raise PiibenchError(
                f"row {row_id!r} has no alignments; rows as `piibench-duck wrap` writes them were expected"
            )
        if name in ("", row_id):
            raise PiibenchError(f"row {row_id!r} is in the carrier {carrier!r}; an id <id>@{carrier} was expected")
        if name in holders:
            raise PiibenchError(f"rows {holders[name]!r} and {row_id!r} hold one text; each text once was expected")
        holders[name] = row_id
        length = max((line.passage_end for line in lines if line.passage_end is not None), default=0)
        origins[row_id] = _Origin(name, length, wire_side(lines))
    return origins


def _held_nothing(name: str, carrier: str, wire: str) -> bool:
    """Whether the wire is that of an empty text, which aligns with nothing: wrapped again, it comes out the same."""
    if carrier not in carriers.carrier_names():
        return False
    return carriers.wrap(carrier, "", [], [], carriers.row_key(name, carrier)).text == wire


def _seen(origin: _Origin, n_on_wire: int) -> int:
    """How much of the text was seen by whom saw so much of the wire; of an escape all has to be seen."""
    wire = origin.wire
    place = bisect_right(wire.ends, n_on_wire)
    if place == len(wire.ends):
        return origin.n_chars
    part = max(0, n_on_wire - wire.starts[place]) if wire.are_copied[place] else 0
    return wire.other_starts[place] + part


def _append(columns: Columns, line: Mapping[str, Any]) -> None:
    append(columns, *(line[name] for name in columns))


def _lines(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]


def _lines_by_row(columns: Columns) -> Mapping[str, list[dict[str, Any]]]:
    by_row: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in _lines(columns):
        by_row[line["row_id"]].append(line)
    return by_row


def _alignments_by_row(columns: Columns) -> Mapping[str, list[Alignment]]:
    by_row: defaultdict[str, list[Alignment]] = defaultdict(list)
    for row_id, *line in zip(*(columns[name] for name in ("row_id", *Alignment._fields)), strict=True):
        by_row[row_id].append(Alignment(*line))
    return by_row
