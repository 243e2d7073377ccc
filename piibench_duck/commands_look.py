"""The commands for looking at a board: SQL, slices, listings, and what carriers do."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board, Listed, Mirror, SqlFormat
from piibench_duck.errors import PiibenchError, WrongUsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from piibench_duck import questions, warehouse

SQL_SCREEN_ROWS = 1000


def sql(
    context: typer.Context,
    query: Annotated[
        str | None, typer.Argument(help="One SELECT, a file of one, or the name of a query; a prompt if none is given.")
    ] = None,
    board: Board = "demo",
    format: Annotated[SqlFormat, typer.Option(help="How to print the rows.")] = SqlFormat.table,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Print how DuckDB would answer, and do not.")] = False,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Show the text around each span, on a terminal alone.")
    ] = False,
    window: Annotated[
        int | None, typer.Option(min=0, max=1000, help="With --with-text: how many code points on either side.")
    ] = None,
) -> None:
    """Ask the warehouse with one read-only SELECT, or with a query of sql/queries and its --parameters.

    Where nothing is asked, a prompt opens; from a pipe the SELECT is read.
    """
    from piibench_duck import protocol as protocols
    from piibench_duck import questions

    if as_json and format not in (SqlFormat.table, SqlFormat.json):
        raise WrongUsageError(f"--json and --format {format.value} do not go together")
    format = SqlFormat.json if as_json else format
    _refuse_text_elsewhere(with_text, window, format)
    if explain and (with_text or format is not SqlFormat.table):
        raise WrongUsageError("--explain prints a plan, which has no text and no other format")
    if query is None and (sys.stdin is None or not sys.stdin.isatty()):
        query = _piped()
    question = None if query is None else questions.of(query, context.args)
    protocol = protocols.load()
    place = protocols.find_board(board, protocol)

    def answer(con: "warehouse.Connection | None", question: "questions.Question") -> None:
        if explain:
            _print_plan(questions.plan(con, place, protocol, question))
            return
        at_most = SQL_SCREEN_ROWS + 1 if format is SqlFormat.table else None
        con, found = questions.rows(con, place, protocol, question, at_most)
        _print_answer(con, found, format, with_text, window)

    if question is not None:
        answer(None, question)
        return
    from piibench_duck import prompt

    prompt.start(place, protocol, answer)


def _piped() -> str:
    """What stdin holds. Raises where that is nothing: then nothing was asked."""
    try:
        text = "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8-sig")
    except OSError:  # closed, or of somebody who lets nobody read it
        text = ""
    except UnicodeDecodeError:
        raise PiibenchError("stdin is not UTF-8, which was expected") from None
    if not text.strip():
        raise WrongUsageError("nothing was asked: expected a SELECT, a file of one, or the name of a query")
    return text


def _print_plan(plan: str) -> None:
    from piibench_duck.board import terminal

    for line in plan.rstrip().splitlines():
        print(terminal.visible(line).rstrip())


def _print_answer(
    con: "warehouse.Connection", found: "pa.Table", format: SqlFormat, with_text: bool, window: int | None
) -> None:
    from piibench_duck import around
    from piibench_duck import query as queries
    from piibench_duck.board import terminal

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


def export(
    out: Annotated[Path, typer.Option(help="The file to write: .parquet, .csv or .jsonl.")],
    table: Annotated[str, typer.Argument(help="A table or view of the board.")] = "marts.row_scores",
    board: Board = "demo",
    where: Annotated[str | None, typer.Option(help="A condition on its rows, in SQL.")] = None,
    columns: Annotated[str | None, typer.Option(help="The columns to write, separated by commas.")] = None,
    as_json: AsJson = False,
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
    if as_json:
        console.print_json({"table": table, "n_rows": written, "out": str(out)})
    else:
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
