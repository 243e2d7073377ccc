"""What a query from outside may hold, read from DuckDB's own syntax tree, and what may be told of one that fails."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from piibench_duck.errors import PiibenchError

_QUERY_NODES = ("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE")
"""All that reads. DuckDB takes `with x as (copy t to 'file') select 1` for a SELECT, and it writes the file."""

_READ_NO_CATALOG = (
    *("range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"),
    *("read_parquet", "parquet_scan", "parquet_schema", "parquet_metadata", "parquet_file_metadata"),
    "parquet_kv_metadata",
)

TABLE_FUNCTIONS = (
    *_READ_NO_CATALOG,
    *("duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_functions"),
    *("duckdb_schemas", "duckdb_settings", "duckdb_tables", "duckdb_types", "duckdb_views", "pragma_table_info"),
)
"""Others run a text as a query (`query`), read what is no Parquet (`read_text`), or do something (`checkpoint`)."""

_QUOTED_OR_END = re.compile(
    r"""
    (?<!\w)[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z)
    | --[^\n]* | /\*.*?(?:\*/|\Z) | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) | ;
    """,
    re.DOTALL | re.VERBOSE,
)

_MISSING = re.compile(
    r"""
    Table\ with\ name\ "?(?P<table>[\w.]+)"?\ does\ not\ exist
    | column\ (?:named\ )?"(?P<column>[^"]+)"(?:\ (?:was\ )?not\ found|\ does\ not\ exist|\ in\ \w+\ list\ not\ found|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ALIKE = 0.5
"""How alike a name has to be, of 1, to be what was meant: `f1` is that to `f2`."""

_VALUE_FREE = ("ParserException", "BinderException", "CatalogException", "PermissionException")
"""What DuckDB raises before it has seen any row, in words of the query and of the catalog."""


def check_tree(tree: Mapping[str, Any], own_functions: tuple[str, ...]) -> None:
    """Raise unless every part of the query only reads, through table functions that are known to; ours are."""
    for part in _objects(tree):
        if "cte_map" in part and part.get("type") not in _QUERY_NODES:
            kind = str(part.get("type")).removesuffix("_QUERY_NODE").removesuffix("_NODE")
            raise PiibenchError(f"expected exactly one SELECT, found one that holds {kind}")
        if part.get("type") == "TABLE_FUNCTION":
            name = str(part["function"].get("function_name")).lower()
            if name not in TABLE_FUNCTIONS and name not in own_functions:
                told = "the board's tables, read_parquet() inside its folder, range() and unnest()"
                raise PiibenchError(f"the query reads from {name}(), which is not allowed; there are {told}")


def relations(tree: Mapping[str, Any], known: Collection[str], of_system: Collection[str]) -> set[str] | None:
    """Which of the known relations the query reads; none where it asks what there is, also of views of the system."""
    found = set()
    for part in _objects(tree):
        kind = part.get("type")
        if part.get("show_type") == "SHOW_SPECIAL":
            return None
        if kind == "TABLE_FUNCTION" and str(part["function"].get("function_name")).lower() not in _READ_NO_CATALOG:
            return None
        if kind == "BASE_TABLE":
            name = f"{part['schema_name']}.{part['table_name']}".lower()
            if name in known:
                found.add(name)
            elif str(part["table_name"]).lower() in of_system:
                return None
    return found


def is_one_expression(tree: Mapping[str, Any]) -> bool:
    """Whether the tree of `select (…)` holds one expression in those brackets and nothing beside it."""
    node = dict(tree["statements"][0]["node"])
    chosen = node.pop("select_list", [])
    bare = {"type": "SELECT_NODE", "aggregate_handling": "STANDARD_HANDLING"}
    empty = {key: value for key, value in node.items() if key not in (*bare, "from_table", "cte_map")}
    return (
        len(chosen) == 1
        and not chosen[0].get("alias")
        and all(node[key] == value for key, value in bare.items())
        and node["from_table"]["type"] == "EMPTY"
        and not node["cte_map"]["map"]
        and not any(empty.values())
    )


def _objects(tree: object) -> Iterator[Mapping[str, Any]]:
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def end_of_first(text: str) -> int | None:
    """Where the semicolon stands that ends the first statement; none where there is none outside quotes and comments.

    >>> end_of_first("select ';' -- ;") is None, end_of_first("select 1; -- the end")
    (True, 8)
    """
    return next((found.start() for found in _QUOTED_OR_END.finditer(text) if found[0] == ";"), None)


def is_unicode(text: str) -> bool:
    """Whether the text is free of what stands for bytes that were no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def said_before_running(error: Exception) -> str:
    """What DuckDB says of a query that it has not run; of a kind of error that could quote a row, its kind alone."""
    return str(error).strip().splitlines()[0] if type(error).__name__ in _VALUE_FREE else kind(error)


def missing_name(said: str) -> tuple[str | None, bool]:
    """The name that DuckDB says is not there, and whether it is a table's; none where it says something else.

    >>> missing_name('Binder Error: Referenced column "f2" not found in FROM clause!')
    ('f2', False)
    >>> missing_name("Catalog Error: Table with name scores does not exist!")
    ('scores', True)
    """
    found = _MISSING.search(said)
    return (found["table"] or found["column"], found["table"] is not None) if found else (None, False)


def nearest(name: str, there: Collection[str]) -> list[str]:
    """Up to three of the names that are there, the most alike first; a table is known with and without its schema."""
    alike = {}
    for other in there:
        known = {other, other.rpartition(".")[2]}
        alike[other] = max(difflib.SequenceMatcher(None, name.lower(), one).ratio() for one in known)
    return sorted((other for other in alike if alike[other] >= _ALIKE), key=lambda other: (-alike[other], other))[:3]


def kind(error: Exception) -> str:
    """The kind of a DuckDB error, in the words in which it is printed.

    >>> kind(ValueError("Anna"))
    'Value Error'
    """
    name = type(error).__name__.removesuffix("Exception").removesuffix("Error")
    return f"{re.sub('(?<=[a-z])(?=[A-Z])', ' ', name)} Error".strip()
