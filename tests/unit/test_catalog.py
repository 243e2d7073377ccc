"""The database of views beside a board, opened by a client that knows nothing of us."""

import json
import subprocess
import sys
from functools import cache
from typing import Any

from piibench_duck import boards, warehouse
from tests.built import demo_board

CLIENT = """
import duckdb, json, sys
con = duckdb.connect(sys.argv[1], read_only=True)
found = {"tables": con.sql("select count(*) from duckdb_tables()").fetchall()[0][0]}
found["views"] = con.sql(
    "select schema_name || '.' || view_name, comment from duckdb_views() where not internal order by all"
).fetchall()
found["columns"] = con.sql(
    "select schema_name || '.' || table_name || '.' || column_name, comment from duckdb_columns() where not internal"
).fetchall()
found["macros"] = con.sql(
    "select distinct schema_name || '.' || function_name, comment from duckdb_functions() where not internal"
).fetchall()
for name, _ in found["views"]:
    con.sql(f"select * from {name} limit 0").fetchall()
found["best"] = con.sql("select run_id from marts.mean_scores order by f1 desc limit 1").fetchall()[0][0]
print(json.dumps(found))
"""


@cache
def seen() -> dict[str, Any]:
    """What a plain DuckDB sees, after every view has answered."""
    path = demo_board().warehouse / boards.CATALOG
    command = [sys.executable, "-I", "-c", CLIENT, path]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, cwd="/", check=True).stdout)
    return found


def test_it_holds_views_alone_which_all_answer() -> None:
    assert seen()["tables"] == 0
    assert [name for name, _ in seen()["views"]] == warehouse.readable_names()
    assert seen()["best"] == "rules"
    assert (demo_board().warehouse / boards.CATALOG).stat().st_size < 10e6


def test_no_view_column_or_macro_is_without_its_comment() -> None:
    files = {file.name: file for file in warehouse.files()}
    assert dict(seen()["views"]) == {name: files[name].comment for name in warehouse.readable_names()}
    columns = {f"{name}.{column}": said for name in warehouse.readable_names() for column, said in files[name].columns}
    assert dict(seen()["columns"]) == columns
    assert all(said.strip() for said in columns.values())
    macros = {file.name.replace("macros.", "main."): file.comment for file in files.values() if file.is_macro}
    assert dict(seen()["macros"]) == macros
