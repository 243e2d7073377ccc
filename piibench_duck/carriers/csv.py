"""A CSV file: a header, an id column, each value as a quoted cell, and a neighbouring row that holds none."""

import csv
import io
from collections.abc import Mapping, Sequence

from piibench_duck.carriers.scaffolds import moment, number, pick, serial
from piibench_duck.carriers.writer import Value, Writer

_TEXTS = ("message", "body", "comment", "note", "description", "content", "feedback", "free_text")  # tells `unwrap`
_IDS = ("id", "ticket_id", "record_id", "case_id", "row_id")
_SHAPES = (
    ("id", "channel", "text"),
    ("id", "created_at", "channel", "text"),
    ("id", "channel", "text", "status"),
    ("id", "text", "channel"),
    ("created_at", "id", "channel", "status", "text"),
    ("id", "status", "text", "channel", "created_at"),
)
_LOOKALIKES = ("id", "created_at")
_CHANNELS = ("email", "chat", "web_form", "portal", "api")
_SYSTEM = "system"  # the channel of the neighbouring row
_STATUSES = ("open", "pending", "closed", "new", "escalated")
_NEIGHBOURS = (
    "status changed from new to open",
    "import finished, 0 errors",
    "merged into parent ticket",
    'tag "billing" removed',
    "reminder sent, no reply",
    "attachment deleted after 90 days",
)


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """A row for each value; columns, line ends and which cells beside the text are quoted by the key."""
    columns = pick(key, "shape", _SHAPES)
    quote = pick(key, "quote", ("", '"'))
    line_end = pick(key, "line_end", ("\r\n", "\n"))
    names = {"id": pick(key, "id", _IDS), "text": pick(key, "text", _TEXTS)}
    cells = {
        "created_at": moment(key, "created").strftime("%Y-%m-%d %H:%M:%S"),
        "status": pick(key, "status", _STATUSES),
        "channel": pick(key, "channel", _CHANNELS),
    }
    writer.scaffold(",".join(quote + names.get(column, column) + quote for column in columns) + line_end)

    def row(record: int, value: Value | None) -> None:
        own = {"id": str(record)} if value else {"id": str(record), "channel": _SYSTEM}
        for index, column in enumerate(columns):
            writer.scaffold("," if index else "")
            if column == "text":
                writer.scaffold('"')
                _text(writer, value, key)
                writer.scaffold('"')
            else:
                writer.scaffold(quote)
                _cell(writer, column, cells | own)
                writer.scaffold(quote)
        writer.scaffold(line_end)

    is_first = number(key, "neighbour_first", 2) == 0
    if is_first:
        row(serial(key, values[0]) - 1, None)
    for value in values:
        row(serial(key, value), value)
    if not is_first:
        row(serial(key, values[-1]) + 1, None)


def unwrap(wire: str) -> list[str]:
    """The text cells, but for the system's own."""
    limit = csv.field_size_limit(max(len(wire), 131_072))  # the module's own limit is 131,072 characters
    try:
        rows = list(csv.DictReader(io.StringIO(wire, newline=""), strict=True))
    finally:
        csv.field_size_limit(limit)
    return [row[name] for row in rows if row["channel"] != _SYSTEM for name in _TEXTS if name in row]


def _text(writer: Writer, value: Value | None, key: int) -> None:
    if value is None:
        writer.scaffold(pick(key, "neighbour", _NEIGHBOURS).replace('"', '""'))
    else:
        writer.value(value, {'"': '""'})


def _cell(writer: Writer, column: str, cells: Mapping[str, str]) -> None:
    if column in _LOOKALIKES:
        writer.lookalike(cells[column])
    else:
        writer.scaffold(cells[column])
