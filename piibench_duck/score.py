"""Predictions to results: fill or open the tables, derive the marts, refuse what is missing, write what people read."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import (
    bare_runs,
    boards,
    draws,
    forgiven,
    label_maps,
    report,
    results,
    side_by_side,
    slice_values,
    sources,
    warehouse,
    yardsticks,
)
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.places import Board
from piibench_duck.protocol import BoardPlan, Protocol, board_plan

SCORE_MARTS = (
    *("marts.scores", "marts.mean_scores", "marts.type_scores", "marts.score_intervals", "marts.slice_intervals"),
    *("marts.rows_digest", "marts.bench_predictions", "marts.design_digests"),
    *("intermediate.pair_counts", "marts.carrier_effects", "marts.carrier_losses", "marts.speeds"),
)
_BOARD_ONLY = ("intermediate.char_intervals",)
"""What a board keeps for queries, and no result is made of."""

_FILE_CHECKS = ("copied_text_is_that_of_the_passage",)
_RUN_CHECKS = ("pred_spans_lie_inside_their_row", "label_map_names_known_types")


class Options(NamedTuple):
    """What one scoring is asked for."""

    seed: int
    replicates: int
    allow_missing: bool = False
    threads: int | None = None
    slices: Sequence[str] = ()
    """Columns that somebody wants to see slices of: refused where there are no such."""


def score_board(board: Board, protocol: Protocol, options: Options, runs: Sequence[str] = ()) -> list[str]:
    """Score runs of a board, all unless named, into `results/<board>/<run>/` and the warehouse. Their names.

    Raises `PiibenchError` where a run has not answered every row and that is not allowed, before anything is written.
    """
    began = time.perf_counter()
    boards.require_built(board.warehouse, board.name)
    boards.sweep(board.warehouse)
    boards.sweep(board.results)
    chosen = boards.asked_runs(board.warehouse, runs)
    if not chosen:
        raise PiibenchError(f"board {board.name!r} has no runs; run `piibench-duck predict --board {board.name}`")
    con = warehouse.connect(options.threads)
    label_maps.fill(con, board, protocol)
    boards.write_empty(con, board.warehouse)
    digests = boards.verify(con, board.warehouse, boards.kept_tables(), chosen)
    warehouse.attach(con, board.warehouse, chosen, keep=("taxonomy", "label_map"))
    with _whole_files(board):
        label_maps.refuse_unknown(con, board)
    digests |= boards.write_seeds(con, board.warehouse)
    plan = board_plan(board, protocol)
    _fill_settings(con, options, plan)
    with _whole_files(board):
        refuse_slices(con, options.slices)
        warehouse.check(con, _RUN_CHECKS)
        _derive(con)
        warehouse.derive(con, _BOARD_ONLY)
    _refuse_missing(con, options)
    ran = set(_column(con, "select run_id from staging.runs where status = 'ran'"))
    design = plan.ranked if plan else None
    rows_sha256 = sources.rows_at_build(board.warehouse)
    provenance = {"board": board.name, "design": design, "protocol": protocol.version, "rows_sha256": rows_sha256}
    found = results.of_runs(con, provenance)
    known = report.common(con, sources.read_at_build(board.warehouse), rows_sha256)
    seconds = time.perf_counter() - began
    for run in chosen:
        if run in ran:
            _keep(con, board, run, digests)
        else:
            for table in boards.kept_tables():
                (board.warehouse / table / f"{run}.parquet").unlink(missing_ok=True)
            report.clear(board.results / run)
        if run in ran:
            report.write(known, run, board.results / run)
        results.write(con, found[run], board.results / run, seconds)
    return chosen


def score_files(
    rows: Rows, predictions: Predictions, model: str, out_dir: Path, protocol: Protocol, options: Options
) -> None:
    """Score a predictions file against a rows file into `out_dir`, without any warehouse."""
    began = time.perf_counter()
    con = filled(rows, {model: predictions}, options)
    warehouse.check(con, _FILE_CHECKS, "mend the rows file")
    slice_values.refuse_gold(con, "rows file")
    refuse_slices(con, options.slices)
    _derive(con)
    provenance = {"board": None, "design": None, "protocol": protocol.version, "rows_sha256": rows.sha256}
    found = results.of_runs(con, provenance)[model]
    report.write(report.common(con, rows_sha256=rows.sha256), model, out_dir)
    results.write(con, found, out_dir, time.perf_counter() - began)


def compare_files(rows: Rows, a: Predictions, b: Predictions, unit: str, options: Options) -> dict[str, Any]:
    """The paired comparison of two predictions files, a line of `marts.comparisons`."""
    con = filled(rows, {"a": a, "b": b}, options)
    return _compared(con, "a", "b", unit)


def compare_runs(board: Board, protocol: Protocol, a: str, b: str, unit: str, options: Options) -> dict[str, Any]:
    """The paired comparison of two runs of a board."""
    boards.require_built(board.warehouse, board.name)
    if a == b:
        raise PiibenchError(f"run {a!r} cannot be compared with itself")
    chosen = boards.asked_runs(board.warehouse, [a, b])
    con = warehouse.connect(options.threads)
    label_maps.fill(con, board, protocol)
    boards.verify(con, board.warehouse, boards.kept_tables(), chosen)
    warehouse.attach(con, board.warehouse, chosen, keep=("taxonomy", "label_map"))
    _fill_settings(con, options, board_plan(board, protocol))
    with _whole_files(board):
        label_maps.refuse_unknown(con, board)
        warehouse.derive(con, ["marts.mean_scores"])
    _refuse_missing(con, options)
    not_run = _column(con, "select run_id from staging.runs where status = 'not_run' order by run_id")
    if not_run:
        raise PiibenchError(f"run {not_run[0]!r} was not run, so there is nothing to compare")
    return _compared(con, a, b, unit)


def _derive(con: warehouse.Connection) -> None:
    """All that a result is made of; the draws come from the cache where they lie."""
    warehouse.derive(con, (*SCORE_MARTS, *yardsticks.marts(con)), {draws.TABLE: draws.derive})


@contextmanager
def _whole_files(board: Board) -> Iterator[None]:
    """A file of the board that breaks off or holds something else is a fault that a user can mend."""
    try:
        yield
    except RuntimeError as error:
        boards.refuse_broken(board.warehouse, error)
        raise


def _compared(con: warehouse.Connection, a: str, b: str, unit: str) -> dict[str, Any]:
    draws.derive(con)
    warehouse.derive(con, ["marts.comparisons", "marts.rows_digest"])
    lines = warehouse.rows_of(con, "select * from marts.comparisons cross join marts.rows_digest")
    return next(line for line in lines if (line["run_a"], line["run_b"], line["unit"]) == (a, b, unit))


def filled(rows: Rows, runs: Mapping[str, Predictions], options: Options) -> warehouse.Connection:
    """Contracts filled with a rows file and the predictions of each run, ready to be derived."""
    con = warehouse.connect(options.threads or side_by_side.threads_of_each())
    warehouse.fill_seeds(con)
    _fill_settings(con, options, None)
    for table, columns in rows.tables.items():
        warehouse.fill(con, table, columns)
    forgiven.fill(con)
    for run, predictions in runs.items():
        bare_runs.fill(con, run)
        for table, columns in (("run_rows", predictions.run_rows), ("pred_spans", predictions.pred_spans)):
            warehouse.fill(con, table, {"run_id": [run] * len(columns["row_id"]), **columns})
    return con


def _fill_settings(con: warehouse.Connection, options: Options, plan: BoardPlan | None) -> None:
    settings = {
        "design": plan.ranked if plan else None,
        "pairs_design": plan.pairs if plan else None,
        "documents_design": plan.documents if plan else None,
        "allow_missing": options.allow_missing,
        "seed": options.seed,
        "replicates": options.replicates,
    }
    warehouse.fill(con, "settings", {name: [value] for name, value in settings.items()})


def _refuse_missing(con: warehouse.Connection, options: Options) -> None:
    """A row that was not answered is an error unless allowed by name."""
    if options.allow_missing:
        return
    missing = con.sql(
        "select run_id, n_rows_missing from marts.mean_scores where n_rows_missing > 0 order by run_id"
    ).fetchall()
    if missing:
        told = ", ".join(f"{run!r} ({n_rows})" for run, n_rows in missing)
        raise PiibenchError(
            f"missing_rows: rows not answered by {told}; predict them (again), or pass "
            "--allow-missing to count them as missed"
        )


def refuse_slices(con: warehouse.Connection, columns: Sequence[str]) -> None:
    """Raise where there is nothing to slice by one of these columns."""
    if not columns:
        return
    warehouse.derive(con, ["intermediate.slices"])
    there = _column(con, "select distinct slice_by from intermediate.slices where slice_by <> 'all' order by all")
    for name in columns:
        if name not in there:
            raise PiibenchError(f"--slices: no column {name!r}; there are {', '.join(there) or 'none'}")


def _keep(con: warehouse.Connection, board: Board, run: str, digests: Mapping[str, str]) -> None:
    """Write the relations that are kept for a run, each naming what it was computed from."""
    inputs = {
        name: digest
        for name, digest in digests.items()
        if name.split("/")[0]
        in (
            "rows",
            "gold_spans",
            "alignments",
            "annotators",
            "forgiven",
            "source_labels",
            "designs",
            "taxonomy",
            "label_map",
        )
        or name in (f"pred_spans/{run}", f"run_rows/{run}", f"runs/{run}")
    }
    for name in warehouse.kept_names():
        path = board.warehouse / name.split(".")[1] / f"{run}.parquet"
        if not warehouse.is_there(con, name):
            path.unlink(missing_ok=True)
            continue
        warehouse.write(con, f"select * from {name} where run_id = {warehouse.quoted(run)}", path, inputs)


def _column(con: warehouse.Connection, select: str) -> list[Any]:
    return [value for (value,) in con.sql(select).fetchall()]
