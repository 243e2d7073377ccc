"""The command that brings sources, and makes a board of one that is rows already."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import Mirror
from piibench_duck.commands_wrap import count
from piibench_duck.errors import PiibenchError, WrongUsageError


def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="All that are pinned if none.")
    ] = None,
    mirror: Mirror = None,
    where: Annotated[bool, typer.Option("--where", help="Print the folder of each source and nothing else.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--as-board", help="Make this folder a board of SOURCE and its published runs.")
    ] = None,
) -> None:
    """Bring sources from the mirror, the cache or upstream, and verify their digests."""
    from piibench_duck import published, sources

    known = sources.load_sources()
    for name in names or []:
        if name not in known:
            raise PiibenchError(f"no source {name!r}; there are {', '.join(known)}")
    if folder is not None and (where or not names or len(names) != 1):
        raise WrongUsageError("--as-board goes with one source, and without --where")
    if folder is not None and names and known[names[0]].reader != published.READER:
        raise WrongUsageError(f"--as-board: source {names[0]!r} holds documents; `build` makes rows of them")
    failed = 0
    for name in names or [name for name, source in known.items() if not source.is_recorded]:
        try:
            with console.status(f"fetch {name}"):
                root = sources.fetch(known[name], mirror, sources.downloads_of(known[name]))
            sha256, size = sources.pinned(known[name], root)
        except PiibenchError as error:
            failed += 1
            console.warn(str(error))
            continue
        is_recorded = ", recorded" if known[name].is_recorded else ""
        print(root.resolve() if where else f"{name}: {size} bytes, {sha256[:12]}{is_recorded}")
        if folder is not None:
            failed += _as_board(root, folder)
    if failed:
        raise typer.Exit(1)


def _as_board(root: Path, folder: Path) -> int:
    """How many published runs were refused."""
    from piibench_duck import protocol, published

    with console.status(f"board {folder}") as say:
        done = published.as_board(root, folder, protocol.load(), say)
    print(f"{folder}: {count(done.n_rows, 'row')}, {count(len(done.taken), 'published run')}")
    for name, n_spans in done.taken.items():
        print(f"{name}: {count(n_spans, 'span')}")
    for name, why in done.refused.items():
        console.warn(f"{name} is left out: {why}")
    return len(done.refused)
