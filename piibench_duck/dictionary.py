"""`docs/data-model.md`: every relation, column, macro and check of sql/, from their files, and how contracts relate."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from piibench_duck import sqlfiles
from piibench_duck.places import sql_dir

_HEAD = """# Data model

Every table, view, macro and check, from the comments in `sql/` (`just format` writes this page; a test compares it).
In a DuckDB client the same words are the comments of relations and columns: `select * from duckdb_columns()`.
"""
_LAYERS = {
    "contracts": "What may be written to `<board>/<table>/<writer>.parquet`, and what one scoring is asked for.",
    "staging": "The contracts read, with labels mapped.",
    "intermediate": "Characters and counts.",
    "marts": "What people read.",
    "metrics": "Scores from counts.",
    "macros": "What the other files share.",
    "checks": "Selects that must return no rows.",
    "queries": "Questions people ask twice.",
}


_DIAGRAM = """Each line leads from a table to one that names its key (PK) in columns of its own (FK); a circle at its
beginning says that these may be empty, or hold something else.
"""


class Column(NamedTuple):
    """A column of a contract."""

    name: str
    type: str
    is_needed: bool


class Relation(NamedTuple):
    """A contract that names lines of another by the columns of its key."""

    one: str
    many: str
    columns: tuple[str, ...]
    is_needed: bool  # whether there is always such a line


def columns_of(contract: sqlfiles.SqlFile) -> list[Column]:
    """Columns, with their types in capitals."""
    pattern = r"^ +(\w+) (\w+(?:\([\w, ]+\))?)( not null)?"
    found = {name: Column(name, kind.upper(), bool(needed)) for name, kind, needed in _matches(pattern, contract.text)}
    return [found[name] for name, _ in contract.columns]


def key_of(file: sqlfiles.SqlFile) -> tuple[str, ...]:
    """The columns of its grain; none where that names none."""
    return tuple(column for (listed,) in _matches(r"^Grain: (\([\w, ]+\))", file.comment) for column in _words(listed))


def relations(files: Iterable[sqlfiles.SqlFile]) -> list[Relation]:
    """Contracts that have all columns of another's key, which no third has, among their own."""
    contracts = sorted(file for file in files if file.schema == "contracts")
    keys = [key_of(file) for file in contracts]
    found = []
    for one, key in zip(contracts, keys, strict=True):
        for many in contracts if key and keys.count(key) == 1 else ():
            of_many = {column.name: column.is_needed for column in columns_of(many)}
            if many is not one and of_many.keys() >= {*key}:
                said = dict(many.columns)
                is_needed = all(of_many[column] and ", or `" not in said[column] for column in key)
                found.append(Relation(one.name, many.name, key, is_needed))
    return found


def diagram(files: Sequence[sqlfiles.SqlFile]) -> str:
    """The contracts as an entity diagram in Mermaid."""
    found = relations(files)
    lines = ["erDiagram"]
    for one, many, columns, is_needed in found:
        lines.append(f'    {_bare(one)} {"||" if is_needed else "|o"}--o{{ {_bare(many)} : "{", ".join(columns)}"')
    for file in sorted(file for file in files if file.schema == "contracts"):
        lines.append(f"    {_bare(file.name)} {{")
        named = {column for relation in found if relation.many == file.name for column in relation.columns}
        for column in columns_of(file):
            marks = ["PK"] * (column.name in key_of(file)) + ["FK"] * (column.name in named)
            kind = column.type.partition("(")[0].lower()
            lines.append(f"        {kind} {column.name} {', '.join(marks)}".rstrip())
        lines.append("    }")
    return "\n".join(lines) + "\n"


def _bare(name: str) -> str:
    return name.partition(".")[2]


def _matches(pattern: str, text: str) -> list[tuple[str, ...]]:
    return [found.groups(default="") for found in re.finditer(pattern, text, re.MULTILINE)]


def _words(listed: str) -> list[str]:
    return re.findall(r"\w+", listed)


def page(files: Iterable[sqlfiles.SqlFile]) -> str:
    """The page as Markdown."""
    parts = [_HEAD]
    by_schema: dict[str, list[sqlfiles.SqlFile]] = {}
    for file in sorted(files):
        by_schema.setdefault(file.schema, []).append(file)
    for schema, about in _LAYERS.items():
        if schema not in by_schema:
            continue
        parts.append(f"## {schema}\n\n{about}\n")
        if schema == "contracts":
            parts.append(f"{_DIAGRAM}\n```mermaid\n{diagram(by_schema[schema])}```\n")
        for file in by_schema[schema]:
            parts.append(f"### {file.name.removeprefix('macros.')}\n\n" + "  \n".join(file.comment.splitlines()) + "\n")
            if file.columns and schema != "checks":
                lines = [f"| `{name}` | {said.replace('|', chr(92) + '|')} |" for name, said in file.columns]
                parts.append("| column | what |\n|---|---|\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    path = Path(__file__).parent.parent / "docs" / "data-model.md"
    path.write_text(page(sqlfiles.load(sql_dir())), encoding="utf-8")


if __name__ == "__main__":
    main()
