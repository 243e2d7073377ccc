"""The commands for looking at a board: SQL, slices, listings, and what carriers do."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board, Listed, SqlFormat
from piibench_duck.errors import WrongUsageError

SQL_SCREEN_ROWS = 1000


def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="One SELECT over the board's tables, or the name of a query.")],
    board: Board = "demo",
    format: Annotated[SqlFormat, typer.Option(help="How to print the rows.")] = SqlFormat.table,
) -> None:
    """Ask the warehouse with one read-only SELECT, or with a query of sql/queries and its --parameters."""
    from piibench_duck import boards
    from piibench_duck import protocol as protocols
    from piibench_duck import query as queries
    from piibench_duck.board import terminal

    protocol = protocols.load()
    is_name = query.isidentifier()
    params = _parameters(context.args)
    if params and not is_name:
        raise WrongUsageError(f"no such option: --{next(iter(params))}; a SELECT takes no parameters")
    place = protocols.find_board(board, protocol)
    con = queries.open_locked(place, protocol)
    if "run" in params:
        boards.asked_runs(place.warehouse, [params["run"]])
    if format is not SqlFormat.table:
        found = queries.named(con, query, params) if is_name else queries.select(con, query)
        queries.print_rows(found, format.value)
        return
    found = queries.named(con, query, params) if is_name else queries.select(con, query, SQL_SCREEN_ROWS + 1)
    terminal.lines(found.column_names, queries.cells(found.slice(0, SQL_SCREEN_ROWS)))
    if found.num_rows > SQL_SCREEN_ROWS:
        console.warn(f"the first {SQL_SCREEN_ROWS} rows of more; --format csv, json or parquet gives all")


def _parameters(arguments: Sequence[str]) -> dict[str, str]:
    """`--name value` pairs that are no option of ours."""
    names, values = arguments[::2], arguments[1::2]
    for name in names:
        if not name.startswith("--") or len(names) != len(values):
            raise WrongUsageError("parameters of a query are given as --name value")
    return dict(zip((name.removeprefix("--") for name in names), values, strict=True))


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
    """List corpora, carriers, runners, or the runs of a board."""
    from piibench_duck import listing
    from piibench_duck.board import terminal

    columns, lines = listing.of(what.value, board)
    if as_json:
        console.print_json([dict(zip(columns, line, strict=True)) for line in lines])
    else:
        terminal.lines(columns, lines)


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
