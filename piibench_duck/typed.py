"""Typed scores alone, of so many documents of each slice: no characters are counted and nothing is drawn."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from piibench_duck import boards, label_maps, report, score, slice_values, sources, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan
from piibench_duck.warehouse import Connection

_FILE_CHECKS = ("copied_text_is_that_of_the_passage",)
_NEEDED = [*report.MARTS, "marts.rows_digest", "marts.design_digests"]

_LOADED = {  # tables of a board, and which of their lines: all, of the rows that count, or of those that were loaded
    **{"designs": "all", "source_labels": "all", "runs": "all", "rows": "counts"},
    **{"gold_spans": "ours", "alignments": "ours", "run_rows": "ours", "pred_spans": "ours"},
}


def score_board(board: Board, protocol: Protocol, options: score.Options, runs: Sequence[str], limit: int) -> list[str]:
    """Write `reports/<corpus>.limit-<N>.json` of runs of a board, all unless named, and nothing else. Their names.

    Raises `PiibenchError` where a run has not answered every row that ranks and that is not allowed. A run that was not
    run has no reports.
    """
    chosen = asked(board, runs)
    with opened(board, protocol, options, chosen) as con:
        _limit(con, limit)
        score.refuse_slices(con, options.slices)
        warehouse.derive(con, _NEEDED)
        _refuse_missing(con, options)
        known = report.common(con, sources.read_at_build(board.warehouse), sources.rows_at_build(board.warehouse))
        for run in chosen:
            report.write(known, run, board.results / run)
        return chosen


def score_files(
    rows: Rows, predictions: Predictions, model: str, out_dir: Path, options: score.Options, limit: int
) -> None:
    """The same of a predictions file against a rows file, into `out_dir`."""
    con = score.filled(rows, {model: predictions}, options)
    warehouse.check(con, _FILE_CHECKS, "mend the rows file")
    slice_values.refuse_gold(con, "rows file")
    _limit(con, limit)
    score.refuse_slices(con, options.slices)
    warehouse.derive(con, _NEEDED)
    report.write(report.common(con, rows_sha256=rows.sha256), model, out_dir)


def asked(board: Board, runs: Sequence[str]) -> list[str]:
    """The runs asked for, or all that a board has; raises where it has none."""
    boards.require_built(board.warehouse, board.name)
    chosen = boards.asked_runs(board.warehouse, runs)
    if not chosen:
        raise PiibenchError(f"board {board.name!r} has no runs; run `piibench-duck predict --board {board.name}`")
    return chosen


@contextmanager
def opened(board: Board, protocol: Protocol, options: score.Options, runs: Sequence[str]) -> Iterator[Connection]:
    """A board in memory, nothing derived: the rows that count with their gold, and what there is of these runs.

    A file of it that breaks off or holds something else is a fault that a user can mend.
    """
    con = warehouse.connect(options.threads)
    label_maps.fill(con, board, protocol)
    boards.verify(con, board.warehouse, boards.kept_tables(), runs)
    warehouse.attach(con, board.warehouse, runs, keep=("taxonomy", "label_map", *_LOADED))
    plan = board_plan(board, protocol)
    settings = {
        "design": plan.ranked if plan else None,
        "pairs_design": plan.pairs if plan else None,
        "documents_design": plan.documents if plan else None,
        "allow_missing": options.allow_missing,
        "seed": options.seed,
        "replicates": options.replicates,
    }
    warehouse.fill(con, "settings", {name: [value] for name, value in settings.items()})
    try:
        _load(con, board, runs)
        label_maps.refuse_unknown(con, board)
        yield con
    except RuntimeError as error:
        boards.refuse_broken(board.warehouse, error)
        raise


def _load(con: Connection, board: Board, runs: Sequence[str]) -> None:
    """Read each file once: views over many files, read by many relations, would cost more than all the counting."""
    con.execute("create schema given")
    for table in _LOADED:
        files = [warehouse.EMPTY, *(f"{run}.parquet" for run in runs)] if table in warehouse.RUN_TABLES else None
        warehouse.create_parquet_view(con, f"given.{table}", board.warehouse / table, files)
    counts = (
        "exists (from contracts.settings where design is null) or row_id in (select designs.row_id "
        "from given.designs as designs inner join contracts.settings as settings "
        "on designs.design = settings.design or designs.design = settings.documents_design)"
    )
    ours = "row_id in (select rows.row_id from contracts.rows as rows)"
    for table, condition in _LOADED.items():
        where = {"all": "true", "counts": counts, "ours": ours}[condition]
        con.execute(f"insert into contracts.{table} by name select * from given.{table} where {where}")


def _limit(con: Connection, limit: int) -> None:
    con.execute("update contracts.settings set document_limit = $limit", {"limit": limit})


def _refuse_missing(con: Connection, options: score.Options) -> None:
    if options.allow_missing:
        return
    missing = con.sql(
        "select run_id, sum(n_rows_missing)::bigint from marts.typed_scores "
        "where is_ranked and slice_by = 'all' and n_rows_missing > 0 group by run_id order by run_id"
    ).fetchall()
    if missing:
        told = ", ".join(f"{run!r} ({n_rows})" for run, n_rows in missing)
        raise PiibenchError(
            f"missing_rows: rows not answered by {told}; predict them (again), or pass "
            "--allow-missing to count them as missed"
        )
