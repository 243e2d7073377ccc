"""The commands that run detectors or put their runs together: `predict` and `combine`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board, KeyMap, Rows, Rule, Runs, key_map, options
from piibench_duck.errors import PiibenchError, WrongUsageError

if TYPE_CHECKING:
    from piibench_duck import places
    from piibench_duck.protocol import Protocol
    from piibench_duck.run_plans import RunPlan
    from piibench_duck.runs import Asked, Outcome


def predict(
    runs: Runs = None,
    board: Board = "demo",
    rows: Rows = None,
    model: Annotated[
        str | None, typer.Option(help="A folder, a hub id, package:NAME, a URL or a runner's name.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="The hub commit of MODEL, all 40 digits.")] = None,
    unpinned: Annotated[
        bool, typer.Option("--unpinned", help="Take a hub model as it is today; results say that nobody can repeat it.")
    ] = False,
    pipeline: Annotated[str, typer.Option(help="auto (by what MODEL is) or a runner: onnx, transformers, …")] = "auto",
    name: Annotated[str | None, typer.Option("--as", help="What MODEL's run on the board is called.")] = None,
    about: Annotated[
        Path | None, typer.Option(help="A run.toml: what a run is and what only people can say of it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The predictions file to write, .jsonl or .parquet.")] = None,
    design: Annotated[
        list[str] | None, typer.Option(help="A design to answer; those that the board's runs answer if none.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="NAME=VALUE: an option of the runner (list runners).")
    ] = None,
    aggregation: Annotated[str | None, typer.Option(help="first, max, average, simple or none.")] = None,
    labels: Annotated[str | None, typer.Option(help="Labels to ask for, separated by commas.")] = None,
    threshold: Annotated[float | None, typer.Option(help="The confidence that a span must reach.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Texts together; 1 for each by itself.")
    ] = None,
    shard: Annotated[str | None, typer.Option(help="2/8: answer this part of the rows alone.")] = None,
    merge: Annotated[int | None, typer.Option(min=1, max=10_000, help="Put so many shards together.")] = None,
    restart: Annotated[
        bool, typer.Option("--restart/--resume", help="Begin anew, or go on where an earlier attempt stopped.")
    ] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first row that is not answered.")] = False,
    time: Annotated[int | None, typer.Option(min=1, max=100_000, help="Time so many rows, one at a time.")] = None,
    check_batch: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Say how many of so many rows change in a batch.")
    ] = None,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Run detectors over a board's rows, or one over a rows file; goes on where it was stopped."""
    from piibench_duck import runs as runner
    from piibench_duck.predict import BATCH_ROWS
    from piibench_duck.shards import parse

    given = options(option) | {
        key: str(value)
        for key, value in {"aggregation": aggregation, "labels": labels, "threshold": threshold}.items()
        if value is not None
    }
    if shard and merge:
        raise WrongUsageError("--shard answers a part and --merge puts parts together; one of them was expected")
    if (shard or merge) and (time or check_batch):
        raise WrongUsageError("--time and --check-batch go with a run that is whole, after its shards are merged")
    asked = runner.Asked(
        designs=design,
        restart=restart,
        fail_fast=fail_fast,
        shard=parse(shard) if shard else None,
        merge=merge,
        time_rows=time,
        check_batch=check_batch,
        batch_rows=batch_size or BATCH_ROWS,
    )
    if rows is not None:
        if not model or out is None:
            raise WrongUsageError("--rows needs --model and --out")
        if runs or design or name or about or shard or merge or time or check_batch:
            raise WrongUsageError("a rows file has no runs and no designs: with --rows go --model and its options")
        plan = _own_plan(model, revision, unpinned, pipeline, given, batch_size)
        _predict_file(rows, plan, out, asked, key_map(mapped), as_json)
        return
    if out or mapped:
        raise WrongUsageError("--out and --map go with --rows")
    if model or about:
        if runs:
            raise WrongUsageError("--model and --about are a run of their own; runs of the board go without them")
        _own_run(board, model, revision, unpinned, pipeline, name, about, given, batch_size, asked, as_json)
        return
    if name or revision or unpinned or given or batch_size or pipeline != "auto":
        raise WrongUsageError("--as, --revision, --unpinned, --pipeline and options of a runner go with --model")
    from piibench_duck import protocol as protocols

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    for run in runs or []:
        if run not in protocol.runs:
            is_own = (place.warehouse / "runs" / f"{run}.parquet").is_file()
            told = "it is one of your own: give its --model or --about again, with --as" if is_own else "there are "
            raise PiibenchError(f"no run {run!r} of the protocol; {told}{'' if is_own else ', '.join(protocol.runs)}")
    asked = asked._replace(designs=protocols.check_designs(design, board, protocol))
    plan_of_board = protocols.board_plan(place, protocol)
    names = runs or (plan_of_board or protocol.own).runs
    made = [(run, _run(place, protocol, protocol.runs[run], asked, as_json)) for run in names]
    if as_json:
        console.print_json([_figures(run, outcome) for run, outcome in made])
    if runs and any(
        outcome.why for _, outcome in made
    ):  # what a board names by itself and cannot run is on the board, and no fault
        raise typer.Exit(1)


def _own_plan(
    model: str,
    revision: str | None,
    unpinned: bool,
    pipeline: str,
    given: dict[str, str],
    batch_size: int | None,
) -> "RunPlan":
    from piibench_duck import pipelines
    from piibench_duck.runners.registry import options_of

    plan = pipelines.plan_of(model, revision, pipeline, given, unpinned)
    if batch_size and "batch" in options_of(plan.runner) and "batch" not in given:
        plan = plan._replace(options={**given, "batch": str(batch_size)})
    return plan


