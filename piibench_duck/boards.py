"""A board's folder of Parquet files: what its writers write, what they say of their inputs, and how it is opened."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piibench_duck import catalog, versions, warehouse
from piibench_duck.beside import is_alive
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_at, board_plan

if TYPE_CHECKING:
    import pyarrow as pa

CATALOG = "piibench.duckdb"
_ROW_TABLES = ("rows", "gold_spans", "alignments")
_SEEDS = ("taxonomy", "label_map")
_DESIGNS = "designs/build"
_NO_ROWS = Path(warehouse.EMPTY).stem
_STEPS = ("build", "predict", "score")


def write_rows(con: warehouse.Connection, folder: Path) -> None:
    """Write what a build has filled in, a file for each corpus and carrier, then drop what stale writers left.

    The file of designs comes last and names all the others: a build that was cut short is refused by `verify`.
    """
    writers = con.sql("select distinct corpus, carrier from contracts.rows order by all").fetchall()
    parts: dict[str, str] = {}
    corpus_there = None
    for corpus, carrier in writers:
        if corpus != corpus_there:  # a corpus at a time, so that each carrier looks through its own corpus alone
            ids = f"select row_id from contracts.rows where corpus = {warehouse.quoted(corpus)}"
            for table in _ROW_TABLES:
                con.execute(
                    f"create or replace temp table {table}_of_corpus as "
                    f"select * from contracts.{table} where row_id in ({ids})"
                )
            corpus_there = corpus
        writer = _writer(corpus, carrier)
        ids = f"select row_id from rows_of_corpus where carrier = {warehouse.quoted(carrier)}"
        inputs: dict[str, str] = {}
        for table in _ROW_TABLES:
            path = folder / table / f"{writer}.parquet"
            digest = warehouse.write(con, f"select * from {table}_of_corpus where row_id in ({ids})", path, inputs)
            inputs = inputs or {f"{table}/{writer}": digest}
            parts[f"{table}/{writer}"] = digest
    for table in _ROW_TABLES:
        for path in (folder / table).glob("*.parquet"):
            if f"{table}/{path.stem}" not in parts and path.name != warehouse.EMPTY:
                path.unlink()
    for table in ("source_labels", "annotators", "forgiven"):
        warehouse.write(con, f"select * from contracts.{table}", folder / table / "build.parquet", {})
    warehouse.write(con, "select * from contracts.designs", folder / "designs" / "build.parquet", parts)
    write_empty(con, folder)
    write_seeds(con, folder)


def write_seeds(con: warehouse.Connection, folder: Path) -> dict[str, str]:
    """The seeds that `con` holds, where they differ from those there; the digest of each by its file's name."""
    there = warehouse.about(con, folder)
    digests = {}
    for table in _SEEDS:
        select = f"select * from contracts.{table}"
        digests[f"{table}/seed"] = digest = warehouse.content_digest(con, select)
        if there.get(f"{table}/seed", {}).get("digest") != digest:
            warehouse.write(con, select, folder / table / "seed.parquet", {})
    return digests


def write_empty(con: warehouse.Connection, folder: Path) -> None:
    """The zero-row file of each table, where it is not that of the SQL that is shipped."""
    there = warehouse.about(con, folder)
    scratch = None
    for name in (*(f"contracts.{table}" for table in warehouse.contract_names()), *warehouse.kept_names()):
        table = name.split(".")[1]
        digest = warehouse.file_digest(name)  # a file of no rows says what columns there are, so it goes with its SQL
        if table == "settings" or there.get(f"{table}/{_NO_ROWS}", {}).get("digest") == digest:
            continue
        if scratch is None:
            scratch = warehouse.connect()
            warehouse.derive(scratch, warehouse.kept_names())
        path = folder / table / warehouse.EMPTY
        path.parent.mkdir(parents=True, exist_ok=True)
        said = warehouse.told({"digest": digest, "inputs": {}})
        warehouse.copy_to(scratch, f"select * from {name} limit 0", path, said)


