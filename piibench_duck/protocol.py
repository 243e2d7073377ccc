"""What `data/protocol.toml` says: designs, boards, the splits that serve, and the runs that a board has by itself."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import places
from piibench_duck.errors import PiibenchError

RUN_KEYS = ("runner", "model", "revision", "labels", "licence", "credit", "note")


class Design(NamedTuple):
    """A selection of rows: at most so many passages of a corpus, each in exactly one of the carriers."""

    name: str
    rows_per_corpus: int
    carriers: tuple[str, ...]


class BoardPlan(NamedTuple):
    """What a named board is made of."""

    title: str
    design: str
    corpora: tuple[str, ...]
    runs: tuple[str, ...]


class RunPlan(NamedTuple):
    """A runner with its model; `labels` names the label map's namespace where the runner does not."""

    name: str
    runner: str
    model: str | None = None
    revision: str | None = None
    labels: str | None = None
    licence: str | None = None
    credit: str | None = None
    note: str | None = None


class Protocol(NamedTuple):
    """The whole file."""

    version: str
    seed: int
    replicates: int
    designs: dict[str, Design]
    boards: dict[str, BoardPlan]
    splits: dict[str, tuple[str, ...]]
    runs: dict[str, RunPlan]


def load(path: Path | None = None) -> Protocol:
    """The protocol, or a `PiibenchError` that names the key that is missing or wrong."""
    path = path or places.data_dir() / "protocol.toml"
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PiibenchError(f"{path.name}: cannot be read as TOML ({error})") from None
    try:
        return Protocol(
            version=str(table["version"]),
            seed=int(table["seed"]),
            replicates=int(table["replicates"]),
            designs={
                name: Design(name, int(design["rows_per_corpus"]), tuple(design["carriers"]))
                for name, design in table["designs"].items()
            },
            boards={
                name: BoardPlan(board["title"], board["design"], tuple(board["corpora"]), tuple(board["runs"]))
                for name, board in table["boards"].items()
            },
            splits={name: tuple(splits) for name, splits in table["corpora"].items()},
            runs={name: RunPlan(name, **run) for name, run in table["runs"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PiibenchError(f"{path.name}: a key is missing or of the wrong kind ({error})") from None


def find_board(name: str, protocol: Protocol) -> places.Board:
    """The board of that name, or the user's own board in a folder that holds a rows file."""
    if name in protocol.boards:
        return places.Board(name, places.home() / "warehouse" / name, places.home() / "results" / name, None)
    folder = Path(name)
    if own_rows(folder) is not None:
        return places.Board(folder.resolve().name, folder / "warehouse", folder / "results", folder)
    names = ", ".join(sorted(protocol.boards))
    raise PiibenchError(f"no board {name!r}; there are {names}, or a folder that holds rows.jsonl or rows.parquet")


def own_rows(folder: Path) -> Path | None:
    """The rows file of a user's own board."""
    return next((folder / file for file in ("rows.jsonl", "rows.parquet") if (folder / file).is_file()), None)
