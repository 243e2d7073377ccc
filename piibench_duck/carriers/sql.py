"""SQL statements: INSERT with a row for each value and UPDATE for one, in Postgres's or MySQL's string escape."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from piibench_duck.carriers.scaffolds import moment, number, pick, serial
from piibench_duck.carriers.writer import Value, Writer


class _Dialect(NamedTuple):
    quote: str  # of an identifier, by which a reader tells the dialects apart
    escapes: dict[str, str]  # of a character in a string


_POSTGRES = _Dialect('"', {"'": "''"})
_MYSQL = _Dialect(  # as mysql_real_escape_string does
    "`",
    {"\0": "\\0", "\n": "\\n", "\r": "\\r", "\\": "\\\\", "'": "\\'", '"': '\\"', "\x1a": "\\Z"},
)
_TABLES = (
    "ticket_comments",
    "support_messages",
    "crm_notes",
    "case_notes",
    "audit_events",
    "chat_messages",
    "inbox_items",
    "survey_answers",
    "call_summaries",
    "review_queue",
)
_TEXTS = ("body", "message", "note", "comment", "description", "content", "summary")  # tells `unwrap`
_STATUSES = ("open", "pending", "closed", "new", "archived")
_SHAPES = (
    ("id", "text"),
    ("id", "status", "text"),
    ("id", "text", "created_at"),
    ("id", "created_at", "text"),
    ("id", "text", "status"),
)


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """The first or the last value is in the UPDATE, a value alone in either. Postgres has no NUL, so MySQL takes it."""
    dialect = pick(key, "dialect", (_POSTGRES, _MYSQL)) if "\0" not in writer.passage.text else _MYSQL
    case = pick(key, "case", (str.upper, str.lower))
    table, text = pick(key, "table", _TABLES), pick(key, "text", _TEXTS)
    columns = pick(key, "shape", _SHAPES)
    gap = pick(key, "gap", ("\n  ", " "))
    created = moment(key, "created").strftime("%Y-%m-%d %H:%M:%S")
    status = pick(key, "status", _STATUSES)

    def name(column: str) -> str:
        return dialect.quote + (text if column == "text" else column) + dialect.quote

    def cell(column: str, value: Value) -> None:
        if column == "id":
            writer.lookalike(str(serial(key, value)))
            return
        writer.scaffold("'")
        if column == "text":
            writer.value(value, dialect.escapes)
        elif column == "created_at":
            writer.lookalike(created)
        else:
            writer.scaffold(status)
        writer.scaffold("'")

    def insert(rows: Sequence[Value]) -> None:
        names = ", ".join(map(name, columns))
        writer.scaffold(f"{case('insert into')} {name(table)} ({names}) {case('values')}")
        for row, value in enumerate(rows):
            writer.scaffold(f"{',' if row else ''}{gap}")
            for index, column in enumerate(columns):
                writer.scaffold(", " if index else "(")
                cell(column, value)
            writer.scaffold(")")
        writer.scaffold(";\n")

    def update(value: Value) -> None:
        writer.scaffold(f"{case('update')} {name(table)} {case('set')} ")
        for index, column in enumerate(columns[1:]):
            writer.scaffold(f"{', ' if index else ''}{name(column)} = ")
            cell(column, value)
        writer.scaffold(f" {case('where')} {name('id')} = ")
        cell("id", value)
        writer.scaffold(";\n")

    is_first = number(key, "update_first", 2) == 0
    if is_first:
        update(values[0])
    rest = values[1:] if is_first else values[: max(1, len(values) - 1)]
    if rest:
        insert(rest)
    if not is_first and len(values) > 1:
        update(values[-1])


def unwrap(wire: str) -> list[str]:
    """The strings of the text column, statement by statement. Which dialect it is, its quoted identifiers say."""
    from sqlglot import exp, parse

    quoted = re.search("[\"`']", wire)
    values: list[str] = []
    for statement in parse(wire, dialect="mysql" if quoted and quoted.group() == _MYSQL.quote else "postgres"):
        if isinstance(statement, exp.Insert):
            (place,) = (place for place, column in enumerate(statement.this.expressions) if column.name in _TEXTS)
            values += [row.expressions[place].name for row in statement.expression.expressions]
        elif isinstance(statement, exp.Update):
            values += [pair.expression.name for pair in statement.expressions if pair.this.name in _TEXTS]
    return values
