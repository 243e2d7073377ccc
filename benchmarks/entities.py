"""Entity scores in DuckDB against nervaluate on the same spans, and what their intervals cost, for 1 and for 20 runs.

    python -m benchmarks.entities

Both begin with typed spans and end with the four schemes, overall and by label. DuckDB's time is that of every relation
from `intermediate.span_overlaps` to `marts.entity_scores`; nervaluate's that of loading and evaluating, run by run. The
intervals are by label, corpus and carrier and over all, by row and by document, with draws made beforehand; nervaluate
has none.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nervaluate import Evaluator

from benchmarks import material
from piibench_duck import door, warehouse
from piibench_duck import score as scoring

N_ROWS, N_REPLICATES, N_TIMES = 3500, 1000, 3
SCORES = ("span_overlaps", "span_pairs", "entity_counts", "entity_totals")
INTERVALS = (
    *("entity_slices", "entity_cells", "entity_columns", "entity_lanes", "entity_sums"),
    *("entity_replicates", "entity_quantiles"),
)
Spans = list[list[dict[str, Any]]]
"""By row: label, first and last character."""


def main() -> None:
    """Print times and ratios, medians of three, taken in turn."""
    with tempfile.TemporaryDirectory() as name:
        for n_runs in (1, 20):
            _compare(Path(name), n_runs)


def _compare(folder: Path, n_runs: int) -> None:
    rows_path, preds = material.write(folder, N_ROWS, n_runs)
    rows = door.read_rows(rows_path)
    answers = {f"run{run:02d}": door.read_predictions(path, rows) for run, path in enumerate(preds)}
    con = scoring.filled(rows, answers, scoring.Options(seed=0, replicates=N_REPLICATES))
    warehouse.derive(con, ["intermediate.draws", "intermediate.entity_quantiles", "marts.entity_scores"])
    gold, by_run = _spans(con, n_runs)
    tags = [
        label
        for (label,) in con.sql("select distinct slice from marts.entity_scores where slice_by = 'label'").fetchall()
    ]

    seconds: dict[str, list[float]] = {"scores": [], "intervals": [], "nervaluate": []}
    theirs: list[Any] = []
    for _ in range(N_TIMES + 1):
        began = time.perf_counter()
        _remake(con, SCORES)
        ours = con.sql("select * from marts.entity_scores").fetchall()
        seconds["scores"].append(time.perf_counter() - began)
        began = time.perf_counter()
        _remake(con, INTERVALS)
        seconds["intervals"].append(time.perf_counter() - began)
        began = time.perf_counter()
        theirs = [Evaluator(true=gold, pred=pred, tags=tags, loader="dict").evaluate() for pred in by_run]
        seconds["nervaluate"].append(time.perf_counter() - began)
    assert len(ours) > 0
    _same_spans(con, theirs)
    scores, intervals, other = (statistics.median(seconds[kind][1:]) for kind in seconds)
    print(f"{n_runs:2d} runs, {N_ROWS} rows, {sum(map(len, gold))} gold spans:")
    print(f"  DuckDB, scores {scores:.3f} s")
    print(f"  nervaluate     {other:.3f} s, ratio {other / scores:.1f}")
    print(f"  DuckDB, intervals from {N_REPLICATES} replicates {intervals:.3f} s")


def _remake(con: warehouse.Connection, names: Sequence[str]) -> None:
    """Compute the tables again."""
    by_name = {file.name: file for file in warehouse.files()}
    for name in names:
        con.execute(f"drop table intermediate.{name}")
        warehouse.execute_file(con, by_name[f"intermediate.{name}"], f"create table intermediate.{name} as\n")


def _spans(con: warehouse.Connection, n_runs: int) -> tuple[Spans, list[Spans]]:
    """What counts of gold, and of each run's predictions: without those that are neither right nor wrong."""
    gold: Spans = [[] for _ in range(N_ROWS)]
    preds: list[Spans] = [[[] for _ in range(N_ROWS)] for _ in range(n_runs)]
    for row, label, start, end in con.sql(
        "select row_key - 1, label, start_char, end_char - 1 from intermediate.typed_gold where is_scored "
        "order by gold_key"
    ).fetchall():
        gold[row].append({"label": label, "start": start, "end": end})
    for run, row, label, start, end in con.sql(
        "select run_key - 1, row_key - 1, label, start_char, end_char - 1 from intermediate.typed_pred "
        "where pred_key not in (select pred_key from intermediate.span_overlaps where not is_scored) "
        "or pred_key in (select pred_key from intermediate.span_overlaps where is_scored) order by pred_key"
    ).fetchall():
        preds[run][row].append({"label": label, "start": start, "end": end})
    return gold, preds


def _same_spans(con: warehouse.Connection, theirs: Sequence[Any]) -> None:
    """Both counted the same spans, and disagree on no more of them than compete with each other."""
    ours = con.sql(
        "select possible, actual, correct from marts.entity_scores "
        "where slice_by = 'all' and scheme = 'strict' order by run_id"
    ).fetchall()
    for (possible, actual, correct), said in zip(ours, theirs, strict=True):
        strict = said["overall"]["strict"]
        assert (possible, actual) == (strict.possible, strict.actual)
        assert abs(correct - strict.correct) <= 0.01 * possible


if __name__ == "__main__":
    main()
