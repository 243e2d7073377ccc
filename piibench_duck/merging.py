"""Shards of a run put together: refused where one is missing, damaged, of other texts or of other settings."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from piibench_duck import predict, run_state
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol
from piibench_duck.run_plans import RunPlan
from piibench_duck.runners import Description
from piibench_duck.shards import Shard, all_of, of_row

_ASKED = {"labels": "labels_asked"}
"""Options whose setting has another name."""


def merge(
    board: Board, protocol: Protocol, plan: RunPlan, count: int, designs: Sequence[str] | None
) -> tuple[str, None, Mapping[str, int]]:
    """Write the run that so many shards make; what became of it, and how often each kind of error was met."""
    parts = all_of(count)
    chunks = board.warehouse / "chunks"
    earlier = run_state.earlier(run_state.opened(board), board, plan.name, None)
    tidied = [run_state.clear_written(board, plan.name, earlier, part.ending) for part in parts]
    pattern = f"{plan.name}-{run_state.ANY_DIGEST}"
    there = {part: sorted(chunks.glob(f"{pattern}{part.ending}/run.json")) for part in parts}
    if any(tidied) and not any(there.values()):
        return "kept", None, {}
    if not any(there.values()) and (board.warehouse / "runs" / f"{plan.name}.parquet").is_file():
        raise PiibenchError(f"run {plan.name!r} has no shards; it is there already, put together or answered whole")
    for part, manifests in there.items():
        if not manifests:
            raise PiibenchError(f"shard {part} of run {plan.name!r} is not there; answer it, or copy its folder here")
    for candidate in there[parts[0]]:  # shards of texts or settings that are no more may lie there too
        begun = predict.begun(candidate.parent)
        con = run_state.opened(board)
        todo = run_state.todo_of(con, board, protocol, plan.name, begun["settings_digest"], designs, restart=False)
        if run_state.folder_of(board, plan.name, todo, parts[0]) == candidate.parent:
            break
    else:
        raise PiibenchError(f"shard {parts[0]} of run {plan.name!r} answers other texts; answer it again")
    described = Description(**{**begun["detector"], "libraries": {}})
    _refuse_other_plan(plan, described)
    folders = []
    for part in parts:
        folder = run_state.folder_of(board, plan.name, todo, part)
        if not (folder / "run.json").is_file():
            raise PiibenchError(f"shard {part} of run {plan.name!r} answers other texts; answer it again")
        manifest = predict.begun(folder)
        if manifest["settings_digest"] != begun["settings_digest"]:
            raise PiibenchError(
                f"shard {part} of run {plan.name!r} was made with other settings than shard {parts[0]}; answer it again"
            )
        _refuse_damaged(folder, manifest, part, plan.name, todo.row_ids)
        folders.append(folder)
    found = predict.answers_of(folders, plan.name)
    line = run_state.line_of(plan, described, begun["settings_digest"], run_state.machine_of(todo, found, None))
    run_state.write(con, board, line, todo, found, None)
    run_state.clear(folders)
    return "ran", None, found.errors


def _refuse_other_plan(plan: RunPlan, described: Description) -> None:
    """Raise where the shards were not made by the runner, or with the options, that are named now."""
    if plan.runner != described.runner:
        raise PiibenchError(f"the shards of run {plan.name!r} were made by {described.runner}, not by {plan.runner}")
    for name, value in plan.options.items():
        made = described.settings.get(_ASKED.get(name, name), value)
        if made != value and not _is_same_number(made, value):
            raise PiibenchError(f"the shards of run {plan.name!r} were made with {name} {made!r}, not {value!r}")


def _is_same_number(made: str, value: str) -> bool:
    try:
        return float(made) == float(value)
    except ValueError:
        return False


def _refuse_damaged(folder: Path, manifest: Mapping[str, Any], part: Shard, run: str, row_ids: Sequence[str]) -> None:
    from piibench_duck.chunks import chunk_path, is_whole

    mine = [row_id for row_id in row_ids if of_row(row_id, part.of) == part.part]
    size = manifest["chunk_rows"]
    for index in range(math.ceil(len(mine) / size)):
        path = chunk_path(folder, index)
        if not is_whole(path, mine[index * size : (index + 1) * size]):
            state = "is damaged, or answers other rows" if path.is_file() else "is missing: it is not finished"
            raise PiibenchError(f"shard {part} of run {run!r}: {path.name} {state}; answer it again, or copy it again")
    if manifest["n_rows"] != len(mine):
        raise PiibenchError(f"shard {part} of run {run!r} answers other rows; answer it again")
