"""The command line: parse, call one function, print. Results go to stdout, everything else to stderr."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from piibench_duck.errors import PiibenchError, WrongUsageError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Measure how well a detector of personal data works on the text that really leaves a machine.",
)

BoardName = Annotated[str, typer.Option("--board", help="demo, seven, or a folder that holds your own rows.jsonl.")]
Mirror = Annotated[
    Path | None, typer.Option("--mirror", envvar="PIIBENCH_MIRROR", help="Folder of source folders, looked in first.")
]
KeyMap = Annotated[
    list[str] | None, typer.Option("--map", help="KEY=NAME: read KEY under NAME alone, e.g. --map start=from.")
]
AllowMissing = Annotated[bool, typer.Option("--allow-missing", help="Score rows that were not answered as all missed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SQL_SCREEN_ROWS = 1000


class Unit(StrEnum):
    """What the bootstrap draws."""

    row = "row"
    document = "document"


class OffsetUnit(StrEnum):
    """What offsets of a predictions file count."""

    codepoint = "codepoint"
    utf16 = "utf16"
    byte = "byte"


class SqlFormat(StrEnum):
    """How a query's rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


class Listed(StrEnum):
    """What can be listed."""

    corpora = "corpora"
    carriers = "carriers"
    runners = "runners"
    runs = "runs"


Offsets = Annotated[OffsetUnit, typer.Option("--offset-unit", help="What offsets in the predictions count.")]


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
    names: Annotated[list[str] | None, typer.Argument(metavar="[SOURCE]...", help="All sources if none.")] = None,
    mirror: Mirror = None,
) -> None:
    """Bring sources from the mirror, the cache or upstream, and verify their digests."""
    from piibench_duck import places, sources

    known = sources.load_sources()
    for name in names or []:
        if name not in known:
            raise PiibenchError(f"no source {name!r}; there are {', '.join(known)}")
    failed = 0
    for name in names or known:
        try:
            sources.fetch(known[name], mirror, places.downloads_dir())
            print(f"{name}: {known[name].bytes} bytes, {known[name].sha256[:12]}")
        except PiibenchError as error:
            failed += 1
            _warn(str(error))
    if failed:
        raise typer.Exit(1)


@app.command()
def build(
    board: BoardName = "demo",
    mirror: Mirror = None,
    allow_unknown_labels: Annotated[
        bool, typer.Option("--allow-unknown-labels", help="Ignore gold labels that the label map does not name.")
    ] = False,
) -> None:
    """Make a board's rows: fetch, read, cut into passages, wrap."""
    from piibench_duck import build as builder
    from piibench_duck import protocol as protocols

    protocol = protocols.load()
    with _status(f"build {board}") as say:
        report = builder.build(protocols.find_board(board, protocol), protocol, mirror, allow_unknown_labels, say)
    for source, why in report.missing.items():
        _warn(f"{source} is left out: {why}")
    for corpus in report.corpora:
        notes = [f"{corpus.n_rows} rows of {corpus.n_passages} passages"]
        notes += [f"{corpus.n_documents} documents"] if corpus.n_documents else []
        notes += [f"{corpus.n_long} longer than 400"] if corpus.n_long else []
        notes += [f"{corpus.n_refused} refused by their carrier"] if corpus.n_refused else []
        notes += [f"{name} {count}" for name, count in corpus.counts.items() if count]
        print(f"{corpus.corpus}: " + ", ".join(notes))
    roles = {"scored": 0, "excluded": 0, "ignored": 0, "unknown": 0}
    for label in report.labels:
        roles[label["role"]] += label["n_spans"]
    if report.labels:
        print("gold spans in the sources: " + ", ".join(f"{n} {role}" for role, n in roles.items()))


@app.command()
def predict(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs of the board; all if none.")
    ] = None,
    board: BoardName = "demo",
    rows: Annotated[Path | None, typer.Option(help="A rows file, instead of a board.")] = None,
    model: Annotated[str | None, typer.Option(help="A folder, a hub id, package:NAME or a runner's name.")] = None,
    revision: Annotated[str | None, typer.Option(help="The hub commit of MODEL.")] = None,
    pipeline: Annotated[str, typer.Option(help="auto (by what MODEL is), onnx, rules or another runner.")] = "auto",
    out: Annotated[Path | None, typer.Option(help="The predictions file to write, .jsonl or .parquet.")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what an earlier attempt answered.")] = False,
    key_map: KeyMap = None,
) -> None:
    """Run detectors over a board's rows, or one over a rows file; goes on where it was stopped."""
    if rows is None and (model or out or revision or key_map or pipeline != "auto"):
        raise WrongUsageError("--model, --revision, --pipeline, --out and --map go with --rows")
    if rows is not None:
        if model is None or out is None:
            raise WrongUsageError("--rows needs --model and --out")
        if runs:
            raise WrongUsageError("a rows file has no runs to name; use --model")
        _predict_file(rows, model, revision, pipeline, out, restart, _key_map(key_map))
        return
    from piibench_duck import protocol as protocols
    from piibench_duck import runs as runner

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    plans = list(protocol.runs) if place.own else list(protocol.boards[board].runs)
    for name in runs or []:
        if name not in protocol.runs:
            raise PiibenchError(f"no run {name!r}; there are {', '.join(protocol.runs)}")
    for name in runs or plans:
        with _bar(name) as start:
            said = runner.run_on_board(place, protocol, protocol.runs[name], restart, start)
        if said not in ("ran", "kept"):
            _warn(f"{name} was not run: {said}")


