"""What a result says of entities: the four schemes of SemEval, over all rows and by label, corpus and carrier."""

from collections.abc import Mapping
from typing import Any

from piibench_duck import warehouse

MARTS = ("marts.entity_scores", "marts.entity_intervals")
"""What has to be derived before `sections` is asked for."""

_COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
_FIGURES = (*_COUNTS, "possible", "actual", "precision", "recall", "f1")
_SLICES = {"label": "by_label", "corpus": "by_corpus", "carrier": "by_carrier", "language": "by_language"}


def sections(con: warehouse.Connection) -> dict[str, dict[str, Any]]:
    """By run, `overall` and `by_label`, `by_corpus`, `by_carrier`, `by_language`: slice → scheme → counts and ratios.

    `overall` adds up all rows; an interval is of the F1 of a scheme, by unit. Source: `marts.entity_scores`.
    """
    intervals: dict[tuple[str, ...], dict[str, Any]] = {}
    for line in warehouse.rows_of(con, "select * from marts.entity_intervals order by all"):
        intervals.setdefault(_key(line), {})[line["unit"]] = {
            "f1": [line["f1_low"], line["f1_high"]],
            "share_incomplete": line["share_incomplete"],
        }
    found: dict[str, dict[str, Any]] = {
        run: {"overall": {}, **{name: {} for name in _SLICES.values()}}
        for (run,) in con.sql("select run_id from staging.runs where status = 'ran' order by run_id").fetchall()
    }
    for line in warehouse.rows_of(con, "select * from marts.entity_scores order by all"):
        run, kind, of, scheme = _key(line)
        of_run = found[run]
        schemes = of_run["overall"] if kind == "all" else of_run[_SLICES[kind]].setdefault(of, {})
        schemes[scheme] = {name: line[name] for name in _FIGURES} | {"intervals": intervals.get(_key(line), {})}
    return found


def _key(line: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return line["run_id"], line["slice_by"], line["slice"], line["scheme"]
