"""Runs: a runner over a board's rows or over a rows file, into the warehouse or into a predictions file."""

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piibench_duck import boards, predict, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tables, writing
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, RunPlan, board_plan
from piibench_duck.runners import Detector, Text
from piibench_duck.runners.registry import load_runner, runner_names

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[int], None]


class Outcome(NamedTuple):
    """What became of a run: `ran`, `kept` where it was there already, or `not_run` and why."""

    state: str
    why: str | None = None
    errors: Mapping[str, int] = {}
    """How many rows were not answered, by the type of the exception."""


def load(plan: RunPlan) -> Detector:
    """The detector of a plan."""
    options = {"namespace": plan.namespace} if plan.namespace else {}
    return load_runner(plan.runner, plan.model, plan.revision, options)


def plan_of(model: str, revision: str | None, pipeline: str) -> RunPlan:
    """What MODEL means: the name of a runner, or a model for the `onnx` runner."""
    names = runner_names()
    if pipeline == "auto":
        pipeline = model if model in names and model != "onnx" else "onnx"
        found = Path(model).is_dir() or model.startswith("package:") or revision is not None
        if pipeline == "onnx" and not found:
            runners = ", ".join(name for name in names if name != "onnx")
            raise PiibenchError(
                f"no model {model!r}: it is neither a folder nor package:NAME nor one of {runners}; "
                "a model of the hub needs --revision with its commit"
            )
    if pipeline not in names:
        raise PiibenchError(f"no pipeline {pipeline!r}; there are auto, {', '.join(names)}")
    if pipeline == "onnx":
        return RunPlan(model, "onnx", model, revision)
    if model != pipeline or revision is not None:
        raise PiibenchError(f"pipeline {pipeline!r} takes no model and no revision; pass --model {pipeline}")
    return RunPlan(model, pipeline)


def run_on_board(
    board: Board,
    protocol: Protocol,
    plan: RunPlan,
    restart: bool = False,
    start: Callable[[int], Progress] | None = None,
    designs: Sequence[str] | None = None,
) -> Outcome:
    """Answer the rows of `designs` (None: those that the board's runs answer) that the run has not answered yet.

    What it said of rows that are still the same is kept, unless its settings are others. `start` is told how many rows
    there are to answer and gives back what is told how many were done.
    """
    boards.require_built(board.warehouse, board.name)
    boards.sweep(board.warehouse)
    with predict.held(board.warehouse / "chunks" / plan.name):
        return _run_on_board(board, protocol, plan, restart, start, designs)


def _run_on_board(
    board: Board,
    protocol: Protocol,
    plan: RunPlan,
    restart: bool,
    start: Callable[[int], Progress] | None,
    designs: Sequence[str] | None,
) -> Outcome:
    con = warehouse.connect()
    boards.verify(con, board.warehouse, (*boards.kept_tables(), *warehouse.RUN_TABLES))
    try:
        detector, why = load(plan), ""
    except PiibenchError as error:
        detector, why = None, str(error)
    digest = predict.settings_digest(detector.description) if detector else None
    there = _earlier(con, board, plan.name, digest)
    warehouse.attach(con, board.warehouse, [] if there is None else [plan.name])
    wanted = _wanted(con, board, protocol, designs)
    if restart and there is not None:
        there = _Earlier(there.row_ids.difference(text.row_id for text in wanted), is_whole=False)
    todo = [text for text in wanted if there is None or text.row_id not in there.row_ids]
    if there is not None and there.is_whole and (not todo or detector is None):
        return Outcome("kept", why or None)  # answers are not thrown away for want of their model
    if detector is None or digest is None:
        boards.write_run(board.warehouse, _not_run(plan, why), {}, {})
        return Outcome("not_run", why)
    progress = start(len(todo)) if start else None
    said = hashlib.sha256("\n".join(f"{text.row_id} {_digest(text.text)}" for text in todo).encode()).hexdigest()
    # By what is to be answered: a design that was cut short does not stand in the way of another.
    folder = board.warehouse / "chunks" / f"{plan.name}-{said[:12]}"
    predict.predict(todo, detector, folder, said, restart=restart, progress=progress)
    found = predict.answers(folder, plan.name)
    by_table = {
        table: [*_kept(con, table, there), rows]
        for table, rows in (
            ("run_rows", found.run_rows),
            ("pred_spans", found.pred_spans),
            ("timings", found.timings),
        )
    }
    answered = [text.row_id for text in todo] + sorted(there.row_ids if there else ())
    inputs = boards.row_inputs(con, board.warehouse, answered)
    boards.write_run(board.warehouse, _line(plan, detector, digest), by_table, inputs)
    shutil.rmtree(folder)
    folder.with_name(f"{folder.name}.lock").unlink(missing_ok=True)
    return Outcome("ran", errors=found.errors)


