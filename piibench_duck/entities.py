"""What a result says of entities: the four schemes of SemEval, over all rows and by label, corpus and carrier."""

from collections.abc import Mapping
from typing import Any

from piibench_duck import warehouse

MARTS = ("marts.entity_scores", "marts.entity_intervals")
"""What has to be derived before `sections` is asked for."""

_NO_GOLD = "no gold span of the corpus is scored"
NO_LABELS = "none of the run's labels is a type of the taxonomy or a label of the gold"

_COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
_FIGURES = (*_COUNTS, "possible", "actual", "n_left_out", "precision", "recall", "f1")
_SLICES = {"label": "by_label", "corpus": "by_corpus", "carrier": "by_carrier", "language": "by_language"}


def sections(con: warehouse.Connection) -> dict[str, dict[str, Any]]:
    """By run, `overall` and `by_label`, `by_corpus`, `by_carrier`, `by_language`: slice → scheme → counts and ratios.

    `overall` adds up all rows; an interval is of the F1 of a scheme, by unit. Why a corpus or a scheme is absent stands
    under `not_applicable` and `schemes_not_applicable`. Source: `marts.entity_scores`.
    """
    intervals: dict[tuple[str, ...], dict[str, Any]] = {}
    for line in warehouse.rows_of(con, "select * from marts.entity_intervals order by all"):
        intervals.setdefault(_key(line), {})[line["unit"]] = {
            "f1": [line["f1_low"], line["f1_high"]],
            "share_incomplete": line["share_incomplete"],
        }
    found: dict[str, dict[str, Any]] = {
        run: {
            "overall": {},
            **{name: {} for name in _SLICES.values()},
            "not_applicable": {},
            "schemes_not_applicable": {},
        }
        for (run,) in con.sql("select run_id from staging.runs where status = 'ran' order by run_id").fetchall()
    }
    for line in warehouse.rows_of(con, "select * from marts.entity_scores order by all"):
        run, kind, of, scheme = _key(line)
        of_run = found[run]
        if kind == "corpus" and not line["possible"]:
            counts = {name: line[name] for name in ("actual", "n_left_out")}
            of_run["not_applicable"][of] = {"reason": _NO_GOLD, **counts}
            continue
        schemes = of_run["overall"] if kind == "all" else of_run[_SLICES[kind]].setdefault(of, {})
        schemes[scheme] = {name: line[name] for name in _FIGURES} | {"intervals": intervals.get(_key(line), {})}
    for run in unlabelled(con):
        found[run]["schemes_not_applicable"] = {scheme: {"reason": NO_LABELS} for scheme in ("strict", "type")}
    return found


def unlabelled(con: warehouse.Connection) -> list[str]:
    """Runs whose labels mean nothing, such as masks: a score that asks for labels does not apply to them."""
    found = con.sql(
        "select runs.run_id from intermediate.unlabelled_runs as found "
        "inner join staging.runs as runs on found.run_key = runs.run_key order by all"
    )
    return [run for (run,) in found.fetchall()]


def _key(line: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return line["run_id"], line["slice_by"], line["slice"], line["scheme"]
