"""The commands: parse, call one function, print. Results go to stdout, everything else to stderr."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import commands_import, commands_look, commands_tab, commands_typed, commands_wrap, console
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
    Seed,
    Unit,
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


@app.command()
def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="All that are pinned if none.")
    ] = None,
    mirror: Mirror = None,
) -> None:
    """Bring sources from the mirror, the cache or upstream, and verify their digests."""
    from piibench_duck import sources

    known = sources.load_sources()
    for name in names or []:
        if name not in known:
            raise PiibenchError(f"no source {name!r}; there are {', '.join(known)}")
    failed = 0
    for name in names or [name for name, source in known.items() if not source.is_recorded]:
        try:
            with console.status(f"fetch {name}"):
                root = sources.fetch(known[name], mirror, sources.downloads_of(known[name]))
            sha256, size = sources.pinned(known[name], root)
            print(f"{name}: {size} bytes, {sha256[:12]}{', recorded' if known[name].is_recorded else ''}")
        except PiibenchError as error:
            failed += 1
            console.warn(str(error))
    if failed:
        raise typer.Exit(1)


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
) -> None:
    """Make a board's rows: fetch, read, cut into passages, wrap."""
    from piibench_duck import build as builder
    from piibench_duck import protocol as protocols
    from piibench_duck.board import terminal

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    with console.status(f"build {place.name}") as say:
        report = builder.build(place, protocol, mirror, allow_unknown_labels, workers, say)
    for source, why in report.missing.items():
        console.warn(f"{source} is left out: {why}")
    if report.unknown:
        console.warn(f"no map names these gold labels, which are ignored: {', '.join(report.unknown)}")
    terminal.build(report)


@app.command()
def predict(
    runs: Runs = None,
    board: Board = "demo",
    rows: Rows = None,
    model: Annotated[str | None, typer.Option(help="A folder, a hub id, package:NAME or a runner's name.")] = None,
    revision: Annotated[str | None, typer.Option(help="The hub commit of MODEL.")] = None,
    pipeline: Annotated[str, typer.Option(help="auto (by what MODEL is), onnx, rules or another runner.")] = "auto",
    out: Annotated[Path | None, typer.Option(help="The predictions file to write, .jsonl or .parquet.")] = None,
    design: Annotated[
        list[str] | None, typer.Option(help="A design to answer; those that the board's runs answer if none.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what an earlier attempt answered.")] = False,
    mapped: KeyMap = None,
) -> None:
    """Run detectors over a board's rows, or one over a rows file; goes on where it was stopped."""
    if rows is not None:
        if not model or out is None:
            raise WrongUsageError("--rows needs --model and --out")
        if runs or design:
            raise WrongUsageError("a rows file has no runs and no designs to name; use --model")
        _predict_file(rows, model, revision, pipeline, out, restart, key_map(mapped))
        return
    if model or out or revision or mapped or pipeline != "auto":
        raise WrongUsageError("--model, --revision, --pipeline, --out and --map go with --rows")
    from piibench_duck import protocol as protocols
    from piibench_duck import runs as runner

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    for name in runs or []:
        if name not in protocol.runs:
            raise PiibenchError(f"no run {name!r}; there are {', '.join(protocol.runs)}")
    designs = protocols.check_designs(design, board, protocol)
    plan = protocols.board_plan(place, protocol)
    for name in runs or (plan.runs if plan else protocol.runs):
        with console.bar(name) as start:
            outcome = runner.run_on_board(place, protocol, protocol.runs[name], restart, start, designs)
        if outcome.why:
            said = "was not run" if outcome.state == "not_run" else "is kept as it was, since it cannot run again"
            console.warn(f"{name} {said}: {outcome.why}")
        if outcome.state == "ran":
            console.say(f"{name}: answered")
        for kind, count in outcome.errors.items():
            console.warn(f"{name}: {count} rows not answered: {kind}")


def _predict_file(
    rows: Path, model: str, revision: str | None, pipeline: str, out: Path, restart: bool, keys: dict[str, str]
) -> None:
    from piibench_duck import door
    from piibench_duck import runs as runner

    if out.suffix not in (".jsonl", ".parquet"):
        raise WrongUsageError(f"--out {out.name!r} ends in neither .jsonl nor .parquet")
    if out.is_dir() or not out.parent.is_dir():
        raise PiibenchError(f"--out {str(out)!r}: a file in a folder that exists was expected")
    plan = runner.plan_of(model, revision, pipeline)
    with console.bar(model) as start:
        errors = runner.run_on_file(door.read_rows(rows, keys), plan, out, restart, start)
    for kind, count in errors.items():
        console.warn(f"{count} rows not answered: {kind}")


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
    from piibench_duck import protocol as protocols
    from piibench_duck import results
    from piibench_duck import score as scoring
    from piibench_duck.board import terminal

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
    with console.status(f"score {place.name}"):
        scored = scoring.score_board(place, protocol, options, runs or [])
    plan = protocols.board_plan(place, protocol)
    title = plan.title if plan else place.name
    found, apart = results.comparable(results.read_board(place.results), scored)
    console.print_json(found) if as_json else terminal.board(title, found, sources.undated(place))
    for name, why in apart.items():
        console.warn(f"{name} is not ranked with these: {why}; score it again")
    if unmapped := max((one.get("n_unmapped_gold_spans", 0) for one in found), default=0):
        console.warn(
            f"{unmapped} gold spans are ignored, since no map names their labels; marts.label_diagnostics does"
        )


@app.command()
def compare(
    a: Annotated[str, typer.Option(help="A predictions file, or a run of the board.")],
    b: Annotated[str, typer.Option(help="Another.")],
    rows: Rows = None,
    board: Board = "demo",
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="Bootstrap replicates.")] = 2000,
    seed: Seed = 0,
    unit: Annotated[Unit, typer.Option(help="What the bootstrap draws.")] = Unit.row,
    allow_missing: AllowMissing = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Compare two detectors on the same rows: a paired bootstrap of the difference in mean F1."""
    from piibench_duck import protocol as protocols
    from piibench_duck import score as scoring
    from piibench_duck.board import terminal

    options = scoring.Options(seed, iterations, allow_missing)
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


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(help="A rows file, or with --rows a predictions file.")],
    rows: Annotated[Path | None, typer.Option(help="The rows file that FILE answers.")] = None,
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Say what the door would say of a file, without scoring it."""
    from piibench_duck import door, given

    found = given.findings(file, rows, offset_unit.value, key_map(mapped))
    if as_json:
        print(door.as_json(found))
    else:
        for finding in found:
            print(console.one_line(str(finding)))
        faults = "1 fault" if len(found) == 1 else f"{len(found)} faults"
        print(faults if found else f"{file.name}: nothing wrong")
    if found:
        raise typer.Exit(1)


app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(commands_look.sql)
app.command()(commands_look.export)
app.command()(commands_look.carriers)
app.command(name="list")(commands_look.list_)
app.command()(commands_wrap.wrap)
app.command()(commands_wrap.unwrap)
app.command(name="import")(commands_import.import_)
app.command()(commands_import.convert)
app.command()(commands_tab.tab)
app.command()(commands_typed.sweep)
