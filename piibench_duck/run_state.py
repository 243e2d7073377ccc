"""What a run has answered already, what is left for it to answer, and its line and tables in the warehouse."""

import os
import shutil
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piibench_duck import boards, combine, machine, predict, speed, versions, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan
from piibench_duck.run_plans import SAID, RunPlan
from piibench_duck.runners import SETTINGS, Description, Text
from piibench_duck.runners.registry import shown, version_of
from piibench_duck.shards import Shard

if TYPE_CHECKING:
    import pyarrow as pa

    from piibench_duck.chunks import Answers


_ANSWERED = "select row_id from contracts.run_rows where status <> 'error'"
"""A row that failed is asked again."""

_DIGITS = 12
"""Of the digest in the name of an attempt's folder."""

ANY_DIGEST = "?" * _DIGITS
"""Of folders, as `glob` takes it."""


class Earlier(NamedTuple):
    """What a run has answered already."""

    row_ids: frozenset[str]  # of rows that are still the same
    is_whole: bool  # whether those are all that it answered
    line: Mapping[str, Any]  # of `contracts.runs`


class Todo(NamedTuple):
    """What a run has to answer."""

    row_ids: Sequence[str]  # in order
    digest: str  # of those rows and their texts
    there: "Earlier | None"


def todo_of(
    con: warehouse.Connection,
    board: Board,
    protocol: Protocol,
    run: str,
    digest: str | None,
    designs: Sequence[str] | None,
    restart: bool,
) -> Todo:
    """What is left of the designs for a run with these settings (`digest`; None: any); attaches the board with it."""
    there = earlier(con, board, run, digest)
    warehouse.attach(con, board.warehouse, [] if there is None else [run])
    asked = wanted(con, board, protocol, designs)
    if restart and there is not None:
        there = there._replace(row_ids=there.row_ids.difference(asked), is_whole=False)
    row_ids = [row_id for row_id in asked if there is None or row_id not in there.row_ids]
    of_rows = "select row_id, sha256(text) from contracts.rows where row_id in (select unnest($row_ids))"
    return Todo(row_ids, warehouse.content_digest(con, of_rows, {"row_ids": row_ids}), there)


def earlier(con: warehouse.Connection, board: Board, run: str, digest: str | None) -> Earlier | None:
    """What the run answered with these settings (None: with any), if it is there whole."""
    there = warehouse.about(con, board.warehouse)
    inputs = [there.get(f"{table}/{run}", {}).get("inputs") for table in warehouse.RUN_TABLES]
    if not inputs[0] or inputs != [inputs[0]] * len(inputs):
        return None
    if versions.first_other(con, board.warehouse, [f"{table}/{run}" for table in warehouse.RUN_TABLES]):
        return None  # of an older version, whose columns were others
    scratch = warehouse.connect()
    warehouse.attach(scratch, board.warehouse, [run])
    found = warehouse.rows_of(scratch, "select * from contracts.runs")
    if len(found) != 1 or found[0]["status"] != "ran" or digest not in (None, found[0]["settings_digest"]):
        return None
    same = {name for name, said in inputs[0].items() if there.get(name, {}).get("digest") == said}
    row_ids = [row_id for name in sorted(same) for row_id in boards.row_ids(scratch, board.warehouse, name)]
    answered = {row_id for (row_id,) in scratch.sql(_ANSWERED).fetchall()}
    return Earlier(frozenset(answered.intersection(row_ids)), same == inputs[0].keys(), found[0])


def wanted(con: warehouse.Connection, board: Board, protocol: Protocol, designs: Sequence[str] | None) -> Sequence[str]:
    """Ids of the rows of the designs, of every row of a rows file, in order."""
    plan = board_plan(board, protocol)
    names = None if plan is None else list(plan.predict if designs is None else designs)
    found = con.sql(
        "select row_id from contracts.rows where $names is null or row_id in "
        "(select row_id from contracts.designs where design in (select unnest($names::varchar[]))) order by row_id",
        params={"names": names},
    ).fetchall()
    if not found:
        raise PiibenchError("the board has no rows; build it again")
    return [row_id for (row_id,) in found]


def texts_of(con: warehouse.Connection, row_ids: Sequence[str]) -> Sequence[Text]:
    """Id and text, all that a runner ever sees of a row, in order of id."""
    found = con.sql(
        "select row_id, text from contracts.rows where row_id in (select unnest($row_ids)) order by row_id",
        params={"row_ids": list(row_ids)},
    ).fetchall()
    return [Text(*line) for line in found]


def _kept(con: warehouse.Connection, table: str, there: Earlier | None) -> "list[pa.Table]":
    """What a run said before of rows that are still the same."""
    if there is None or not there.row_ids:
        return []
    select = f"select * from contracts.{table} where row_id in (select unnest($row_ids))"
    return [con.sql(select, params={"row_ids": sorted(there.row_ids)}).to_arrow_table()]