def write_run(
    folder: Path,
    line: Mapping[str, object],
    tables: Mapping[str, Iterable["pa.Table"]],
    inputs: Mapping[str, str],
    in_order: bool = False,
) -> None:
    """Write a run's line and its tables, each through its contract; the line last, since a run is there when it is.

    `inputs` are the digests of the files of rows that it answers. Tables that are `in_order` of all columns are not
    sorted, which takes memory for all of their lines.
    """
    con = warehouse.connect()
    warehouse.fill(con, "runs", {name: [value] for name, value in line.items()})
    for table in ("pred_spans", "run_rows", "timings", "runs"):
        for part in tables.get(table, ()):
            warehouse.fill_arrow(con, table, part)
        path = folder / table / f"{line['run_id']}.parquet"
        warehouse.write(con, f"select * from contracts.{table}", path, inputs, in_order)


def row_inputs(con: warehouse.Connection, folder: Path, row_ids: Sequence[str]) -> dict[str, str]:
    """Digests of the files that hold these rows, by `rows/<writer>`: what predictions answer."""
    writers = con.sql(
        "select distinct corpus, carrier from contracts.rows where row_id in (select unnest($row_ids)) order by all",
        params={"row_ids": list(row_ids)},
    ).fetchall()
    there = warehouse.about(con, folder)
    names = [f"rows/{_writer(*writer)}" for writer in writers]
    return {name: str(there[name]["digest"]) for name in names}


def row_ids(con: warehouse.Connection, folder: Path, name: str) -> list[str]:
    """Ids of the rows in the file `rows/<writer>`."""
    path = warehouse.quoted(warehouse.globbed(folder / f"{name}.parquet"))
    return [row_id for (row_id,) in con.sql(f"select row_id from read_parquet({path}) order by row_id").fetchall()]


def verify(
    con: warehouse.Connection, folder: Path, ignoring: Iterable[str] = (), runs: Iterable[str] | None = None
) -> dict[str, str]:
    """Digest of every file by name, after finding that each was made from the inputs that are there.

    Files of the tables in `ignoring` are not looked at, nor those of runs not in `runs`. Raises `PiibenchError`
    naming the file and its input; of several the one that is made first, since making it again comes before the others.
    Also where a build was cut short, where a file of rows is there that no build wrote or one of a run is not, and
    where a file has other columns than its table.
    """
    there = warehouse.about(con, folder)
    chosen = None if runs is None else parts_of(there, runs)
    looked_at = []
    for name, said in sorted(there.items(), key=lambda item: (_step(item[0]), item[0])):
        table, writer = name.split("/", 1)
        if table in ignoring or (table in warehouse.RUN_TABLES and chosen is not None and writer not in chosen):
            continue
        looked_at.append(name)
        if table == "runs" and writer != _NO_ROWS:
            _refuse_half(folder, there, writer)
        for needed, digest in said["inputs"].items():
            if needed not in there or there[needed]["digest"] != digest:
                state = "is not there" if needed not in there else "has changed since"
                step = "combine" if _step(needed) == 1 and _step(name) == 1 else _STEPS[_step(name)]
                raise PiibenchError(
                    f"{folder.name}/{name}.parquet was made from {needed}.parquet, which {state}; "
                    f"run `piibench-duck {step}` again for this board"
                )
    built = there.get(_DESIGNS, {"inputs": {}})["inputs"].keys()
    present = {f"{table}/{path.stem}" for table in _ROW_TABLES for path in (folder / table).glob("*.parquet")}
    for name in sorted(present - built):
        if name.split("/", 1)[1] != _NO_ROWS:
            raise PiibenchError(
                f"{folder.name}/{name}.parquet is of no finished build; run `piibench-duck build` again"
            )
    _refuse_other_columns(con, folder, there, looked_at)
    return {name: str(said["digest"]) for name, said in there.items()}


