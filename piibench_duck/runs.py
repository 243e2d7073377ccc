"""Runs on a board: a runner over its rows, whole or in shards, into the warehouse."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from piibench_duck import boards, combine, merging, predict, run_state, speed, warehouse
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan
from piibench_duck.run_plans import RunPlan
from piibench_duck.runners import Detector, Text
from piibench_duck.runners.registry import load_runner, options_of
from piibench_duck.shards import Shard, of_row

Progress = Callable[[int], None]


class Asked(NamedTuple):
    """What somebody wants of a run beside its answers."""

    designs: Sequence[str] | None = None
    """Whose rows are answered; None for those that the board's runs answer."""
    restart: bool = False
    fail_fast: bool = False
    shard: Shard | None = None
    """Answer this part alone and leave it for `merge`."""
    merge: int | None = None
    """Put so many shards together instead of running anything."""
    time_rows: int | None = None
    check_batch: int | None = None
    batch_rows: int = predict.BATCH_ROWS


class Outcome(NamedTuple):
    """What became of a run: `ran`, `kept` where it was there already, `answered` where it is a shard, or `not_run`."""

    state: str
    why: str | None = None
    errors: Mapping[str, int] = {}
    """How many rows were not answered, by the type of the exception."""
    batch_check: speed.BatchCheck | None = None


def load(plan: RunPlan) -> Detector:
    """The detector of a plan."""
    options = {**plan.options, **({"namespace": plan.namespace} if plan.namespace else {})}
    return load_runner(plan.runner, plan.model, plan.revision, options, plan.unpinned)


def run_on_board(
    board: Board,
    protocol: Protocol,
    plan: RunPlan,
    asked: Asked = Asked(),  # noqa: B008  # it is never changed
    start: Callable[[int], Progress] | None = None,
) -> Outcome:
    """Answer the rows of the designs asked for that the run has not answered yet.

    What it said of rows that are still the same is kept, unless its settings are others. `start` is told how many rows
    there are to answer and gives back what is told how many were done.
    """
    boards.require_built(board.warehouse, board.name)
    boards.sweep(board.warehouse)
    if plan.runner == combine.RUNNER:
        return _combine(board, protocol, plan)
    boards.refuse_kinds(board, plan.name, ("combined", "file"), "was not made by a runner")
    if asked.shard:
        return _answer_shard(board, protocol, plan, asked, start)
    with predict.held(board.warehouse / "chunks" / plan.name):
        if asked.merge:
            return Outcome(*merging.merge(board, protocol, plan, asked.merge, asked.designs))
        return _run_on_board(board, protocol, plan, asked, start)


def _run_on_board(
    board: Board, protocol: Protocol, plan: RunPlan, asked: Asked, start: Callable[[int], Progress] | None
) -> Outcome:
    con = run_state.opened(board)
    detector, why = _loaded(plan)
    if detector is None:
        return _not_run(con, board, protocol, plan, asked, why)
    digest = predict.settings_digest(detector.description, asked.batch_rows)
    todo = run_state.todo_of(con, board, protocol, plan.name, digest, asked.designs, asked.restart)
    run_state.clear_written(board, plan.name, todo.there)
    if plan.name not in protocol.runs and not asked.restart:
        run_state.refuse_other_settings(board, plan.name, digest)
    is_news = todo.row_ids or asked.time_rows or asked.check_batch
    if todo.there and todo.there.is_whole and not (is_news or run_state.is_said_otherwise(todo, plan)):
        return Outcome("kept")
    checked = _check_batch(con, board, protocol, plan, asked, detector)
    folders = []
    if todo.row_ids:
        progress = start(len(todo.row_ids)) if start else None
        folders = [run_state.folder_of(board, plan.name, todo)]
        _predict(con, detector, todo, todo.row_ids, folders[0], asked, progress)
    found = predict.answers_of(folders, plan.name)
    timed = None
    if asked.time_rows:
        texts = _sample(con, board, protocol, asked.time_rows)
        timed = speed.table(plan.name, speed.times(detector, texts))
    run_state.write(
        con,
        board,
        run_state.line_of(plan, detector.description, digest, run_state.machine_of(todo, found, checked)),
        todo,
        found,
        timed,
    )
    run_state.clear(folders)
    return Outcome("ran", errors=found.errors, batch_check=checked)


