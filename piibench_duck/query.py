"""A person's own SQL over a board: one SELECT, read-only, in a locked room; and slices of it as files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from piibench_duck import boards, sandbox, warehouse
from piibench_duck.beside import beside
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("parquet", "csv", "jsonl")


def open_locked(board: Board, protocol: Protocol) -> warehouse.Connection:
    """The board as views, with every file out of reach but its Parquet files, and no setting left to change."""
    con = boards.open_to_read(board.warehouse, board.name, protocol)
    warehouse.lock(con, board.warehouse)
    return con


def select(con: warehouse.Connection, text: str, at_most: int | None = None) -> "pa.Table":
    """The rows of one SELECT, or its first ones. Anything else is refused, and so is what DuckDB refuses."""
    return warehouse.run_one_select(con, text, at_most)


def query_names() -> list[str]:
    """The questions in `sql/queries/`."""
    return sorted(file.name.partition(".")[2] for file in warehouse.files() if file.schema == "queries")


def named(con: warehouse.Connection, name: str, params: Mapping[str, object]) -> "pa.Table":
    """The rows of `sql/queries/<name>.sql` with its $parameters.

    One whose description says `or null` may be left out.
    """
    file = next((file for file in warehouse.files() if file.name == f"queries.{name}"), None)
    if file is None:
        raise PiibenchError(f"no query {name!r}; there are {', '.join(query_names())}")
    taken = set(re.findall(r"\$(\w+)", re.sub(r"--[^\n]*", "", file.text)))
    needed = {parameter for parameter in taken if not re.search(rf"\b{parameter}, or null\b", file.comment)}
    if not needed <= params.keys() <= taken:
        given = ", ".join(sorted(params)) or "none"
        told = ", ".join(
            parameter if parameter in needed else f"{parameter} (may be left out)" for parameter in sorted(taken)
        )
        raise PiibenchError(f"query {name!r} takes the parameters {told or 'none'}, found {given}")
    found: pa.Table = con.sql(file.text, params={**dict.fromkeys(taken), **params}).to_arrow_table()
    return found


def cells(found: "pa.Table") -> Iterator[tuple[object, ...]]:
    """The table's rows; names of columns may repeat."""
    columns = [found.column(place).to_pylist() for place in range(found.num_columns)]
    return zip(*columns, strict=True)


def export(board: Board, protocol: Protocol, out: Path, table: str, where: str | None, columns: Sequence[str]) -> int:
    """Write a slice of `table` to a file, beside and renamed; the number of its rows."""
    kind = out.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise PiibenchError(f"no format {kind!r}; there are {', '.join(FORMATS)}")
    if out.is_dir() or not out.parent.is_dir():
        raise PiibenchError(f"cannot write {str(out)!r}: its folder is missing, or it is one itself")
    con = open_locked(board, protocol)
    known = warehouse.relation_names(con)
    if table not in known:
        raise PiibenchError(f"no table {table!r}; there are {', '.join(known)}")
    there = select(con, f"select * from {table} limit 0").column_names
    for column in columns:
        if column not in there:
            raise PiibenchError(f"{table} has no column {column!r}; there are {', '.join(there)}")
    wanted = ", ".join(f'"{column}"' for column in columns) or "*"
    condition = "" if where is None else f" where {_condition(con, where)}"
    found = select(con, f"select {wanted} from {table}{condition} order by all")
    with beside(out) as part:
        warehouse.save(found, part, kind)
    return found.num_rows


def _condition(con: warehouse.Connection, where: str) -> str:
    """The condition in brackets, after finding that none of it reaches beyond them."""
    bracketed = f"({where}\n)"
    if not sandbox.is_one_expression(warehouse.parse_select(con, f"select {bracketed}")):
        raise PiibenchError("--where is not one condition; expected one expression, e.g. corpus = 'tab'")
    return bracketed


def print_rows(found: "pa.Table", kind: str) -> None:
    """The rows on stdout as csv, json (a list of objects) or parquet (bytes)."""
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        warehouse.save(found, path, kind)
        sys.stdout.flush()
        sys.stdout.buffer.write(path.read_bytes())
        sys.stdout.buffer.flush()