def parts_of(there: Mapping[str, Mapping[str, Any]], runs: Iterable[str]) -> set[str]:
    """These runs, and those that they are put together from, at any depth."""
    found: set[str] = set()
    waiting = [*runs]
    while waiting:
        run = waiting.pop()
        if run not in found:
            found.add(run)
            inputs = there.get(f"runs/{run}", {}).get("inputs", {})
            waiting += [name.split("/", 1)[1] for name in inputs if name.split("/")[0] in warehouse.RUN_TABLES]
    return found


def _refuse_half(folder: Path, there: Mapping[str, Mapping[str, Any]], run: str) -> None:
    """Raise where a table of a run is not there, or answers other files of rows than the run's line says."""
    for table in warehouse.RUN_TABLES:
        said = there.get(f"{table}/{run}")
        if said is None or said["inputs"] != there[f"runs/{run}"]["inputs"]:
            state = "is not there" if said is None else "answers other rows than its line in runs/ says"
            raise PiibenchError(
                f"{folder.name}/{table}/{run}.parquet of the run {run!r} {state}; predict or import that run again"
            )


def _refuse_other_columns(
    con: warehouse.Connection, folder: Path, there: Mapping[str, object], looked_at: Sequence[str]
) -> None:
    """Raise where a file is of an older or a newer version of its table. One file stands for all that a build wrote."""
    empty = [f"{table}/{_NO_ROWS}" for table in warehouse.contract_names()]
    of_build = {name.split("/")[0]: name for name in looked_at if _step(name) == 0 and name not in empty}
    others = [name for name in looked_at if _step(name) > 0]
    names = dict.fromkeys(name for name in [*empty, *of_build.values(), *others] if name in there)
    if (name := versions.first_other(con, folder, names)) is None:
        return
    table, writer = name.split("/", 1)
    step = 0 if writer == _NO_ROWS or table in _SEEDS else _step(name)
    raise PiibenchError(
        f"{folder.name}/{name}.parquet has other columns than this version's; "
        f"run `piibench-duck {_STEPS[step]}` again for this board"
    )


def _step(name: str) -> int:
    """Place among `_STEPS` of the command that makes a file."""
    table = name.split("/")[0]
    return 0 if table in (*_ROW_TABLES, *versions.OF_BUILD) else 1 if table in warehouse.RUN_TABLES else 2


def refuse_broken(folder: Path, error: Exception) -> None:
    """After an error of DuckDB: raise `PiibenchError` where a file of the board cannot be read through, else return."""
    for path in sorted(folder.glob("*/*.parquet")):
        if not warehouse.can_be_read(path):
            name = f"{path.parent.name}/{path.name}"
            raise PiibenchError(f"{name} of the board is broken; delete it and make it again") from error


def require_built(folder: Path, name: str) -> None:
    """Raise unless the board has been built, with all the tables that there are."""
    if not (folder / "rows" / warehouse.EMPTY).is_file() or not (folder / "label_map" / "seed.parquet").is_file():
        raise PiibenchError(f"board {name!r} has not been built; run `piibench-duck build --board {name}`")
    versions.require_tables(folder, name, (table for table in warehouse.contract_names() if table != "settings"))


def run_names(folder: Path) -> list[str]:
    """Runs that have a line, in order."""
    return sorted(path.stem for path in (folder / "runs").glob("*.parquet") if path.name != warehouse.EMPTY)


def kept_tables() -> list[str]:
    """Names of the folders that `score` writes."""
    return [name.split(".")[1] for name in warehouse.kept_names()]


def open_to_read(
    folder: Path,
    name: str,
    protocol: Protocol,
    runs: Sequence[str] | None = None,
    wanted: Collection[str] | None = None,
) -> warehouse.Connection:
    """The board as views, with its kept relations read from their files; of `runs` alone where they are named.

    Where relations are `wanted` by name, views of those alone and of what they need, which is much quicker:
    `warehouse.derive_views(con, folder, others)` makes more. Those of `contracts` are always there.
    """
    require_built(folder, name)
    versions.require_tables(folder, name, kept_tables())
    con = warehouse.connect()
    verify(con, folder, runs=runs)
    _make_views(con, folder, name, protocol, runs, wanted)
    return con


