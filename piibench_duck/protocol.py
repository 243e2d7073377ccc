"""What `data/protocol.toml` says: designs, boards, the splits that serve, and the runs that a board has by itself."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from piibench_duck import places, run_plans, source_tables, sources
from piibench_duck.errors import PiibenchError
from piibench_duck.run_plans import RunPlan

CarrierRule = Literal["prose", "one", "one_and_prose", "all"]
CARRIER_RULES: tuple[CarrierRule, ...] = ("prose", "one", "one_and_prose", "all")


class Design(NamedTuple):
    """A selection of rows: which passages of a corpus, and what each travels in."""

    name: str
    passages: int | None  # at most so many; None for every passage of each document
    carriers: CarrierRule


class BoardPlan(NamedTuple):
    """What a named board is made of, by the names of corpora, runs and designs."""

    title: str
    corpora: tuple[str, ...]
    runs: tuple[str, ...]
    designs: tuple[str, ...]  # whose rows are built
    predict: tuple[str, ...]  # of them, those that runs answer unless told otherwise
    ranked: str  # the one whose rows count
    pairs: str  # the one whose prose and carriers are compared
    documents: str  # the one that holds documents whole
    passages: Mapping[str, int] = {}  # by design, where the board takes another number of them


class Protocol(NamedTuple):
    """The whole file."""

    version: str
    seed: int
    replicates: int
    designs: dict[str, Design]
    boards: dict[str, BoardPlan]
    own: BoardPlan  # of a board that is built of a user's own sources, but for its title and corpora
    splits: dict[str, tuple[str, ...]]
    runs: dict[str, RunPlan]


def load(path: Path | None = None) -> Protocol:
    """The protocol, or a `PiibenchError` that names the key that is missing or wrong."""
    path = path or places.data_dir() / "protocol.toml"
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PiibenchError(f"{path.name}: cannot be read as TOML ({error})") from None
    try:
        protocol = Protocol(
            version=str(table["version"]),
            seed=int(table["seed"]),
            replicates=int(table["replicates"]),
            designs={
                name: Design(name, design.get("passages"), design["carriers"])
                for name, design in table["designs"].items()
            },
            boards={name: _read_plan(board) for name, board in table["boards"].items()},
            own=_read_plan({"title": "", "corpora": [], **table["own"]}),
            splits={name: tuple(splits) for name, splits in table["corpora"].items()},
            runs={
                name: run_plans.of_table(name, run, f"{path.name}: [runs.{name}]")
                for name, run in table["runs"].items()
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PiibenchError(f"{path.name}: a key is missing or of the wrong kind ({error})") from None
    for fault in _faults(protocol):
        raise PiibenchError(f"{path.name}: {fault}")
    return protocol


def design_of(protocol: Protocol, board: BoardPlan, name: str) -> Design:
    """The design with as many passages as the board takes of it."""
    design = protocol.designs[name]
    return design._replace(passages=board.passages.get(name, design.passages))


def _read_plan(table: dict[str, Any]) -> BoardPlan:
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return BoardPlan(**given)


def _faults(protocol: Protocol) -> Iterator[str]:
    """What the designs and boards say that cannot be."""
    for name, design in protocol.designs.items():
        if design.carriers not in CARRIER_RULES:
            yield f"designs.{name}.carriers is none of {', '.join(CARRIER_RULES)}"
        if design.passages is not None and not _is_number(design.passages):
            yield f"designs.{name}.passages is no number of passages"
    plans = {f"boards.{name}": board for name, board in protocol.boards.items()}
    for where, board in (plans | {"own": protocol.own}).items():
        for key, names in (
            *(("designs", board.designs), ("predict", board.predict), ("ranked", (board.ranked,))),
            ("passages", tuple(board.passages)),
        ):
            known = protocol.designs if key == "designs" else board.designs
            for unknown in [design for design in names if design not in known]:
                yield f"{where}.{key} names {unknown!r}; there are {', '.join(known)}"
        for design_name, passages in board.passages.items():
            if not _is_number(passages):
                yield f"{where}.passages.{design_name} is no number of passages"
        if board.pairs not in board.designs:
            yield f"{where}.pairs names {board.pairs!r}; there are {', '.join(board.designs)}"
        elif design_of(protocol, board, board.pairs).passages != design_of(protocol, board, board.ranked).passages:
            yield f"{where}: {board.pairs!r} takes other passages than {board.ranked!r}, so they share no draws"
        if board.documents not in board.designs:
            yield f"{where}.documents names {board.documents!r}; there are {', '.join(board.designs)}"
        elif protocol.designs[board.documents] != Design(board.documents, None, "prose"):
            yield f"{where}: {board.documents!r} does not hold documents whole, in prose"
        for key, names in (("corpora", board.corpora), ("runs", board.runs)):
            of = protocol.splits if key == "corpora" else protocol.runs
            for unknown in [other for other in names if other not in of]:
                yield f"{where}.{key} names {unknown!r}, which has no table of its own"


def _is_number(passages: object) -> bool:
    return type(passages) is int and passages > 0


def check_designs(names: Sequence[str] | None, board: str, protocol: Protocol) -> list[str] | None:
    """The designs that somebody named, or None where nobody named any; raises where the board has no such design."""
    for name in names or ():
        plan = board_plan(find_board(board, protocol), protocol)
        there = plan.designs if plan else ()
        if name not in there:
            raise PiibenchError(f"no design {name!r} on board {board!r}; there are {', '.join(there) or 'none'}")
    return list(names) if names else None


def find_board(name: str, protocol: Protocol) -> places.Board:
    """The board of that name, or the user's own board in a folder that holds a rows file or a `sources.toml`."""
    if name in protocol.boards:
        return places.Board(name, places.home() / "warehouse" / name, places.home() / "results" / name, None)
    folder = Path(name)
    rows, own = own_rows(folder), sources.own_file(folder)
    if rows is not None and own is not None:
        raise PiibenchError(f"board {name!r} holds {rows.name} and {own.name}; one of them was expected")
    if rows is not None or own is not None:
        return places.Board(folder.resolve().name, folder / "warehouse", folder / "results", folder)
    names = ", ".join(sorted(protocol.boards))
    raise PiibenchError(
        f"no board {name!r}; there are {names}, or a folder that holds rows.jsonl, rows.parquet or {source_tables.FILE}"
    )


