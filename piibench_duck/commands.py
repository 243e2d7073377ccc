"""The commands: parse, call one function, print. Results go to stdout, everything else to stderr."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import (
    commands_board,
    commands_compare,
    commands_fetch,
    commands_gate,
    commands_import,
    commands_look,
    commands_predict,
    commands_tab,
    commands_typed,
    commands_validate,
    commands_wrap,
    console,
)
from piibench_duck.cli_options import (
    AllowMissing,
    AsJson,
    Board,
    KeyMap,
    Mirror,
    Offsets,
    OffsetUnit,
    Rows,
    Runs,
    key_map,
)
from piibench_duck.errors import PiibenchError, WrongUsageError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Measure how well a detector of personal data works on the text that really leaves a machine.",
)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    """Measure how well a detector of personal data works on the text that really leaves a machine."""
    if show:
        from importlib.metadata import version

        print(f"piibench-duck {version('piibench-duck')}")
        raise typer.Exit


app.command()(commands_fetch.fetch)


@app.command()
def build(
    board: Board = "demo",
    mirror: Mirror = None,
    allow_unknown_labels: Annotated[
        bool, typer.Option("--allow-unknown-labels", help="Ignore gold labels that the label map does not name.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes that wrap; as many as there is use if not given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a board's rows: fetch, read, cut into passages, wrap."""
    from piibench_duck import build as builder
    from piibench_duck import protocol as protocols
    from piibench_duck.board import terminal

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    with console.refusals_as_json(as_json), console.steps(f"build {place.name}") as told:
        report = builder.build(place, protocol, mirror, allow_unknown_labels, workers, told.say, told.start)
    for source, why in report.missing.items():
        console.warn(f"{source} is left out: {why}")
    if report.unknown:
        console.warn(f"no map names these gold labels, which are ignored: {', '.join(report.unknown)}")
    if as_json:
        corpora = [corpus._asdict() for corpus in report.corpora]
        console.print_json({"board": place.name, **report._asdict(), "corpora": corpora})
        return
    terminal.build(report)


@app.command()
def score(
    runs: Runs = None,
    board: Board = "demo",
    rows: Rows = None,
    preds: Annotated[Path | None, typer.Option(help="A predictions file for the rows.")] = None,
    model: Annotated[str | None, typer.Option(help="The name that the result carries.")] = None,
    out_dir: Annotated[Path | None, typer.Option(help="The folder to write the result to.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**32 - 1, help="Of the bootstrap's draws.")] = None,
    replicates: Annotated[int | None, typer.Option(min=1, max=100_000, help="Bootstrap replicates.")] = None,
    allow_missing: AllowMissing = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="DuckDB's; the answers are the same.")] = None,
    typed: commands_typed.Typed = False,
    slices: commands_typed.Slices = None,
    limit: commands_typed.Limit = None,
    as_json: AsJson = False,
) -> None:
    """Score runs of a board, or a predictions file against a rows file."""
    from piibench_duck import places, results, standings
    from piibench_duck import protocol as protocols
    from piibench_duck import score as scoring
    from piibench_duck.board import page, terminal

    columns = commands_typed.columns(typed, slices, limit)
    protocol = protocols.load()
    options = scoring.Options(
        protocol.seed if seed is None else seed, replicates or protocol.replicates, allow_missing, threads, columns
    )
    if rows is not None:
        if preds is None or not model or out_dir is None:
            raise WrongUsageError("--rows needs --preds, --model and --out-dir")
        if runs:
            raise WrongUsageError("a rows file has no runs to name; use --model")
        if out_dir.exists() and not out_dir.is_dir():
            raise PiibenchError(f"--out-dir {str(out_dir)!r} is not a folder")
        from piibench_duck import given

        with console.refusals_as_json(as_json):
            taken, (answered,) = given.read(rows, [preds], offset_unit.value, key_map(mapped), allow_missing)
        if typed:
            commands_typed.score_files(taken, answered, model, out_dir, protocol, options, limit)
            commands_typed.show([out_dir], columns, limit, as_json)
            return
        scoring.score_files(taken, answered, model, out_dir, protocol, options)
        found = [results.read_result(out_dir)]
        console.print_json(found[0]) if as_json else terminal.board(model, found)
        return
    if preds or model or out_dir or mapped or offset_unit != OffsetUnit.codepoint:
        raise WrongUsageError("--preds, --model, --out-dir, --offset-unit and --map go with --rows")
    from piibench_duck import sources

    place = protocols.find_board(board, protocol)
    if typed:
        with console.status(f"score {place.name}"):
            scored = commands_typed.score_board(place, protocol, options, runs or [], limit)
        commands_typed.show([place.results / name for name in scored], columns, limit, as_json)
        return
    with console.status(f"score {place.name}") as say:
        scored = scoring.score_board(place, protocol, options, runs or [])
        say("board.json")
        standings.write(place, protocol, scored, 2 * options.replicates, options.seed)
        say("page")
        written = places.seen(page.write(place))
    plan = protocols.board_plan(place, protocol)
    title = plan.title if plan else place.name
    found, apart = results.comparable(results.read_board(place.results), scored)
    console.print_json(found) if as_json else terminal.board(title, found, sources.undated(place), written)
    for name, why in apart.items():
        console.warn(f"{name} is not ranked with these: {why}; score it again")
    if unmapped := max((one.get("n_unmapped_gold_spans", 0) for one in found), default=0):
        console.warn(
            f"{unmapped} gold spans are ignored, since no map names their labels; marts.label_diagnostics does"
        )


app.command()(commands_compare.compare)
app.command()(commands_validate.validate)
app.command()(commands_predict.predict)
app.command()(commands_predict.combine)
app.command()(commands_predict.drop)
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(commands_look.sql)
app.command()(commands_look.export)
app.command()(commands_look.carriers)
app.command()(commands_look.doctor)
app.command(name="list")(commands_look.list_)
app.command()(commands_gate.gate)
app.command()(commands_gate.submit_check)
app.command()(commands_wrap.wrap)
app.command()(commands_wrap.unwrap)
app.command(name="import")(commands_import.import_)
app.command()(commands_import.convert)
app.command()(commands_tab.tab)
app.command()(commands_typed.sweep)
app.command()(commands_board.board)
