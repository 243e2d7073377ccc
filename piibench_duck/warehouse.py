"""Open, fill, derive and write the tables: the only module that imports duckdb."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from piibench_duck import sqlfiles
from piibench_duck.errors import PiibenchError
from piibench_duck.places import data_dir, sql_dir

if TYPE_CHECKING:
    import pyarrow as pa

Connection = duckdb.DuckDBPyConnection

RUN_TABLES = ("runs", "run_rows", "pred_spans", "timings")
"""Contracts whose writer is a run."""

_RELATIONS = """
select schema_name, view_name from duckdb_views() where not internal
union all
select schema_name, table_name from duckdb_tables()
"""

EMPTY = "_empty.parquet"
"""The zero-row file of each table, so that an empty warehouse opens."""


def files() -> list[sqlfiles.SqlFile]:
    """The shipped SQL, in the order in which it can be created."""
    return sqlfiles.load(sql_dir())


def connect(threads: int | None = None, path: Path | None = None) -> Connection:
    """An empty database, in memory unless a path is given, with the schemas, contracts and macros of sql/."""
    con = duckdb.connect(path or ":memory:", config={"threads": threads} if threads else {})
    con.execute("set timezone = 'UTC'")
    con.execute("set enable_progress_bar = false")
    for schema in sqlfiles.SCHEMAS:
        if schema not in ("macros", "checks", "queries"):
            con.execute(f"create schema {schema}")
    for file in files():
        if file.schema == "contracts" or file.is_macro:
            execute_file(con, file)
    return con


def execute_file(con: Connection, file: sqlfiles.SqlFile, prefix: str = "") -> None:
    """Run one file of sql/, and say which one where DuckDB refuses it."""
    try:
        con.execute(prefix + file.text)
    except duckdb.Error as error:
        raise RuntimeError(f"sql/{file.name.replace('.', '/')}.sql: {error}") from error


def fill(con: Connection, table: str, columns: Mapping[str, Sequence[object]]) -> None:
    """Append `columns`, equally long, to a contract table; one that is not named is NULL."""
    import pyarrow as pa

    schema = con.sql(f"select * from contracts.{table} limit 0").to_arrow_table().schema
    length = len(next(iter(columns.values()), []))
    arrays = [pa.array(columns.get(field.name, [None] * length), type=field.type) for field in schema]
    fill_arrow(con, table, pa.Table.from_arrays(arrays, schema=schema))


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


def derive(con: Connection, wanted: Iterable[str]) -> None:
    """Compute, in order, the relations that the `wanted` ones need, and create those: intermediate ones as tables."""
    by_name = {file.name: file for file in files()}
    needed: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += by_name[name].reads
    there = {f"{schema}.{name}" for schema, name in con.sql(_RELATIONS).fetchall()}
    for file in by_name.values():
        if file.name in needed - there and file.schema in ("staging", "intermediate", "marts"):
            kind = "table" if file.schema == "intermediate" else "view"
            execute_file(con, file, f"create {kind} {file.name} as\n")


def derive_views(con: Connection, kept_in: Path) -> None:
    """Staging, intermediate and marts as views; what `score` keeps is read from its files under that folder."""
    for file in files():
        if file.schema not in ("staging", "intermediate", "marts"):
            continue
        if file.is_kept:
            create_parquet_view(con, file.name, kept_in / file.name.split(".")[1])
        else:
            execute_file(con, file, f"create view {file.name} as\n")


def comment(con: Connection) -> None:
    """Give every relation, column and macro the comment that stands in its file."""
    kinds = dict(
        con.sql("select schema_name || '.' || view_name, 'view' from duckdb_views() where not internal").fetchall()
    )
    for file in files():
        if file.schema in ("checks", "queries"):
            continue
        said = quoted(file.comment)
        if file.is_macro:
            con.execute(f"comment on macro {macro_name(file)} is {said}")
            continue
        con.execute(f"comment on {kinds.get(file.name, 'table')} {file.name} is {said}")
        for column, text in file.columns:
            con.execute(f"comment on column {file.name}.{column} is {quoted(text)}")


def macro_name(file: sqlfiles.SqlFile) -> str:
    """Macros of sql/macros live in the default schema, so that they need no prefix."""
    return file.name.removeprefix("macros.")


def check(con: Connection, names: Iterable[str] | None = None) -> None:
    """Run the selects of sql/checks; one that returns rows is a fault, named with how many."""
    for file in files():
        if file.schema != "checks" or (names is not None and file.name.split(".")[1] not in names):
            continue
        broken = con.sql(f"select count(*) from ({file.text})").fetchall()[0][0]
        if broken:
            rule = file.name.split(".")[1].replace("_", " ")
            raise PiibenchError(f"check failed: {rule}, but {broken} do not; build the board again")


def content_digest(con: Connection, select: str) -> str:
    """SHA-256 of the rows of a select, whatever their order and whatever file they come from."""
    found = con.sql(
        "select sha256(coalesce(string_agg(line, '' order by line), '')) "
        f"from (select sha256(lines::varchar) as line from ({select}) as lines)"
    )
    return str(found.fetchall()[0][0])


def write(con: Connection, select: str, path: Path, inputs: Mapping[str, str]) -> str:
    """The rows of `select`, in order of all columns, as one Parquet file; its old bytes or its new ones, never half.

    The file names its own content digest, which is returned, and the digests of the `inputs` that it was made from.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = content_digest(con, select)
    said = json.dumps({"digest": digest, "inputs": dict(inputs)}, sort_keys=True, ensure_ascii=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        con.execute(
            f"copy (select * from ({select}) order by all) to {quoted(beside)} "
            f"(format parquet, compression zstd, kv_metadata {{piibench: {quoted(said)}}})"
        )
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return digest


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


def lock(con: Connection, folder: Path) -> None:
    """From here on nothing outside `folder` can be read, nothing can be installed and no setting can be changed."""
    con.execute(f"set allowed_directories = [{quoted(str(folder.absolute()) + os.sep)}]")
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")


def run_one_select(con: Connection, text: str) -> "pa.Table":
    """The rows of exactly one statement that DuckDB itself takes for a SELECT; anything else is refused.

    The kind of statement is the guard: inside the allowed folder COPY and EXPORT could still write.
    """
    try:
        statements = con.extract_statements(text)
    except duckdb.Error as error:
        raise PiibenchError(f"the query cannot be parsed: {first_line(error)}") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        kinds = ", ".join(statement.type.name for statement in statements) or "nothing"
        raise PiibenchError(f"expected exactly one SELECT, found {kinds}")
    try:
        found: pa.Table = con.sql(statements[0].query).to_arrow_table()
        return found
    except duckdb.Error as error:
        raise PiibenchError(f"the query failed: {first_line(error)}") from None


def first_line(error: Exception) -> str:
    """What DuckDB says, without the piece of the query that it quotes, which may hold anything."""
    said = str(error).strip().splitlines()[0]
    if isinstance(error, (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)):
        said = re.sub(r"'.*'|\".*\"", "a value", said)
    return said


def relation_names(con: Connection) -> list[str]:
    """Qualified names of all relations, in order."""
    return sorted(f"{schema}.{name}" for schema, name in con.sql(_RELATIONS).fetchall())


def save(found: "pa.Table", path: Path, kind: str) -> None:
    """Write an Arrow table as parquet, csv, jsonl or json."""
    con = duckdb.connect()
    con.register("found", found)
    said = {
        "parquet": "format parquet, compression zstd",
        "csv": "format csv, header true",
        "jsonl": "format json",
        "json": "format json, array true",
    }
    con.execute(f"copy found to {quoted(path)} ({said[kind]})")
