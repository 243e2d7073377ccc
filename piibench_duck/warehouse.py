"""Open, fill, derive and write the tables: the only module that imports duckdb."""

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import duckdb

from piibench_duck import side_by_side, sqlfiles
from piibench_duck.errors import PiibenchError
from piibench_duck.places import data_dir, sql_dir

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

Connection = duckdb.DuckDBPyConnection
Relation = duckdb.DuckDBPyRelation
Error = duckdb.Error
IS_SELECT = duckdb.StatementType.SELECT

RUN_TABLES = ("runs", "run_rows", "pred_spans", "timings")
"""Contracts whose writer is a run."""

READABLE = ("contracts", "staging", "intermediate", "marts")
"""Layers of relations; the others are macros, checks and queries."""

_RELATIONS = """
select schema_name, view_name from duckdb_views() where not internal
union all
select schema_name, table_name from duckdb_tables()
"""

_NONE: Mapping[str, Callable[[Connection], None]] = {}

EMPTY = "_empty.parquet"
"""The zero-row file of each table, so that an empty warehouse opens."""


def files() -> list[sqlfiles.SqlFile]:
    """The shipped SQL, in the order in which it can be created; read once a process."""
    return _files(sql_dir())


@cache
def _files(folder: Path) -> list[sqlfiles.SqlFile]:
    return sqlfiles.load(folder)


def connect(threads: int | None = None, path: Path | None = None) -> Connection:
    """An empty database, in memory unless a path is given, with the schemas, contracts and macros of sql/."""
    con = duckdb.connect(path or ":memory:", config={"threads": threads} if threads else {})
    # What spills would lie in the current folder, and may hold text.
    con.execute("set timezone = 'UTC'; set enable_progress_bar = false; set temp_directory = ''")
    schemas = [schema for schema in sqlfiles.SCHEMAS if schema not in ("macros", "checks", "queries")]
    con.execute("; ".join(f"create schema {schema}" for schema in schemas))
    first = [file for file in files() if file.schema == "contracts" or file.is_macro]
    try:
        con.execute(";\n".join(file.text.rstrip().rstrip(";") for file in first))  # at once, which is twice as fast
    except duckdb.Error as error:
        raise RuntimeError(f"sql/contracts and macros: {error}") from error
    return con


def execute_file(con: Connection, file: sqlfiles.SqlFile, prefix: str = "") -> None:
    """Run one file of sql/, and say which one where DuckDB refuses it."""
    try:
        con.execute(prefix + file.text)
    except duckdb.Error as error:
        raise RuntimeError(f"sql/{file.name.replace('.', '/')}.sql: {error}") from error


