"""The command that brings sources, and makes a board of one that is rows already."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Mirror
from piibench_duck.commands_wrap import count
from piibench_duck.errors import PiibenchError, WrongUsageError

if TYPE_CHECKING:
    from piibench_duck.published import Published


def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="All that are pinned if none.")
    ] = None,
    mirror: Mirror = None,
    where: Annotated[bool, typer.Option("--where", help="Print the folder of each source and nothing else.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--as-board", help="Make this folder a board of SOURCE and its published runs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring sources from the mirror, the cache or upstream, and verify their digests."""
    from piibench_duck import published, sources

    known = sources.load_sources()
    for name in names or []:
        if name not in known:
            raise PiibenchError(f"no source {name!r}; there are {', '.join(known)}")
    if where and as_json:
        raise WrongUsageError("--where prints folders and nothing else; --json has them too, without it")
    if folder is not None and (where or not names or len(names) != 1):
        raise WrongUsageError("--as-board goes with one source, and without --where")
    if folder is not None and names and known[names[0]].reader != published.READER:
        raise WrongUsageError(f"--as-board: source {names[0]!r} holds documents; `build` makes rows of them")
    failed: dict[str, str] = {}
    found: list[dict[str, object]] = []
    for name in names or [name for name, source in known.items() if not source.is_recorded]:
        try:
            with console.steps(f"fetch {name}", "bytes") as steps:
                root = sources.fetch(known[name], mirror, sources.downloads_of(known[name]), steps.start)
            sha256, size = sources.pinned(known[name], root)
        except PiibenchError as error:
            failed[name] = str(error)
            console.warn(str(error))
            continue
        is_recorded = known[name].is_recorded
        one = {"source": name, "folder": str(root.resolve()), "bytes": size, "sha256": sha256}
        found.append({**one, "is_recorded": is_recorded})
        if not as_json:
            told = f"{name}: {size} bytes, {sha256[:12]}{', recorded' if is_recorded else ''}"
            print(root.resolve() if where else told)
        if folder is not None:
            made = _as_board(root, folder)
            failed.update(made.refused)
            found[-1]["board"] = {"folder": str(folder), **made._asdict()}
            if not as_json:
                _print_board(folder, made)
    if as_json:
        console.print_json({"sources": found, "failed": failed})
    if failed:
        raise typer.Exit(1)


def _as_board(root: Path, folder: Path) -> "Published":
    from piibench_duck import protocol, published

    with console.status(f"board {folder}") as say:
        done = published.as_board(root, folder, protocol.load(), say)
    for name, why in done.refused.items():
        console.warn(f"{name} is left out: {why}")
    return done


def _print_board(folder: Path, done: "Published") -> None:
    print(f"{folder}: {count(done.n_rows, 'row')}, {count(len(done.taken), 'published run')}")
    for name, n_spans in done.taken.items():
        print(f"{name}: {count(n_spans, 'span')}")
