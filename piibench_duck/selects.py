"""One SELECT that a person typed: taken apart, held to what only reads, and run where nothing else can be reached."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piibench_duck import sandbox, warehouse
from piibench_duck.errors import PiibenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

_running: list[warehouse.Connection] = []
"""Connections that compute an answer now."""


def lock(con: warehouse.Connection, folder: Path) -> None:
    """From here on nothing outside `folder` can be read, nothing can be installed and no setting can be changed."""
    # DuckDB compares a pattern as it is written, and a file where its links lead.
    spelled = dict.fromkeys([str(folder.absolute()), warehouse.globbed(folder), str(folder.resolve())])
    con.execute(f"set allowed_directories = [{', '.join(warehouse.quoted(path + os.sep) for path in spelled)}]")
    for setting in ("python_enable_replacements", "autoinstall_known_extensions", "autoload_known_extensions"):
        con.execute(f"set {setting} = false")
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")


def parse_select(con: warehouse.Connection, text: str) -> dict[str, Any]:
    """The syntax tree of exactly one statement that DuckDB itself takes for a SELECT, and that only reads.

    Anything else is refused: inside the allowed folder COPY and EXPORT could still write, also from within a SELECT.
    """
    if not sandbox.is_unicode(text):
        raise PiibenchError("the query is not Unicode; UTF-8 was expected")
    try:
        statements = con.extract_statements(text)
    except warehouse.Error as error:
        raise PiibenchError(f"the query cannot be parsed: {sandbox.said_before_running(error)}") from None
    if len(statements) != 1 or statements[0].type != warehouse.IS_SELECT:
        kinds = ", ".join(statement.type.name for statement in statements) or "nothing"
        raise PiibenchError(f"expected exactly one SELECT, found {kinds}")
    if statements[0].named_parameters:
        raise PiibenchError("the query has parameters, which nothing here fills; write the values into it")
    found: str = con.sql("select json_serialize_sql($text)", params={"text": text}).fetchall()[0][0]
    tree: dict[str, Any] = json.loads(found)
    if tree["error"]:
        raise PiibenchError("expected exactly one SELECT, found one that DuckDB cannot take apart")
    ours = con.sql(
        "select distinct function_name from duckdb_functions() "
        "where not internal and function_type = 'table_macro' order by all"
    ).fetchall()
    sandbox.check_tree(tree, tuple(name for (name,) in ours))
    return tree


def run_one_select(
    con: warehouse.Connection, text: str, at_most: int | None = None, kept_in: Path | None = None
) -> "pa.Table":
    """The rows of exactly one SELECT, or its first ones. Of a failure while it runs only the kind is told.

    Views of the board in the folder `kept_in` that the SELECT reads are made where they are not there.
    """
    relation = _bound(con, text, kept_in)
    try:
        found = _interruptibly(con, (relation if at_most is None else relation.limit(at_most)).to_arrow_table)
        return found.rename_columns(relation.columns)
    except (warehouse.Error, UnicodeDecodeError) as error:  # a message may quote half a character
        kind = sandbox.kind(error)
        raise PiibenchError(f"the query failed: {kind}, whose message is kept back since it may quote a row") from None


def plan_of_one_select(con: warehouse.Connection, text: str, kept_in: Path | None = None) -> str:
    """DuckDB's plan of exactly one SELECT, which is not run; refused as `run_one_select` refuses."""
    relation = _bound(con, text, kept_in)
    try:
        return str(relation.explain())
    except warehouse.Error as error:
        raise PiibenchError(f"the query is refused: {sandbox.said_before_running(error)}") from None


def _bound(con: warehouse.Connection, text: str, kept_in: Path | None) -> warehouse.Relation:
    """The relation that exactly one SELECT is, not run, after the views that it reads are made."""
    tree = parse_select(con, text)
    if kept_in is not None:
        of_system = {name for (name,) in con.sql("select view_name from duckdb_views() where internal").fetchall()}
        warehouse.derive_views(con, kept_in, sandbox.relations(tree, warehouse.readable_names(), of_system))
    try:
        return con.sql(text[: sandbox.end_of_first(text)])  # DuckDB stumbles over a comment behind the semicolon
    except (warehouse.Error, UnicodeDecodeError) as error:
        raise PiibenchError(f"the query is refused: {_with_nearest(tree, error)}") from None


def _with_nearest(tree: "Mapping[str, Any]", error: Exception) -> str:
    """What DuckDB says of a query that it has not run, and of a name that is not there the ones nearest to it."""
    said = sandbox.said_before_running(error)
    missing, is_table = sandbox.missing_name(said)
    if missing is None:
        return said
    there = warehouse.readable_names()
    read = sandbox.relations(tree, there, ()) or ()
    if not is_table:
        there = [column for file in warehouse.files() if file.name in read for column, _ in file.columns]
    nearest = sandbox.nearest(missing, there)
    return f"{said.rstrip('!')}; near it: {', '.join(nearest)}" if nearest else said


def run_shipped(con: warehouse.Connection, text: str, params: "Mapping[str, object]") -> "pa.Table":
    """The rows of a query of our own with its parameters."""
    return _interruptibly(con, lambda: con.sql(text, params=dict(params)).to_arrow_table())


def interrupt() -> None:
    """End what runs, from the handler of a signal: whoever asked gets a `PiibenchError`, `interrupted`."""
    for con in _running:
        con.interrupt()


def _interruptibly(con: warehouse.Connection, work: "Callable[[], pa.Table]") -> "pa.Table":
    """What `work` gives, from a thread of its own: in a long call of DuckDB the main one would not hear Ctrl-C."""
    _running.append(con)
    try:
        with ThreadPoolExecutor(1) as executor:
            working = executor.submit(work)
            try:
                return working.result()
            except KeyboardInterrupt:
                con.interrupt()
                raise
    except warehouse.Error as error:
        if type(error).__name__ == "InterruptException":
            raise PiibenchError("interrupted") from None
        raise
    finally:
        _running.remove(con)