def run_on_file(
    rows: tables.Rows,
    plan: RunPlan,
    out: Path,
    restart: bool = False,
    start: Callable[[int], Progress] | None = None,
) -> dict[str, int]:
    """Answer a rows file into a predictions file; how often each kind of error was met."""
    detector = load(plan)
    folder = out.with_name(f"{out.name}.partial")
    texts = [Text(row_id, text) for row_id, text in rows.texts.items()]
    progress = start(len(texts)) if start else None
    with predict.held(folder):
        predict.predict(texts, detector, folder, rows.sha256, restart=restart, progress=progress)
        found = predict.answers(folder)
        writing.write_predictions(
            out,
            tables.Predictions(
                {name: found.run_rows[name].to_pylist() for name in tables.RUN_ROW_COLUMNS},
                {name: found.pred_spans[name].to_pylist() for name in tables.PRED_COLUMNS},
                (),
                "",
            ),
        )
        shutil.rmtree(folder)
        # Nobody waits for this lock, and a lock file has no business beside a person's finished predictions.
        folder.with_name(f"{folder.name}.lock").unlink(missing_ok=True)
    return found.errors


class _Earlier(NamedTuple):
    """What a run has answered already."""

    row_ids: frozenset[str]  # of rows that are still the same
    is_whole: bool  # whether those are all that it answered


def _earlier(con: warehouse.Connection, board: Board, run: str, digest: str | None) -> _Earlier | None:
    """What the run answered with these settings (None: with any), if it is there whole."""
    there = warehouse.about(con, board.warehouse)
    inputs = [there.get(f"{table}/{run}", {}).get("inputs") for table in warehouse.RUN_TABLES]
    if not inputs[0] or inputs != [inputs[0]] * len(inputs):
        return None
    scratch = warehouse.connect()
    warehouse.attach(scratch, board.warehouse, [run])
    found = scratch.sql("select status, settings_digest from contracts.runs").fetchall()
    if len(found) != 1 or found[0][0] != "ran" or digest not in (None, found[0][1]):
        return None
    same = {name for name, said in inputs[0].items() if there.get(name, {}).get("digest") == said}
    row_ids = [row_id for name in sorted(same) for row_id in boards.row_ids(scratch, board.warehouse, name)]
    answered = {row_id for (row_id,) in scratch.sql("select row_id from contracts.run_rows").fetchall()}
    return _Earlier(frozenset(answered.intersection(row_ids)), same == inputs[0].keys())


def _wanted(
    con: warehouse.Connection, board: Board, protocol: Protocol, designs: Sequence[str] | None
) -> Sequence[Text]:
    """Id and text of each row of the designs, of every row of a rows file: all that a runner ever sees."""
    plan = board_plan(board, protocol)
    if plan is None:
        found = con.sql("select row_id, text from contracts.rows order by row_id").fetchall()
    else:
        names = plan.predict if designs is None else designs
        found = con.sql(
            "select row_id, text from contracts.rows "
            "where row_id in (select row_id from contracts.designs where design in (select unnest($names))) "
            "order by row_id",
            params={"names": list(names)},
        ).fetchall()
    if not found:
        raise PiibenchError("the board has no rows; build it again")
    return [Text(*line) for line in found]


def _kept(con: warehouse.Connection, table: str, there: _Earlier | None) -> "list[pa.Table]":
    """What a run said before of rows that are still the same."""
    if there is None or not there.row_ids:
        return []
    select = f"select * from contracts.{table} where row_id in (select unnest($row_ids))"
    return [con.sql(select, params={"row_ids": sorted(there.row_ids)}).to_arrow_table()]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _line(plan: RunPlan, detector: Detector, digest: str) -> dict[str, Any]:
    described = detector.description
    return {
        "run_id": plan.name,
        "status": "ran",
        "kind": described.kind,
        "runner": described.runner,
        "model": described.model,
        "revision": described.revision,
        "weights_sha256": described.weights_sha256,
        "label_namespace": described.label_namespace,
        "settings": sorted(described.settings.items()),
        "settings_digest": digest,
        "machine": sorted(predict.machine(described).items()),
        "licence": plan.licence,
        "credit": plan.credit,
        "note": plan.note,
    }


def _not_run(plan: RunPlan, why: str) -> dict[str, Any]:
    return {
        "run_id": plan.name,
        "status": "not_run",
        "why": why,
        "kind": "model",
        "runner": plan.runner,
        "model": plan.model,
        "revision": plan.revision,
        "label_namespace": plan.namespace or "*",
        "settings": [],
        "settings_digest": "",
        "machine": [],
        "licence": plan.licence,
        "credit": plan.credit,
        "note": plan.note,
    }
