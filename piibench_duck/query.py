"""A person's own SQL over a board: one SELECT, read-only, in a locked room; and slices of it as files."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from piibench_duck import boards, parameters, sandbox, selects, sqlfiles, warehouse
from piibench_duck.beside import beside
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("parquet", "csv", "jsonl")

_TEXT_OR_NO_JSON = re.compile(rb'"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)')
"""DuckDB writes these numbers bare, which no other reader takes for JSON."""


def open_locked(
    board: Board, protocol: Protocol, runs: Sequence[str] | None = None, wanted: Collection[str] | None = None
) -> warehouse.Connection:
    """The board as views, with every file out of reach but its Parquet files, and no setting left to change.

    Of `runs` alone, and with the views alone that are `wanted`, where those are named.
    """
    con = boards.open_to_read(board.warehouse, board.name, protocol, runs, wanted)
    selects.lock(con, board.warehouse)
    return con


def select(con: warehouse.Connection, text: str, at_most: int | None = None, board: Board | None = None) -> "pa.Table":
    """The rows of one SELECT, or its first ones. Anything else is refused, and so is what DuckDB refuses.

    Views of `board` that it reads are made where they are not there.
    """
    return selects.run_one_select(con, text, at_most, board.warehouse if board else None)


def plan(con: warehouse.Connection, text: str, board: Board | None = None) -> str:
    """How DuckDB would answer one SELECT, which is not done. What `select` refuses is refused."""
    return selects.plan_of_one_select(con, text, board.warehouse if board else None)


def queries() -> dict[str, sqlfiles.SqlFile]:
    """The questions in `sql/queries/`, by name."""
    found = {file.name.partition(".")[2]: file for file in warehouse.files() if file.schema == "queries"}
    return dict(sorted(found.items()))


def subject(file: sqlfiles.SqlFile) -> str:
    """What a query answers, as its opening comment says before its parameters and its grain."""
    return " ".join(re.split(r"^(?:Parameters|Grain): ", file.comment, maxsplit=1, flags=re.MULTILINE)[0].split())


def open_for(board: Board, protocol: Protocol, name: str, params: Mapping[str, str]) -> warehouse.Connection:
    """The board, locked, as that query sees it: of the runs that `run`, or `run_a` and the like, name, those alone.

    Raises `PiibenchError` where one is not there, or has not been scored and the query reads what `score` keeps.
    """
    file = _find(name)
    boards.require_built(board.warehouse, board.name)
    runs = sorted({value for parameter, value in params.items() if parameters.is_run(parameter)})
    looked_up = parameters.looked_up(file, params)
    chosen = boards.asked_runs(board.warehouse, runs) if runs else None
    con = open_locked(board, protocol, chosen, [*file.reads, *looked_up])
    kept = _kept_that_are_read(file)
    for run in runs:
        if all((board.warehouse / table / f"{run}.parquet").is_file() for table in kept):
            continue
        select = "select status, why from contracts.runs where run_id = $run"
        status, why = con.sql(select, params={"run": run}).fetchall()[0]
        told = f"run {run!r} has not been scored; run `piibench-duck score {run} --board {board.name}`"
        raise PiibenchError(f"run {run!r} was not run: {why}" if status == "not_run" else told)
    return con


def named(con: warehouse.Connection, name: str, params: Mapping[str, object]) -> "pa.Table":
    """The rows of `sql/queries/<name>.sql` with its $parameters.

    Raises `PiibenchError` for a parameter that it does not take and for a value that is not there.
    """
    text, values = _filled(con, name, params)
    return selects.run_shipped(con, text, values)


def plan_of_named(con: warehouse.Connection, name: str, params: Mapping[str, object]) -> str:
    """How DuckDB would answer that query, which is not done. Raises as `named` does."""
    text, values = _filled(con, name, params)
    return str(con.sql(f"explain {text}", params=values).fetchall()[0][1])


def _filled(con: warehouse.Connection, name: str, params: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """The text of a query, and the values of all its parameters after they were checked."""
    file = _find(name)
    parameters.check(con, file, params)
    return file.text, {**dict.fromkeys(parameters.of(file)), **params}


def _find(name: str) -> sqlfiles.SqlFile:
    there = queries()
    if name not in there:
        raise PiibenchError(f"no query {name!r}; there are {', '.join(there)}")
    return there[name]


def _kept_that_are_read(file: sqlfiles.SqlFile) -> list[str]:
    """Tables of what `score` keeps that the query reads, whether itself or through what it reads."""
    read = sqlfiles.needed(warehouse.files(), file.reads)
    return sorted(name.partition(".")[2] for name in warehouse.kept_names() if name in read)


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
    known = warehouse.readable_names()
    if table not in known:
        raise PiibenchError(f"no table {table!r}; there are {', '.join(known)}")
    con = open_locked(board, protocol, wanted=[table])
    there = select(con, f"select * from {table} limit 0").column_names
    for column in columns:
        if column not in there:
            raise PiibenchError(f"{table} has no column {column!r}; there are {', '.join(there)}")
    wanted = ", ".join(f'"{column}"' for column in columns) or "*"
    condition = "" if where is None else f" where {_condition(con, where)}"
    found = select(con, f"select {wanted} from {table}{condition} order by all", board=board)
    with beside(out) as part:
        warehouse.save(found, part, kind)
        if kind == "jsonl":
            part.write_bytes(_as_json(part.read_bytes()))
    return found.num_rows


def _condition(con: warehouse.Connection, where: str) -> str:
    """The condition in brackets, after finding that none of it reaches beyond them."""
    bracketed = f"({where}\n)"
    if not sandbox.is_one_expression(selects.parse_select(con, f"select {bracketed}")):
        raise PiibenchError("--where is not one condition; expected one expression, e.g. corpus = 'tab'")
    return bracketed


def _as_json(written: bytes) -> bytes:
    """What DuckDB has written, with null for the numbers that JSON does not have.

    >>> _as_json(b'{"NaN":NaN,"a":[-Infinity,1.5]}')
    b'{"NaN":null,"a":[null,1.5]}'
    """
    return _TEXT_OR_NO_JSON.sub(lambda found: found[0] if found[0].startswith(b'"') else b"null", written)


def print_rows(found: "pa.Table", kind: str) -> None:
    """The rows on stdout as csv, json (a list of objects) or parquet (bytes)."""
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        warehouse.save(found, path, kind)
        sys.stdout.flush()
        sys.stdout.buffer.write(_as_json(path.read_bytes()) if kind == "json" else path.read_bytes())
        sys.stdout.buffer.flush()