def machine_of(todo: Todo, found: "Answers", checked: speed.BatchCheck | None) -> dict[str, str]:
    """Where all that is kept and all that is new was answered."""
    before = [todo.there.line["machine"]] if todo.there and todo.there.row_ids else []
    said = machine.together([*before, *([found.machine] if found.machine else [])])
    return {**said, **({"rows_changed_by_batching": str(checked)} if checked else {})}


def write(
    con: warehouse.Connection,
    board: Board,
    line: Mapping[str, Any],
    todo: Todo,
    found: "Answers",
    timed: "pa.Table | None",
) -> None:
    """A run's line and tables, in place of those that were there."""
    kept = {table: _kept(con, table, todo.there) for table in ("run_rows", "pred_spans", "timings")}
    by_table = {
        "run_rows": chain(kept["run_rows"], found.tables("run_rows")),
        "pred_spans": chain(kept["pred_spans"], found.tables("pred_spans")),
        "timings": kept["timings"] if timed is None else [timed],
    }
    in_order = timed is None and not any(kept.values()) and len({path.parent for path in found.paths}) < 2
    answered = [*todo.row_ids, *sorted(todo.there.row_ids if todo.there else ())]
    boards.write_run(board.warehouse, line, by_table, boards.row_inputs(con, board.warehouse, answered), in_order)


def line_of(plan: RunPlan, described: Description, digest: str, machine: Mapping[str, str]) -> dict[str, Any]:
    return {
        **said_of(plan),
        "status": "ran",
        "kind": described.kind,
        "runner_version": version_of(plan.runner),
        "model": described.model,
        "revision": described.revision,
        "is_pinned": described.is_pinned,
        "weights_sha256": described.weights_sha256,
        "label_namespace": described.label_namespace,
        "settings": sorted({**dict.fromkeys(SETTINGS, "not applicable"), **described.settings}.items()),
        "settings_digest": digest,
        "machine": sorted(machine.items()),
    }


def not_run(plan: RunPlan, why: str) -> dict[str, Any]:
    return {
        **said_of(plan),
        "status": "not_run",
        "why": why,
        "kind": "combined" if plan.runner == combine.RUNNER else "model",
        "model": shown(plan.runner, plan.model),
        "revision": plan.revision,
        "label_namespace": plan.namespace or "*",
        "settings": [],
        "settings_digest": "",
        "machine": [],
    }


def said_of(plan: RunPlan) -> dict[str, Any]:
    """What people say of a run."""
    return {"run_id": plan.name, "runner": plan.runner, **{name: getattr(plan, name) for name in SAID}}


def is_said_otherwise(todo: Todo, plan: RunPlan) -> bool:
    """Whether people say something else of a run than when it was answered."""
    if todo.there is None:
        return False
    return {name: todo.there.line[name] for name in SAID} != {name: getattr(plan, name) for name in SAID}


def refuse_other_settings(board: Board, run: str, digest: str) -> None:
    """Raise where a run of that name was answered by something else: a name typed twice is not meant to lose it."""
    con = warehouse.connect()
    there = earlier(con, board, run, None)
    if there is not None and there.line["settings_digest"] != digest:
        made = there.line
        raise PiibenchError(
            f"run {run!r} is there already, made by {made['runner']} with other settings; another name, or --restart "
            "to replace it, was expected"
        )


def opened(board: Board) -> warehouse.Connection:
    """A connection, after finding that the board's rows are those of its build."""
    con = warehouse.connect()
    boards.verify(con, board.warehouse, (*boards.kept_tables(), *warehouse.RUN_TABLES))
    return con


def folder_of(board: Board, run: str, todo: Todo, shard: Shard | None = None) -> Path:
    """Named by what is to be answered: a design that was cut short does not stand in the way of another."""
    return board.warehouse / "chunks" / f"{run}-{todo.digest[:_DIGITS]}{shard.ending if shard else ''}"


def clear(folders: Sequence[Path]) -> None:
    """Remove what has become a run, with the locks beside it."""
    for folder in folders:
        # Under a name that `boards.sweep` knows, since whoever is killed here leaves half a folder.
        gone = folder.rename(folder.with_name(f".staging.{folder.name}.{os.getpid()}"))
        shutil.rmtree(gone)
        folder.with_name(f"{folder.name}.lock").unlink(missing_ok=True)


def clear_written(board: Board, run: str, there: Earlier | None, ending: str = "") -> bool:
    """Remove what a process that was killed while it tidied up had made a run of already; whether there was any.

    Of attempts whose folder's name ends so, with the same settings, all answers of which the run has.
    """
    if there is None:
        return False
    written = []
    for folder in (board.warehouse / "chunks").glob(f"{run}-{ANY_DIGEST}{ending}"):
        try:
            is_same = predict.begun(folder)["settings_digest"] == there.line["settings_digest"]
            rows = predict.answers(folder).run_rows.to_pylist() if is_same else []
        except PiibenchError:
            continue  # not finished, or damaged, which whoever goes on with it is told
        if is_same and there.row_ids.issuperset(row["row_id"] for row in rows if row["status"] != "error"):
            written.append(folder)
    clear(written)
    return bool(written)