def _predict_file(
    rows: Path, model: str, revision: str | None, pipeline: str, out: Path, restart: bool, key_map: dict[str, str]
) -> None:
    from piibench_duck import door
    from piibench_duck import runs as runner

    if out.suffix not in (".jsonl", ".parquet"):
        raise WrongUsageError(f"--out {out.name!r} ends in neither .jsonl nor .parquet")
    if not out.parent.is_dir():
        raise PiibenchError(f"there is no folder {str(out.parent)!r} for --out")
    plan = runner.plan_of(model, revision, pipeline)
    with _bar(model) as start:
        errors = runner.run_on_file(door.read_rows(rows, key_map), plan, out, restart, start)
    for kind, count in errors.items():
        _warn(f"{count} rows not answered: {kind}")


@app.command()
def score(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs of the board; all if none.")
    ] = None,
    board: BoardName = "demo",
    rows: Annotated[Path | None, typer.Option(help="A rows file, instead of a board.")] = None,
    preds: Annotated[Path | None, typer.Option(help="A predictions file for the rows.")] = None,
    model: Annotated[str | None, typer.Option(help="The name that the result carries.")] = None,
    out_dir: Annotated[Path | None, typer.Option(help="The folder to write the result to.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**32 - 1, help="Of the bootstrap's draws.")] = None,
    replicates: Annotated[int | None, typer.Option(min=1, max=100_000, help="Bootstrap replicates.")] = None,
    allow_missing: AllowMissing = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    key_map: KeyMap = None,
    threads: Annotated[int | None, typer.Option(min=1, help="DuckDB's threads; the answers are the same.")] = None,
) -> None:
    """Score runs of a board, or a predictions file against a rows file."""
    from piibench_duck import protocol as protocols
    from piibench_duck import results
    from piibench_duck import score as scoring
    from piibench_duck.board import terminal

    protocol = protocols.load()
    options = scoring.Options(
        protocol.seed if seed is None else seed, replicates or protocol.replicates, allow_missing, threads
    )
    if rows is not None:
        if preds is None or model is None or out_dir is None:
            raise WrongUsageError("--rows needs --preds, --model and --out-dir")
        if runs:
            raise WrongUsageError("a rows file has no runs to name; use --model")
        from piibench_duck import door

        if out_dir.exists() and not out_dir.is_dir():
            raise PiibenchError(f"--out-dir {str(out_dir)!r} is not a folder")
        keys = _key_map(key_map)
        taken = door.read_rows(rows, keys)
        answered = door.read_predictions(preds, taken, offset_unit.value, keys, allow_missing)
        scoring.score_files(taken, answered, model, out_dir, protocol, options)
        terminal.board(model, [results.read_result(out_dir)])
        return
    if preds or model or out_dir or key_map or offset_unit != OffsetUnit.codepoint:
        raise WrongUsageError("--preds, --model, --out-dir, --offset-unit and --map go with --rows")
    place = protocols.find_board(board, protocol)
    with _status(f"score {place.name}"):
        scoring.score_board(place, protocol, options, runs or [])
    title = protocol.boards[board].title if place.own is None else place.name
    terminal.board(title, results.read_board(place.results))


@app.command()
def compare(
    a: Annotated[str, typer.Option(help="A predictions file, or a run of the board.")],
    b: Annotated[str, typer.Option(help="Another.")],
    rows: Annotated[Path | None, typer.Option(help="The rows file that both predictions files answer.")] = None,
    board: BoardName = "demo",
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="Bootstrap replicates.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of the bootstrap's draws.")] = 0,
    unit: Annotated[Unit, typer.Option(help="What the bootstrap draws.")] = Unit.row,
    allow_missing: AllowMissing = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    key_map: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Compare two detectors on the same rows: a paired bootstrap of the difference in mean F1."""
    from piibench_duck import protocol as protocols
    from piibench_duck import score as scoring
    from piibench_duck.board import terminal

    options = scoring.Options(seed, iterations, allow_missing)
    if rows is not None:
        from piibench_duck import door

        keys = _key_map(key_map)
        taken = door.read_rows(rows, keys)
        both = [door.read_predictions(Path(path), taken, offset_unit.value, keys, allow_missing) for path in (a, b)]
        found = scoring.compare_files(taken, both[0], both[1], unit.value, options)
    else:
        protocol = protocols.load()
        found = scoring.compare_runs(protocols.find_board(board, protocol), protocol, a, b, unit.value, options)
    found = {**found, "run_a": a, "run_b": b, "seed": seed}
    if as_json:
        _print_json(found)
    else:
        terminal.comparison(a, b, found)


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(help="A rows file, or with --rows a predictions file.")],
    rows: Annotated[Path | None, typer.Option(help="The rows file that FILE answers.")] = None,
    offset_unit: Offsets = OffsetUnit.codepoint,
    key_map: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Say what the door would say of a file, without scoring it."""
    from piibench_duck import door

    found = door.validate(file, rows, offset_unit.value, _key_map(key_map))
    if as_json:
        print(door.as_json(found))
    else:
        for finding in found:
            print(finding)
        print(f"{file.name}: {len(found)} faults" if found else f"{file.name}: nothing wrong")
    if found:
        raise typer.Exit(1)


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="One SELECT over the board's tables.")],
    board: BoardName = "demo",
    format: Annotated[SqlFormat, typer.Option(help="How to print the rows.")] = SqlFormat.table,
) -> None:
    """Ask the warehouse with one read-only SELECT."""
    from piibench_duck import protocol as protocols
    from piibench_duck import query as queries
    from piibench_duck.board import terminal

    protocol = protocols.load()
    con = queries.open_locked(protocols.find_board(board, protocol), protocol)
    found = queries.select(con, query)
    if format is not SqlFormat.table:
        queries.print_rows(found, format.value)
        return
    shown = found.slice(0, SQL_SCREEN_ROWS)
    columns = [shown.column(place).to_pylist() for place in range(shown.num_columns)]
    terminal.lines(found.column_names, zip(*columns, strict=True))
    if found.num_rows > SQL_SCREEN_ROWS:
        _warn(f"{found.num_rows} rows, the first {SQL_SCREEN_ROWS} shown; --format csv, json or parquet gives all")


