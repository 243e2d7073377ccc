"""The commands that say yes or no: a gate for somebody's own CI, and the check of a run that is submitted."""

import math
from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board, Unit
from piibench_duck.errors import WrongUsageError

_MAX_DROP = 0.01
_BOARD = typer.Option("--board", help="The board whose rows it is scored on again; that of its folder if not given.")


def gate(
    run: Annotated[str, typer.Argument(help="A run of the board, or a folder that holds a result.")],
    baseline: Annotated[str | None, typer.Option(help="Another, on the same rows, to hold it against.")] = None,
    max_drop: Annotated[
        float | None, typer.Option(help=f"How far its mean F1 may lie below the baseline's; {_MAX_DROP} if not given.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="A TOML file of bounds that have to hold.")] = None,
    board: Board = "demo",
    unit: Annotated[Unit, typer.Option(help="What the bootstrap of the comparison draws.")] = Unit.row,
    sign_off: Annotated[Path | None, typer.Option(help="Write a page in Markdown for whoever answers for it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Hold a result against a policy or a baseline: exit code 1, with a line for each clause that is broken."""
    from piibench_duck import gate as gates
    from piibench_duck import policy as policies
    from piibench_duck import protocol as protocols

    if baseline is None and policy is None:
        raise WrongUsageError("gate needs --baseline or --policy")
    if max_drop is not None and baseline is None:
        raise WrongUsageError("--max-drop goes with --baseline")
    drop = _MAX_DROP if max_drop is None else max_drop
    if not (math.isfinite(drop) and 0 <= drop <= 1):
        raise WrongUsageError(f"--max-drop is {drop:g}; a number from 0 to 1 was expected")
    place = protocols.find_board(board, protocols.load())
    asked = None if policy is None else policies.read(policy)
    of = gates.find(run, place)
    found = gates.judge(of, asked, None if baseline is None else gates.find(baseline, place), drop, unit.value)
    if sign_off is not None:
        from piibench_duck.board import sign_off as page

        page.write(found, sign_off)
    for clause in found.clauses:
        if clause.is_idle:
            console.warn(f"warning: {clause.line()}")
    if as_json:
        console.print_json(gates.as_json(found))
    else:
        from piibench_duck.board import terminal_gate

        terminal_gate.verdict(found)
    if not found.holds:
        raise typer.Exit(1)


def submit_check(
    folder: Annotated[Path, typer.Argument(metavar="results/BOARD/RUN", help="The folder that is submitted.")],
    board: Annotated[str | None, _BOARD] = None,
    allow_unpinned: Annotated[
        bool, typer.Option("--allow-unpinned", help="Take a run that cannot be had again exactly.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look through a run's folder of results and compute its figures again: exit code 1, with a line a finding."""
    from piibench_duck import protocol as protocols
    from piibench_duck import submissions
    from piibench_duck.board import terminal_gate

    protocol = protocols.load()
    name = folder.resolve().parent.name if board is None else board
    place = protocols.find_board(name, protocol) if board is not None or name in protocol.boards else None
    with console.status(f"check {folder.name}"):
        found = submissions.check(folder, protocol, place, allow_unpinned)
    console.print_json(found._asdict()) if as_json else terminal_gate.submission(found)
    if found.findings:
        raise typer.Exit(1)