def fill(con: Connection, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Append `columns`, equally long, to a contract table; one that is not named is NULL.

    A map is a dict or a list of pairs. DuckDB's appender spares the import of pyarrow.
    """
    values = {**columns}
    for name in {"slices", "settings", "machine", "steered"} & columns.keys():
        values[name] = [None if pairs is None else dict(pairs) for pairs in columns[name]]
    with con.appender(f"contracts.{table}", columns=list(columns)) as appender:
        appender.append_rows(list(zip(*values.values(), strict=True)))


def fill_arrow(con: Connection, table: str, rows: "pa.Table") -> None:
    """Append an Arrow table to a contract table, column by name."""
    con.register("incoming", rows)
    con.execute(f"insert into contracts.{table} by name select * from incoming")
    con.unregister("incoming")


def fill_seeds(con: Connection) -> None:
    """The taxonomy and the label map, from their CSV files."""
    for table in ("taxonomy", "label_map"):
        path = data_dir() / "seeds" / f"{table}.csv"
        con.execute(
            f"insert into contracts.{table} by name select * from read_csv({quoted(path)}, header = true, "
            "all_varchar = true, nullstr = '', quote = '\"', delim = ',')"
        )


def attach(con: Connection, folder: Path, runs: Sequence[str] | None = None, keep: Sequence[str] = ()) -> None:
    """Replace contract tables by views over their Parquet files under `folder`, of `runs` alone where they are named.

    Those in `keep`, and the settings, stay tables.
    """
    for table in contract_names():
        if table == "settings" or table in keep:
            continue
        chosen = [EMPTY, *(f"{run}.parquet" for run in runs)] if runs is not None and table in RUN_TABLES else None
        con.execute(f"drop table contracts.{table}")
        create_parquet_view(con, f"contracts.{table}", folder / table, chosen)


def create_parquet_view(con: Connection, name: str, folder: Path, chosen: Sequence[str] | None = None) -> None:
    """A view over all Parquet files of a folder, or over the chosen ones that exist."""
    if chosen is None:
        source = quoted(globbed(folder) + os.sep + "*.parquet")
    else:
        paths = [folder / file for file in chosen if (folder / file).is_file()]
        source = "[" + ", ".join(quoted(globbed(path)) for path in paths) + "]"
    con.execute(f"create or replace view {name} as select * from read_parquet({source})")


def derive(con: Connection, wanted: Iterable[str], made_by: Mapping[str, Callable[[Connection], None]] = _NONE) -> None:
    """Compute the relations that the `wanted` ones need, and create those: intermediate ones as tables.

    Those that do not need each other are computed side by side, each on a connection of its own to the same database.
    A relation named in `made_by` is created by that function, which finds there what its file of sql/ reads.
    """
    by_name = {file.name: file for file in files()}
    there = {*_relations(con)}
    needed: dict[str, tuple[str, ...]] = {}
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in needed and name not in there and by_name[name].schema in ("staging", "intermediate", "marts"):
            needed[name] = by_name[name].reads
            waiting += by_name[name].reads
    graph = {name: [read for read in reads if read in needed] for name, reads in needed.items()}
    side_by_side.in_order(con, graph, lambda name: made_by.get(name) or partial(_create, by_name[name]))


def _create(file: sqlfiles.SqlFile, con: Connection) -> None:
    kind = "view" if file.schema == "marts" else "table"
    execute_file(con, file, f"create {kind} {file.name} as\n")


def derive_views(con: Connection, kept_in: Path, wanted: Iterable[str] | None = None) -> None:
    """Staging, intermediate and marts as views; what `score` keeps is read from its files under that folder.

    Each takes DuckDB milliseconds to bind, so only those that the `wanted` relations need are made, where any are
    named, and none a second time.
    """
    chosen = None if wanted is None else sqlfiles.needed(files(), wanted)
    there = {*_relations(con)}
    for file in files():
        if file.schema not in ("staging", "intermediate", "marts") or file.name in there:
            continue
        if chosen is not None and file.name not in chosen:
            continue
        if file.is_kept:
            create_parquet_view(con, file.name, kept_in / file.name.split(".")[1])
        else:
            execute_file(con, file, f"create view {file.name} as\n")


def _relations(con: Connection) -> Iterator[str]:
    return (f"{schema}.{name}" for schema, name in con.sql(_RELATIONS).fetchall())


def check(con: Connection, names: Iterable[str] | None = None, mend: str = "build the board again") -> None:
    """Run the selects of sql/checks; one that returns rows is a fault, named with how many and how to mend it."""
    for file in files():
        if file.schema != "checks" or (names is not None and file.name.split(".")[1] not in names):
            continue
        try:
            broken = con.sql(f"select count(*) from ({file.text})").fetchall()[0][0]
        except duckdb.Error as error:
            raise RuntimeError(f"sql/{file.name.replace('.', '/')}.sql: {error}") from error
        if broken:
            rule = file.name.split(".")[1].replace("_", " ")
            raise PiibenchError(f"check failed: {rule}, but {broken} do not; {mend}")


def content_digest(con: Connection, select: str, params: Mapping[str, object] | None = None) -> str:
    """A digest of the rows of a select, whatever their order and whatever file they come from.

    It is of sums over the SHA-256 of each row, in 60 bits at a time, so that it needs no memory for rows.
    """
    sums = ", ".join(f"coalesce(sum(('0x' || substr(line, {1 + 15 * part}, 15))::bigint), 0)" for part in range(4))
    found = con.sql(
        f"select sha256(concat_ws(' ', count(*), {sums})) "
        f"from (select sha256(lines::varchar) as line from ({select}) as lines)",
        params=dict(params) if params else None,
    )
    return str(found.fetchall()[0][0])


def file_digest(name: str) -> str:
    """SHA-256 of the file of sql/ with that name."""
    return next(hashlib.sha256(file.text.encode()).hexdigest() for file in files() if file.name == name)


def can_be_read(path: Path) -> bool:
    """Whether a Parquet file can be read from end to end."""
    try:
        with duckdb.connect() as con:
            con.execute(f"create table found as select * from read_parquet({quoted(globbed(path))})")
    except duckdb.Error:
        return False
    return True


def create_from_parquet(con: Connection, name: str, path: Path) -> None:
    """A table with the rows of a Parquet file, in its order; a `PiibenchError` where that is none."""
    try:
        con.execute(f"create table {name} as select * from read_parquet({quoted(globbed(path))})")
    except duckdb.Error:
        raise PiibenchError(f"{path.name} is not a whole Parquet file") from None


def write(con: Connection, select: str, path: Path, inputs: Mapping[str, str], in_order: bool = False) -> str:
    """The rows of `select`, in order of all columns, as one Parquet file; its old bytes or its new ones, never half.

    The file names its own content digest, which is returned, and the digests of the `inputs` that it was made from.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = content_digest(con, select)
    copy_to(con, select, path, told({"digest": digest, "inputs": dict(inputs)}), in_order=in_order)
    return digest


def told(said: Mapping[str, object]) -> str:
    """The option of `copy_to` that has a Parquet file say this of itself, for `about`."""
    return f"kv_metadata {{piibench: {quoted(json.dumps(said, sort_keys=True, ensure_ascii=True))}}}"


def one_value(con: Connection, select: str) -> str:
    """The one value of a select, as a text; a `PiibenchError` where the select does not fit its table."""
    try:
        return str(con.sql(select).fetchall()[0][0])
    except duckdb.Error:
        raise PiibenchError("a table has other columns than expected") from None


def copy_to(con: Connection, select: str, path: Path, *options: str, in_order: bool = False) -> None:
    """The rows of `select`, in order of all columns, as a Parquet file: the same bytes for the same rows.

    Written beside and renamed. What is `in_order` already is not sorted.
    """
    told = ", ".join(("format parquet", "compression zstd", *options))
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _writing(path):
            order = "" if in_order else " order by all"
            con.execute(f"copy (select * from ({select}){order}) to {quoted(beside)} ({told})")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def about(con: Connection, folder: Path) -> dict[str, dict[str, Any]]:
    """What each Parquet file `<table>/<writer>` under `folder` says of itself: its digest and its inputs' digests."""
    if not any(folder.glob("*/*.parquet")):
        return {}
    pattern = quoted(globbed(folder) + os.sep + "*" + os.sep + "*.parquet")
    try:
        found = con.sql(
            f"select file_name, decode(value) from parquet_kv_metadata({pattern}) where decode(key) = 'piibench'"
        ).fetchall()
    except duckdb.Error:
        broken = [path for path in sorted(folder.glob("*/*.parquet")) if not _is_parquet(con, path)]
        named = f"{broken[0].parent.name}/{broken[0].name}" if broken else "a file"
        raise PiibenchError(f"{named} in {folder} is not a whole Parquet file; delete it and make it again") from None
    return {f"{Path(name).parent.name}/{Path(name).stem}": json.loads(said) for name, said in found}


def _is_parquet(con: Connection, path: Path) -> bool:
    try:
        con.sql(f"select * from parquet_kv_metadata({quoted(globbed(path))})").fetchall()
    except duckdb.Error:
        return False
    return True


def contract_names() -> list[str]:
    """Names of the tables in sql/contracts."""
    return [file.name.split(".")[1] for file in files() if file.schema == "contracts"]


def kept_names() -> list[str]:
    """Qualified names of the relations that `score` keeps, one file a run."""
    return [file.name for file in files() if file.is_kept]


def is_there(con: Connection, name: str) -> bool:
    """Whether a relation has been derived, or attached."""
    return name in _relations(con)


def lines_of_runs(con: Connection, select: str) -> defaultdict[str, list[dict[str, Any]]]:
    """The rows of a select that has a column `run_id`, as dictionaries without it, in order, by run."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in rows_of(con, select):
        found[line.pop("run_id")].append(line)
    return found


def rows_of(con: Connection, select: str) -> list[dict[str, Any]]:
    """The rows of a select as dictionaries."""
    relation = con.sql(select)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def quoted(text: object) -> str:
    """A SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def globbed(path: Path) -> str:
    """A path whose own brackets and stars are no pattern."""
    return "".join(f"[{character}]" if character in "[*?" else character for character in str(path.absolute()))


def relation_names(con: Connection) -> list[str]:
    """Qualified names of all relations, in order."""
    return sorted(_relations(con))


def readable_names() -> list[str]:
    """Qualified names of what can be read of a board, in order, whether its views have been made or not."""
    return sorted(file.name for file in files() if file.schema in READABLE)


def lazy(con: Connection, select: str) -> "pl.LazyFrame":
    """A select as a lazy frame: DuckDB runs it when the frame is collected, with the filters and columns asked for.

    Each reading has a connection of its own, since DuckDB has one open result a connection and a join reads two.
    """
    from duckdb.polars_io import duckdb_source

    def relation() -> duckdb.DuckDBPyRelation:
        try:
            return con.cursor().sql(select)
        except duckdb.ConnectionException:
            raise PiibenchError("the board has been closed; its frames are collected before that") from None

    return duckdb_source(cast(duckdb.DuckDBPyRelation, _Anew(relation)), relation().limit(0).pl().schema)


class _Anew:
    """Stands for a relation, and makes it anew each time that something is asked of it."""

    def __init__(self, make: "Callable[[], duckdb.DuckDBPyRelation]") -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        return getattr(self._make(), name)


def save(found: "pa.Table", path: Path, kind: str) -> None:
    """Write an Arrow table as parquet, csv, jsonl or json."""
    con = duckdb.connect()
    con.execute("set enable_progress_bar = false")
    con.register("found", found)
    said = {
        "parquet": "format parquet, compression zstd",
        "csv": "format csv, header true",
        "jsonl": "format json",
        "json": "format json, array true",
    }
    with _writing(path):
        con.execute(f"copy found to {quoted(path)} ({said[kind]})")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """A file that DuckDB cannot write is a fault that a user can mend."""
    try:
        yield
    except duckdb.IOException:
        raise PiibenchError(f"{path.parent} cannot be written to; it is read-only or has no room") from None
