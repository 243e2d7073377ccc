"""Runs: a runner over a board's rows or over a rows file, into the warehouse or into a predictions file."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import boards, predict, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tables, writing
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, RunPlan
from piibench_duck.runners import Detector, Text
from piibench_duck.runners.registry import load_runner, runner_names

Progress = Callable[[int], None]


class Outcome(NamedTuple):
    """What became of a run: `ran`, `kept` where it was there already, or `not_run` and why."""

    state: str
    why: str | None = None
    errors: Mapping[str, int] = {}
    """How many rows were not answered, by the type of the exception."""


def load(plan: RunPlan) -> Detector:
    """The detector of a plan."""
    options = {"labels": plan.labels} if plan.labels else {}
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
) -> Outcome:
    """Answer the board's rows and write the run, unless it is there already for these rows and settings.

    `start` is told how many rows there are and gives back what is told how many were done.
    """
    boards.require_built(board.warehouse, board.name)
    boards.sweep(board.warehouse)
    folder = board.warehouse / "chunks" / plan.name
    con = warehouse.connect()
    boards.verify(con, board.warehouse, (*boards.kept_tables(), *warehouse.RUN_TABLES))
    inputs = boards.row_inputs(con, board.warehouse)
    try:
        detector = load(plan)
    except PiibenchError as error:
        if not restart and _is_current(
            con, board, plan.name, None, inputs
        ):  # answers are not thrown away for want of their model
            return Outcome("kept", str(error))
        boards.write_run(board.warehouse, _not_run(plan, str(error)), {}, {})
        return Outcome("not_run", str(error))
    digest = predict.settings_digest(detector.description)
    if not restart and _is_current(con, board, plan.name, digest, inputs):
        return Outcome("kept")
    warehouse.attach(con, board.warehouse, [])
    design = protocol.boards[board.name].design if board.own is None else None
    warehouse.fill(con, "settings", {"design": [design], "seed": [protocol.seed], "replicates": [protocol.replicates]})
    texts = _texts(con)
    progress = start(len(texts)) if start else None
    said = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
    with predict.held(folder):
        predict.predict(texts, detector, folder, said, restart=restart, progress=progress)
        found = predict.answers(folder, plan.name)
        by_table = {"run_rows": found.run_rows, "pred_spans": found.pred_spans, "timings": found.timings}
        boards.write_run(board.warehouse, _line(plan, detector, digest), by_table, inputs)
        shutil.rmtree(folder)
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


def _texts(con: warehouse.Connection) -> Sequence[Text]:
    """Id and text of each row that counts: all that a runner ever sees."""
    warehouse.derive(con, ["staging.rows"])
    found = con.sql("select row_id, text from staging.rows order by row_id").fetchall()
    if not found:
        raise PiibenchError("the board has no rows; build it again")
    return [Text(*line) for line in found]


def _is_current(
    con: warehouse.Connection, board: Board, run: str, digest: str | None, inputs: Mapping[str, str]
) -> bool:
    """Whether the run is there whole, for these rows and with these settings (None: with any)."""
    there = warehouse.about(con, board.warehouse)
    if any(there.get(f"{table}/{run}", {}).get("inputs") != inputs for table in warehouse.RUN_TABLES):
        return False
    scratch = warehouse.connect()
    warehouse.attach(scratch, board.warehouse, [run])
    found = scratch.sql("select status, settings_digest from contracts.runs").fetchall()
    return len(found) == 1 and found[0][0] == "ran" and digest in (None, found[0][1])


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
        "label_namespace": plan.labels or "*",
        "settings": [],
        "settings_digest": "",
        "machine": [],
        "licence": plan.licence,
        "credit": plan.credit,
        "note": plan.note,
    }