def _make_views(
    con: warehouse.Connection,
    folder: Path,
    name: str,
    protocol: Protocol,
    runs: Sequence[str] | None = None,
    wanted: Collection[str] | None = None,
) -> None:
    warehouse.attach(con, folder, runs)
    plan = board_plan(board_at(folder, name), protocol)
    names = (plan.ranked, plan.pairs, plan.documents) if plan else (None, None, None)
    ranked, pairs, documents = ("null" if name is None else warehouse.quoted(name) for name in names)
    con.execute("drop table contracts.settings")
    con.execute(
        f"create view contracts.settings as select {ranked}::varchar as design, {pairs}::varchar as pairs_design, "
        f"{documents}::varchar as documents_design, null::bigint as document_limit, "
        "'corrected' as tab_rules, 'unigram' as weights, false as allow_missing, "
        f"{protocol.seed}::bigint as seed, {protocol.replicates}::bigint as replicates"
    )
    warehouse.derive_views(con, folder, wanted)


def write_catalog(board: Board, protocol: Protocol) -> None:
    """Remake `piibench.duckdb`: views alone, commented, over absolute paths, for any DuckDB client."""
    path = board.warehouse / CATALOG
    beside = path.with_name(f".{CATALOG}.{os.getpid()}")
    try:
        con = warehouse.connect(path=beside)
        _make_views(con, board.warehouse.absolute(), board.name, protocol)
        catalog.comment(con)
        con.close()
        beside.replace(path)
    finally:
        for left in path.parent.glob(f"{beside.name}*"):
            left.unlink()


def _writer(corpus: str, carrier: str) -> str:
    """The file name of a corpus in a carrier: the two names where they are plain, else a digest of both."""
    if re.fullmatch("[a-z0-9][a-z0-9_-]{0,60}@[a-z0-9_]{1,60}", f"{corpus}@{carrier}"):
        return f"{corpus}@{carrier}"
    return hashlib.sha256(json.dumps([corpus, carrier]).encode()).hexdigest()


def refuse_kinds(board: Board, run: str, kinds: Sequence[str], told: str) -> None:
    """Raise where a run of that name has answers and is of one of these kinds: they would be lost."""
    if not (board.warehouse / "runs" / f"{run}.parquet").is_file():
        return
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, [run])
    select = "select 1 from contracts.runs where kind in (select unnest($kinds)) and status = 'ran'"
    if con.sql(select, params={"kinds": list(kinds)}).fetchall():
        raise PiibenchError(f"run {run!r} of board {board.name!r} {told}; another name was expected")


def drop_run(board: Board, run: str) -> None:
    """Remove a run: its line first, so that it is there whole or not at all. Raises where another is made of it."""
    there = warehouse.about(warehouse.connect(), board.warehouse)
    for other in run_names(board.warehouse):
        if other != run and run in parts_of(there, [other]):
            raise PiibenchError(f"run {run!r} is a part of {other!r}; remove that first")
    for table in ("runs", *(name for name in warehouse.RUN_TABLES if name != "runs"), *kept_tables()):
        (board.warehouse / table / f"{run}.parquet").unlink(missing_ok=True)
    shutil.rmtree(board.results / run, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove what killed writers left beside the files they meant to replace."""
    for left in [*folder.glob("*/.*.parquet.*"), *folder.glob("*/.staging.*"), *folder.glob(f".{CATALOG}.*")]:
        pid = next((part for part in reversed(left.name.split(".")) if part.isdigit()), "")  # of `.name.123.wal` too
        if pid and not is_alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def asked_runs(folder: Path, runs: Sequence[str]) -> list[str]:
    """The runs asked for, or all that there are; raises where one is not there."""
    there = run_names(folder)
    for run in runs:
        if run not in there:
            raise PiibenchError(
                f"no run {run!r}; there are {', '.join(there) or 'none yet: run `piibench-duck predict`'}"
            )
    return list(runs) or there
