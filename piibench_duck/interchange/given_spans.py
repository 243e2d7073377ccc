"""The spans of rows and of runs as writers for other tools want them: by row, in order."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from piibench_duck.interchange.tables import Predictions, Rows

Span = tuple[int, int, str]


class Given(NamedTuple):
    """Spans `(start, end, label)` by row id, and how many there are of what most formats have no word for.

    Why they are left out reads behind `1 span left out, …` and `2 spans left out, …` alike.
    """

    spans: Mapping[str, list[Span]]
    lost: Mapping[str, int]


def of_gold(rows: Rows) -> Given:
    """Scored spans, each once; excluded ones have no place in a format without roles."""
    found: dict[str, dict[Span, None]] = {}
    n_excluded = n_twins = 0
    names = ("row_id", "start_char", "end_char", "source_label", "role")
    for row_id, *span, role in zip(*(rows.gold_spans[name] for name in names), strict=True):
        of_row = found.setdefault(row_id, {})
        if role == "excluded":
            n_excluded += 1
        elif (key := (span[0], span[1], span[2])) in of_row:
            n_twins += 1
        else:
            of_row[key] = None
    lost = {"excluded from scores": n_excluded, "standing there twice": n_twins}
    return Given({row_id: sorted(spans) for row_id, spans in found.items()}, lost)


def of_run(predictions: Predictions) -> Given:
    """Predicted spans, twins too."""
    found: dict[str, list[Span]] = {}
    names = ("row_id", "start_char", "end_char", "source_label")
    for row_id, start, end, label in zip(*(predictions.pred_spans[name] for name in names), strict=True):
        found.setdefault(row_id, []).append((start, end, label))
    return Given({row_id: sorted(spans) for row_id, spans in found.items()}, {})


def texts_of(rows: Rows, runs: Mapping[str, Predictions]) -> Iterator[tuple[str, str]]:
    """Rows by id, with their text; of runs those that each of them answered."""
    answered = [_answered(predictions) for predictions in runs.values()]
    for row_id, text in sorted(rows.texts.items()):
        if all(row_id in of_run for of_run in answered):
            yield row_id, text


def _answered(predictions: Predictions) -> set[str]:
    columns = predictions.run_rows
    return {row_id for row_id, status in zip(columns["row_id"], columns["status"], strict=True) if status != "error"}