def _not_run(
    con: warehouse.Connection, board: Board, protocol: Protocol, plan: RunPlan, asked: Asked, why: str
) -> Outcome:
    """What becomes of a run whose detector cannot be had: answers that are still true are not thrown away for it."""
    todo = run_state.todo_of(con, board, protocol, plan.name, None, asked.designs, restart=False)
    if todo.there is None:
        boards.write_run(board.warehouse, run_state.not_run(plan, why), {}, {})
        return Outcome("not_run", why)
    if not todo.there.is_whole:
        run_state.write(con, board, todo.there.line, todo._replace(row_ids=[]), predict.answers_of([], plan.name), None)
    return Outcome("kept", why)


def _combine(board: Board, protocol: Protocol, plan: RunPlan) -> Outcome:
    """A combination that a protocol names: where one of its parts was not run, it was not either."""
    try:
        combine.run(board, protocol, plan)
    except PiibenchError as error:
        boards.write_run(board.warehouse, run_state.not_run(plan, str(error)), {}, {})
        return Outcome("not_run", str(error))
    return Outcome("ran")


def _answer_shard(
    board: Board, protocol: Protocol, plan: RunPlan, asked: Asked, start: Callable[[int], Progress] | None
) -> Outcome:
    """The rows of one shard, into a folder that waits for `merge`."""
    con = run_state.opened(board)
    detector, why = _loaded(plan)
    if detector is None:
        raise PiibenchError(f"run {plan.name!r} cannot run: {why}")
    assert asked.shard is not None
    digest = predict.settings_digest(detector.description, asked.batch_rows)
    todo = run_state.todo_of(con, board, protocol, plan.name, digest, asked.designs, asked.restart)
    mine = [row_id for row_id in todo.row_ids if of_row(row_id, asked.shard.of) == asked.shard.part]
    folder = run_state.folder_of(board, plan.name, todo, asked.shard)
    _predict(con, detector, todo, mine, folder, asked, start(len(mine)) if start else None)
    return Outcome("answered", errors=predict.answers(folder, plan.name).errors)


def _loaded(plan: RunPlan) -> tuple[Detector | None, str]:
    """The detector, or why there is none."""
    try:
        return load(plan), ""
    except WrongUsageError:
        raise  # a slip of whoever typed it, and nothing about the detector
    except PiibenchError as error:
        return None, str(error)


def _predict(
    con: warehouse.Connection,
    detector: Detector,
    todo: run_state.Todo,
    row_ids: Sequence[str],
    folder: Path,
    asked: Asked,
    progress: Progress | None,
) -> None:
    predict.predict(
        predict.Texts(row_ids, lambda ids: run_state.texts_of(con, ids)),
        detector,
        folder,
        todo.digest,
        batch_size=asked.batch_rows,
        restart=asked.restart,
        fail_fast=asked.fail_fast,
        progress=progress,
    )


def _sample(con: warehouse.Connection, board: Board, protocol: Protocol, n_rows: int) -> Sequence[Text]:
    """So many rows of those that rank, by digest of their ids: the same for every run of the board."""
    plan = board_plan(board, protocol)
    return run_state.texts_of(
        con, speed.sample(run_state.wanted(con, board, protocol, [plan.ranked] if plan else None), n_rows)
    )


def _check_batch(
    con: warehouse.Connection, board: Board, protocol: Protocol, plan: RunPlan, asked: Asked, detector: Detector
) -> speed.BatchCheck | None:
    if not asked.check_batch:
        return None
    has_batches = "batch" in options_of(plan.runner)
    single = load(plan._replace(options={**plan.options, "batch": "1"})) if has_batches else detector
    return speed.check_batch(detector, single, _sample(con, board, protocol, asked.check_batch), asked.batch_rows)
