"""The command that compares: two detectors on the same rows, or all runs of a board."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import (
    AllowMissing,
    AsJson,
    Board,
    KeyMap,
    Offsets,
    OffsetUnit,
    Rows,
    Seed,
    Unit,
    key_map,
)
from piibench_duck.errors import WrongUsageError


def compare(
    a: Annotated[str | None, typer.Option(help="A predictions file, or a run of the board.")] = None,
    b: Annotated[str | None, typer.Option(help="Another.")] = None,
    all_runs: Annotated[
        bool, typer.Option("--all", help="Every run of the board with every other, from its results, into board.json.")
    ] = False,
    rows: Rows = None,
    board: Board = "demo",
    iterations: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Bootstrap replicates; 2000, or more for very many runs.")
    ] = None,
    seed: Seed = 0,
    unit: Annotated[Unit, typer.Option(help="What the bootstrap draws.")] = Unit.row,
    allow_missing: AllowMissing = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Compare two detectors on the same rows, or all of a board: a paired bootstrap of the difference in mean F1."""
    from piibench_duck import protocol as protocols
    from piibench_duck import score as scoring
    from piibench_duck import standings
    from piibench_duck.board import terminal

    if all_runs:
        if a or b or rows or mapped or allow_missing or offset_unit != OffsetUnit.codepoint:
            raise WrongUsageError("--all compares the results of a board; it goes with --board, --iterations, --seed")
        _compare_all(board, unit, iterations, seed, as_json)
        return
    if a is None or b is None:
        raise WrongUsageError("--a and --b name what to compare, or --all")
    options = scoring.Options(seed, iterations or standings.REPLICATES, allow_missing)
    if rows is not None:
        from piibench_duck import given

        with console.refusals_as_json(as_json):
            taken, both = given.read(rows, [Path(a), Path(b)], offset_unit.value, key_map(mapped), allow_missing)
        found = scoring.compare_files(taken, both[0], both[1], unit.value, options)
    elif mapped or offset_unit != OffsetUnit.codepoint or any(Path(name).is_file() for name in (a, b)):
        raise WrongUsageError("files, --offset-unit and --map go with --rows")
    else:
        protocol = protocols.load()
        found = scoring.compare_runs(protocols.find_board(board, protocol), protocol, a, b, unit.value, options)
    found = {**found, "run_a": a, "run_b": b, "seed": seed}
    console.print_json(found) if as_json else terminal.comparison(a, b, found)


def _compare_all(board: str, unit: Unit, iterations: int | None, seed: int, as_json: bool) -> None:
    """From the results alone: neither rows nor predictions need be there."""
    from piibench_duck import protocol as protocols
    from piibench_duck import standings
    from piibench_duck.board import terminal_standings

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    with console.status(f"compare {place.name}"):
        made = standings.write_all(place, protocol, iterations, seed)
    console.print_json(made) if as_json else terminal_standings.standings(made, unit.value)
