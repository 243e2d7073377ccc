"""The commands of typed scores: the table of `score --typed`, and `sweep`."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board
from piibench_duck.errors import PiibenchError, WrongUsageError

if TYPE_CHECKING:
    from piibench_duck import places
    from piibench_duck.interchange.tables import Predictions, Rows
    from piibench_duck.protocol import Protocol
    from piibench_duck.score import Options

Typed = Annotated[
    bool, typer.Option("--typed", help="Print typed exact spans and leaks of each corpus, instead of the ranking.")
]
Slices = Annotated[str | None, typer.Option("--slices", help="With --typed: columns to slice by, separated by commas.")]
Limit = Annotated[
    int | None,
    typer.Option("--limit", min=1, help="With --typed: so many documents of each slice; no other score is made."),
]


class Unscored(StrEnum):
    """What becomes of predictions without a score where there is a floor."""

    keep = "keep"
    drop = "drop"


def check(typed: bool, slices: str | None, limit: int | None) -> None:
    """Refuse options of typed scores where those were not asked for."""
    if not typed and (slices is not None or limit is not None):
        raise WrongUsageError("--slices and --limit go with --typed")


def score_board(
    board: "places.Board", protocol: "Protocol", options: "Options", runs: Sequence[str], limit: int | None
) -> list[str]:
    """Score runs of a board: whole, or of so many documents of each slice the typed part alone. Their names."""
    from piibench_duck import score, typed

    if limit is None:
        return score.score_board(board, protocol, options, runs)
    return typed.score_board(board, protocol, options, runs, limit)


def score_files(
    rows: "Rows",
    predictions: "Predictions",
    model: str,
    out_dir: Path,
    protocol: "Protocol",
    options: "Options",
    limit: int | None,
) -> None:
    """The same of a predictions file against a rows file."""
    from piibench_duck import score, typed

    if limit is None:
        score.score_files(rows, predictions, model, out_dir, protocol, options)
    else:
        typed.score_files(rows, predictions, model, out_dir, options, limit)


def show(folders: Sequence[Path], slices: str | None, limit: int | None, as_json: bool) -> None:
    """Print the reports in these folders of results, each of a run."""
    from piibench_duck import report

    found = []
    for folder in folders:
        found += (of_run := report.read(folder, limit))
        if not of_run:
            console.warn(f"{folder.name} has no report, since it was not run or there are no texts")
    columns = _columns(found, slices)
    if as_json:
        console.print_json(found)
        return
    from piibench_duck.board import terminal_typed

    for number, one in enumerate(found):
        if number:
            print()
        terminal_typed.report(one, columns)


def _columns(found: Sequence[Mapping[str, Any]], slices: str | None) -> list[str]:
    there = sorted({name.partition("=")[0] for one in found for name in one["slices"] if name != "all"})
    wanted = [name.strip() for name in slices.split(",")] if slices is not None else []
    for name in wanted:
        if name not in there:
            raise PiibenchError(f"--slices: no column {name!r}; there are {', '.join(there) or 'none'}")
    return list(dict.fromkeys(wanted))


def sweep(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run of the board.")],
    floors: Annotated[str | None, typer.Option(help="Score floors, separated by commas, e.g. none,0.5,0.9.")] = None,
    at_recall: Annotated[
        float | None, typer.Option("--at-recall", help="The highest floor that still gives this recall.")
    ] = None,
    corpus: Annotated[str | None, typer.Option(help="One corpus of the board; all if not given.")] = None,
    unscored: Annotated[
        Unscored, typer.Option(help="What becomes of predictions without a score where there is a floor.")
    ] = Unscored.keep,
    board: Board = "demo",
    as_json: AsJson = False,
) -> None:
    """A run's scores if it had predicted only what it is surer of than a floor; or the floor that gives a recall."""
    from piibench_duck import protocol as protocols
    from piibench_duck import sweeps
    from piibench_duck.board import terminal_typed

    if (floors is None) == (at_recall is None):
        raise WrongUsageError("sweep needs either --floors or --at-recall")
    chosen = None if floors is None else [_floor(name) for name in floors.split(",")]
    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    with console.status(f"sweep {run}"):
        found = sweeps.lines(place, protocol, run, chosen, at_recall, corpus, unscored.value)
    console.print_json(found) if as_json else terminal_typed.sweep(found, unscored.value, at_recall)


def _floor(name: str) -> float | None:
    import math

    if name.strip().lower() == "none":
        return None
    try:
        floor = float(name)
    except ValueError:
        floor = math.nan
    if not math.isfinite(floor):
        raise WrongUsageError(f"--floors names {name.strip()!r}; a number or none was expected")
    return floor
