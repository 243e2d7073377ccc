"""The commands of typed scores: the table of `score --typed`, and `sweep`."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board
from piibench_duck.errors import WrongUsageError

if TYPE_CHECKING:
    from piibench_duck import places
    from piibench_duck.interchange.tables import Predictions, Rows
    from piibench_duck.protocol import Protocol
    from piibench_duck.score import Options

_MOST_DOCUMENTS = 1_000_000_000

Typed = Annotated[
    bool, typer.Option("--typed", help="Print typed exact spans and leaks of each corpus, instead of the ranking.")
]
Slices = Annotated[str | None, typer.Option("--slices", help="With --typed: columns to slice by, separated by commas.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        max=_MOST_DOCUMENTS,
        help="With --typed: so many documents of each slice; no other score is made.",
    ),
]


class Unscored(StrEnum):
    """What becomes of predictions without a score where there is a floor."""

    keep = "keep"
    drop = "drop"


def columns(typed: bool, slices: str | None, limit: int | None) -> list[str]:
    """What `--slices` names; refuses options of typed scores where those were not asked for."""
    if not typed and (slices is not None or limit is not None):
        raise WrongUsageError("--slices and --limit go with --typed")
    return [] if slices is None else list(dict.fromkeys(name.strip() for name in slices.split(",")))


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


def show(folders: Sequence[Path], columns: Sequence[str], limit: int | None, as_json: bool) -> None:
    """Print the reports in these folders of results, each of a run that was just scored."""
    from piibench_duck import report

    found = []
    for folder in folders:
        found += (of_run := report.read(folder, limit))
        if not of_run:
            console.warn(f"{folder.name} has no report, since it was not run or there are no texts")
    if as_json:
        console.print_json(found)
        return
    from piibench_duck.board import terminal_typed

    for number, one in enumerate(found):
        if number:
            print()
        terminal_typed.report(one, columns)


def sweep(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run of the board.")],
    floors: Annotated[str | None, typer.Option(help="Score floors, separated by commas, e.g. none,0.5,0.9.")] = None,
    at_recall: Annotated[
        str | None, typer.Option("--at-recall", metavar="FLOAT", help="The highest floor that still gives this recall.")
    ] = None,
    corpus: Annotated[str | None, typer.Option(help="One corpus of the board; all if not given.")] = None,
    unscored: Annotated[
        Unscored, typer.Option(help="What becomes of predictions without a score where there is a floor.")
    ] = Unscored.keep,
    board: Board = "demo",
    as_json: AsJson = False,
) -> None:
    """A run's scores if it had predicted only what it is surer of than a floor; or the floor that gives a recall."""
    from piibench_duck import floors as given
    from piibench_duck import protocol as protocols
    from piibench_duck import sweeps
    from piibench_duck.board import terminal_typed

    if (floors is None) == (at_recall is None):
        raise WrongUsageError("sweep needs either --floors or --at-recall")
    chosen = None if floors is None else given.parse("--floors", floors)
    target = None if at_recall is None else given.parse_number("--at-recall", at_recall)
    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    with console.status(f"sweep {run}"):
        found = sweeps.lines(place, protocol, run, chosen, target, corpus, unscored.value)
    console.print_json(found) if as_json else terminal_typed.sweep(found, unscored.value, target)
    if not any(line["n_scored"] for line in found):
        left = "all of them stay" if unscored is Unscored.keep else "none is left"
        of = "" if corpus is None else f" of corpus {corpus!r}"
        console.warn(f"no prediction of run {run!r}{of} has a score: {left} at every floor")