def board_at(warehouse: Path, name: str) -> places.Board:
    """The board with that warehouse, which is the user's own where it lies in a folder that is one."""
    folder = warehouse.parent
    if warehouse.name == "warehouse" and (own_rows(folder) or sources.own_file(folder)):
        return places.Board(name, warehouse, folder / "results", folder)
    return places.Board(name, warehouse, folder.parent / "results" / warehouse.name, None)


def own_rows(folder: Path) -> Path | None:
    """The rows file of a user's own board."""
    return next((folder / file for file in ("rows.jsonl", "rows.parquet") if (folder / file).is_file()), None)


def board_plan(board: places.Board, protocol: Protocol) -> BoardPlan | None:
    """What a board is made of; None for a rows file, which has its rows and no designs."""
    if board.own is None:
        return protocol.boards.get(board.name)
    if sources.own_file(board.own) is None:
        return None
    corpora = dict.fromkeys(source.corpus for source in sources.of_board(board).values())
    return protocol.own._replace(title=board.name, corpora=tuple(corpora))


def splits_of(corpus: str, board: places.Board, protocol: Protocol) -> tuple[str, ...]:
    """Which splits of a corpus serve, in order: what the protocol says of ours, all of a user's own."""
    if board.own is None:
        return protocol.splits[corpus]
    own = [source for source in sources.of_board(board).values() if source.corpus == corpus]
    return tuple(dict.fromkeys(split for source in own for split in source.splits))


def corpora_of(board: places.Board, protocol: Protocol) -> tuple[str, ...]:
    """The corpora that a board has by its plan; those that its rows name where it has none."""
    plan = board_plan(board, protocol)
    if plan is not None:
        return plan.corpora
    from piibench_duck import warehouse

    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, [])
    found = con.sql("select distinct corpus from contracts.rows order by all").fetchall()
    return tuple(corpus for (corpus,) in found)