@app.command()
def export(
    out: Annotated[Path, typer.Option(help="The file to write: .parquet, .csv or .jsonl.")],
    table: Annotated[str, typer.Argument(help="A table or view of the board.")] = "marts.row_scores",
    board: BoardName = "demo",
    where: Annotated[str | None, typer.Option(help="A condition on its rows, in SQL.")] = None,
    columns: Annotated[str | None, typer.Option(help="The columns to write, separated by commas.")] = None,
) -> None:
    """Write a slice of a board to a file."""
    from piibench_duck import protocol as protocols
    from piibench_duck import query as queries

    protocol = protocols.load()
    chosen = [column.strip() for column in columns.split(",")] if columns else []
    place = protocols.find_board(board, protocol)
    written = queries.export(place, protocol, out, table, where, chosen, out.suffix.removeprefix("."))
    print(f"{written} rows of {table} in {out}")


@app.command(name="list")
def list_(
    what: Annotated[Listed, typer.Argument(help="What to list.")],
    board: BoardName = "demo",
    as_json: AsJson = False,
) -> None:
    """List corpora, carriers, runners, or the runs of a board."""
    from piibench_duck import listing
    from piibench_duck.board import terminal

    columns, lines = listing.of(what.value, board)
    if as_json:
        _print_json([dict(zip(columns, line, strict=True)) for line in lines])
    else:
        terminal.lines(columns, lines)


def _key_map(pairs: Sequence[str] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, name = pair.partition("=")
        if not (key and equals and name):
            raise WrongUsageError(f"--map {pair!r} is not of the form KEY=NAME")
        found[key] = name
    return found


def _print_json(value: object) -> None:
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False))


def _warn(said: str) -> None:
    print(f"piibench-duck: {said}", file=sys.stderr)


@contextmanager
def _status(title: str) -> Iterator[Callable[[str], None]]:
    """A spinner on stderr while something is done whose length is not known; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda said: None
        return
    from rich.console import Console

    with Console(stderr=True).status(title) as status:
        yield lambda said: status.update(f"{title}: {said}")


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """A progress bar on stderr, gone when it is done; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda total: lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        def start(total: int) -> Callable[[int], None]:
            task = progress.add_task(title, total=total)
            return lambda done: progress.advance(task, done)

        yield start


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; faults that a user can mend end in one sentence on stderr and exit code 1, wrong usage in 2."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code: Any = app(arguments, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        _warn(error.format_message())
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        _warn("interrupted")
        return 130
    except PiibenchError as error:
        for finding in list(getattr(error, "findings", []))[:20]:
            print(finding, file=sys.stderr)
        _warn(str(error))
        return 2 if isinstance(error, WrongUsageError) else 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        _warn(f"{error.filename or 'a file'}: {error.strerror or type(error).__name__}")
        return 1