def _own_run(
    board: str,
    model: str | None,
    revision: str | None,
    unpinned: bool,
    pipeline: str,
    name: str | None,
    about: Path | None,
    given: dict[str, str],
    batch_size: int | None,
    asked: "Asked",
    as_json: bool,
) -> None:
    """A run that no protocol names, by what the command line and a `run.toml` say; the command line counts more."""
    from piibench_duck import protocol as protocols
    from piibench_duck import run_plans

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    said = run_plans.read(about, protocols.corpora_of(place, protocol)) if about else {}
    model, revision = model or said.get("model"), revision or said.get("revision")
    if model is None and "runner" not in said:
        raise WrongUsageError(f"{about} names neither model nor runner; one of them, or --model, was expected")
    if pipeline == "auto" and "runner" in said:
        pipeline = said["runner"]
    plan = _own_plan(
        model or pipeline,
        revision,
        unpinned or said.get("unpinned", False),
        pipeline,
        {**said.get("options", {}), **given},
        batch_size,
    )
    called = name or said.get("name")
    if called is None:
        called = plan.name.rstrip("/").rpartition("/")[2].rpartition(":")[2]
        if not run_plans.is_name(called):  # nor told: it may be of an address or a command line
            raise WrongUsageError("MODEL gives its run no name that files may have; --as with one was expected")
    run_plans.check_name(called)
    if called in protocol.runs:
        raise PiibenchError(f"run {called!r} is one that protocol.toml defines; another name, --as, was expected")
    only_said = {key: value for key, value in said.items() if key in (*run_plans.SAID, "namespace")}
    asked = asked._replace(designs=protocols.check_designs(asked.designs, board, protocol))
    outcome = _run(place, protocol, plan._replace(name=called, **only_said), asked, as_json)
    if as_json:
        console.print_json([_figures(called, outcome)])
    if outcome.why:
        raise typer.Exit(1)


def _run(place: "places.Board", protocol: "Protocol", plan: "RunPlan", asked: "Asked", as_json: bool) -> "Outcome":
    """What became of the run, which has been said."""
    from piibench_duck import runs as runner

    with console.bar(plan.name) as start:
        outcome = runner.run_on_board(place, protocol, plan, asked, start)
    _say(plan.name, outcome, asked, as_json)
    return outcome


def _figures(name: str, outcome: "Outcome") -> dict[str, object]:
    checked = outcome.batch_check
    return {
        "run": name,
        "state": outcome.state,
        "why": outcome.why,
        "errors": dict(outcome.errors),
        "batch_check": checked._asdict() if checked else None,
    }


def _say(name: str, outcome: "Outcome", asked: "Asked", as_json: bool) -> None:
    if outcome.why:
        said = "was not run" if outcome.state == "not_run" else "is kept as it was, since it cannot run again"
        console.warn(f"{name} {said}: {outcome.why}")
    if outcome.state == "ran":
        console.say(f"{name}: answered")
    if outcome.state == "answered" and asked.shard:
        console.say(f"{name}: shard {asked.shard} answered; once all are, --merge {asked.shard.of} puts them together")
    if outcome.batch_check and not as_json:
        print(f"{name}: {outcome.batch_check} rows change when they are batched")
    for kind, count in outcome.errors.items():
        console.warn(f"{name}: {count} rows not answered: {kind}")


def _predict_file(rows: Path, plan: "RunPlan", out: Path, asked: "Asked", keys: dict[str, str], as_json: bool) -> None:
    from piibench_duck import door, run_files

    if out.suffix not in (".jsonl", ".parquet"):
        raise WrongUsageError(f"--out {out.name!r} ends in neither .jsonl nor .parquet")
    if out.is_dir() or not out.parent.is_dir():
        raise PiibenchError(f"--out {str(out)!r}: a file in a folder that exists was expected")
    with console.refusals_as_json(as_json), console.bar(plan.name) as start:
        errors = run_files.run_on_file(door.read_rows(rows, keys), plan, out, asked, start)
    for kind, count in errors.items():
        console.warn(f"{count} rows not answered: {kind}")
    if as_json:
        console.print_json({"model": plan.name, "errors": dict(errors), "out": str(out)})


def combine(
    a: Annotated[str, typer.Argument(metavar="A", help="A run of the board.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    name: Annotated[str, typer.Option("--as", help="What the combination is called.")],
    rule: Annotated[
        Rule, typer.Option(help="All that either marks, what both mark, or A's and of B's what A left.")
    ] = Rule.union,
    board: Board = "demo",
    as_json: AsJson = False,
) -> None:
    """Put two runs together as a run of its own, without running anything."""
    from piibench_duck import combine as combining
    from piibench_duck import protocol as protocols

    protocol = protocols.load()
    if name in protocol.runs:
        raise PiibenchError(f"run {name!r} is one that protocol.toml defines; another name was expected")
    place = protocols.find_board(board, protocol)
    n_rows = combining.run(place, protocol, combining.plan_of(name, a, b, rule.value))
    if as_json:
        console.print_json({"run": name, "run_a": a, "run_b": b, "rule": rule.value, "n_rows": n_rows})
    else:
        print(f"{name}: {n_rows} rows that both {a} and {b} answered")


def drop(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs of the board.")],
    board: Board = "demo",
    as_json: AsJson = False,
) -> None:
    """Remove runs from a board, with their answers and results."""
    from piibench_duck import boards
    from piibench_duck import protocol as protocols

    place = protocols.find_board(board, protocols.load())
    boards.require_built(place.warehouse, place.name)
    dropped = boards.asked_runs(place.warehouse, runs)
    for run in dropped:
        boards.drop_run(place, run)
        if not as_json:
            print(f"{run}: removed from {place.name}")
    if as_json:
        console.print_json({"board": place.name, "removed": dropped})
