"""What a result says of entities: the four schemes of SemEval, over all rows and by label, corpus and carrier."""

from typing import Any

from piibench_duck import warehouse

MARTS = ("marts.entity_scores", "marts.entity_intervals")
"""What has to be derived before `section` is asked for."""

_COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
_FIGURES = (*_COUNTS, "possible", "actual", "precision", "recall", "f1")
_SLICES = {"label": "by_label", "corpus": "by_corpus", "carrier": "by_carrier", "language": "by_language"}


def section(con: warehouse.Connection, run: str) -> dict[str, Any]:
    """`overall` and `by_label`, `by_corpus`, `by_carrier`, `by_language`: slice → scheme → counts, ratios, intervals.

    `overall` adds up all rows; an interval is of the F1 of a scheme, by unit. Source: `marts.entity_scores`.
    """
    where = f"run_id = {warehouse.quoted(run)}"
    intervals: dict[tuple[str, str, str], dict[str, Any]] = {}
    for line in warehouse.rows_of(con, f"select * from marts.entity_intervals where {where} order by all"):
        of_scheme = intervals.setdefault((line["slice_by"], line["slice"], line["scheme"]), {})
        of_scheme[line["unit"]] = {
            "f1": [line["f1_low"], line["f1_high"]],
            "share_incomplete": line["share_incomplete"],
        }
    found: dict[str, Any] = {"overall": {}, **{name: {} for name in _SLICES.values()}}
    for line in warehouse.rows_of(con, f"select * from marts.entity_scores where {where} order by all"):
        kind, of, scheme = line["slice_by"], line["slice"], line["scheme"]
        schemes = found["overall"] if kind == "all" else found[_SLICES[kind]].setdefault(of, {})
        schemes[scheme] = {name: line[name] for name in _FIGURES} | {"intervals": intervals.get((kind, of, scheme), {})}
    return found
