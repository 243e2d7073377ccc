"""The commands for looking at a board: SQL, slices, listings, and what carriers do."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board, Listed, Mirror, SqlFormat
from piibench_duck.errors import WrongUsageError

SQL_SCREEN_ROWS = 1000


def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="One SELECT over the board's tables, or the name of a query.")],
    board: Board = "demo",
    format: Annotated[SqlFormat, typer.Option(help="How to print the rows.")] = SqlFormat.table,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Show the text around each span, on a terminal alone.")
    ] = False,
    window: Annotated[
        int | None, typer.Option(min=0, max=1000, help="With --with-text: how many code points on either side.")
    ] = None,
) -> None:
    """Ask the warehouse with one read-only SELECT, or with a query of sql/queries and its --parameters."""
    from piibench_duck import around
    from piibench_duck import protocol as protocols
    from piibench_duck import query as queries
    from piibench_duck.board import terminal

    bare = query.removeprefix("queries.")
    is_name = bare.isidentifier()
    params = _parameters(context.args)
    if params and not is_name:
        raise WrongUsageError(f"no such option: {context.args[0]}; a SELECT takes no parameters")
    _refuse_text_elsewhere(with_text, window, format)
    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    con = queries.open_for(place, protocol, bare, params) if is_name else queries.open_locked(place, protocol)
    at_most = SQL_SCREEN_ROWS + 1 if format is SqlFormat.table else None
    found = queries.named(con, bare, params) if is_name else queries.select(con, query, at_most)
    if format is not SqlFormat.table:
        queries.print_rows(found, format.value)
        return
    columns, lines = found.column_names, list(queries.cells(found.slice(0, SQL_SCREEN_ROWS)))
    if with_text:
        texts = around.windows(con, columns, lines, around.WIDTH if window is None else window)
        terminal.lines_with_text(columns, zip(lines, texts, strict=True))
    else:
        terminal.lines(columns, lines)
    if found.num_rows > SQL_SCREEN_ROWS:
        console.warn(f"the first {SQL_SCREEN_ROWS} rows of more; --format csv, json or parquet gives all")


def _refuse_text_elsewhere(with_text: bool, window: int | None, format: SqlFormat) -> None:
    """Text may be personal data: it goes to the screen of whoever asks for it, and nowhere else."""
    if window is not None and not with_text:
        raise WrongUsageError("--window says how much text --with-text shows, which was not asked for")
    if with_text and format is not SqlFormat.table:
        raise WrongUsageError(f"--with-text shows text on a screen alone, never as {format.value}")
    if with_text and not sys.stdout.isatty():
        raise WrongUsageError("--with-text shows text on a screen alone, and stdout is no terminal")


def _parameters(arguments: Sequence[str]) -> dict[str, str]:
    """`--name value` and `--name=value`, which are no options of ours; a hyphen in a name stands for its underscore."""
    found: dict[str, str] = {}
    waiting = list(arguments)
    while waiting:
        name, equals, value = waiting.pop(0).partition("=")
        if not re.fullmatch(r"--\w[\w-]*", name) or not (equals or waiting):
            raise WrongUsageError("parameters of a query are given as --name value")
        name = name.removeprefix("--").replace("-", "_")
        if name in found:
            raise WrongUsageError(f"--{name} is given twice")
        found[name] = value if equals else waiting.pop(0)
    return found


def export(
    out: Annotated[Path, typer.Option(help="The file to write: .parquet, .csv or .jsonl.")],
    table: Annotated[str, typer.Argument(help="A table or view of the board.")] = "marts.row_scores",
    board: Board = "demo",
    where: Annotated[str | None, typer.Option(help="A condition on its rows, in SQL.")] = None,
    columns: Annotated[str | None, typer.Option(help="The columns to write, separated by commas.")] = None,
) -> None:
    """Write a slice of a board to a file."""
    from piibench_duck import protocol as protocols
    from piibench_duck import query as queries

    if out.suffix.removeprefix(".") not in queries.FORMATS:
        raise WrongUsageError(f"--out {out.name!r} ends in none of .parquet, .csv and .jsonl")
    protocol = protocols.load()
    chosen = [column.strip() for column in columns.split(",")] if columns is not None else []
    place = protocols.find_board(board, protocol)
    written = queries.export(place, protocol, out, table, where, chosen)
    print(f"{written} rows of {table} in {out}")


def list_(
    what: Annotated[Listed, typer.Argument(help="What to list.")],
    board: Board = "demo",
    as_json: AsJson = False,
) -> None:
    """List corpora, carriers, metrics, runners, queries, or the runs of a board."""
    from piibench_duck import listing
    from piibench_duck.board import terminal

    columns, lines = listing.of(what.value, board)
    if as_json:
        console.print_json([dict(zip(columns, line, strict=True)) for line in lines])
    else:
        terminal.lines(columns, lines, of_words=True)


def carriers(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run of the board.")],
    board: Board = "demo",
    as_json: AsJson = False,
) -> None:
    """What each carrier does to a run: mean F1 against prose, in pairs of the same passage, and what was lost."""
    from piibench_duck import protocol as protocols
    from piibench_duck import results
    from piibench_duck.board import terminal_carriers

    found = results.read_run(protocols.find_board(board, protocols.load()), run)
    console.print_json(found["carrier_effects"]) if as_json else terminal_carriers.effects(run, found)


def doctor(mirror: Mirror = None, as_json: AsJson = False) -> None:
    """What is here and what is missing for what: versions, extras, models, mirror, room on the disk."""
    from piibench_duck import doctor as looked
    from piibench_duck.board import terminal

    found = looked.findings(mirror)
    if as_json:
        console.print_json([one._asdict() for one in found])
        return
    terminal.lines(
        ("", "what", "found", "for"),
        [("ok" if one.is_there else "--", one.what, one.found, one.for_what) for one in found],
        of_words=True,
    )
