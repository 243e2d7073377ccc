r"""A Markdown table: a row for each value, whose own pipes are `\|`; the other cells are ids and statuses."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from piibench_duck.carriers.scaffolds import moment, number, pick, serial
from piibench_duck.carriers.writer import CannotHoldError, Value, Writer

_TEXTS = ("message", "comment", "note", "description", "feedback", "text", "summary")  # tells `unwrap`, in any case
_SHAPES = (
    ("id", "text", "status"),
    ("id", "status", "text"),
    ("status", "id", "text"),
    ("id", "updated", "text"),
    ("id", "priority", "status", "text"),
    ("id", "text"),
    ("updated", "text", "priority"),
)
_IDS = ("id", "ticket", "ref", "case", "record")
_STATUSES = ("open", "closed", "in review", "waiting", "done", "`new`")
_PRIORITIES = ("low", "normal", "high", "P2", "P3")
_RULES = ("---", ":---", "-----", ":--", "---:")
_LEADS = (
    "",
    "",
    "Open items of this sprint:\n\n",
    "## Review queue\n\n",
    "Summarise the table in two sentences.\n\n",
    "Which of these rows need a reply?\n\n",
)

_HAS_NO_WAY = re.compile("[\0\v]")  # a NUL becomes U+FFFD; a vertical tab is cut at a cell's end and has no reference
_MEANS_SOMETHING = re.compile(
    r"[\\`*|\r\n_\s]"
    r"|~(?=~)|(?<=~)~"  # strikes through where there are two
    r"|<(?=[A-Za-z/!?])"  # begins a tag or an autolink
    r"|&(?=\#?[0-9A-Za-z]{1,32};)"  # begins a reference
    r"|\](?=\()"  # makes a link of what is before it
)


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Header names, columns and rule by the key. Line breaks are references, and so is white space at an end."""
    refused = _HAS_NO_WAY.search(writer.passage.text)
    if refused:
        code, offset = ord(refused.group()), refused.start()
        raise CannotHoldError(f"markdown_table cannot hold U+{code:04X}, at code point {offset} of the passage")
    columns = pick(key, "shape", _SHAPES)
    case = pick(key, "case", (str.lower, str.capitalize))
    names = {"id": pick(key, "id", _IDS), "text": pick(key, "text", _TEXTS)}
    rule = pick(key, "rule", _RULES)
    writer.scaffold(pick(key, "lead", _LEADS))
    writer.scaffold("| " + " | ".join(case(names.get(column, column)) for column in columns) + " |\n")
    writer.scaffold("|" + "|".join(f" {rule} " for _ in columns) + "|\n")
    for index, value in enumerate(values):
        for column in columns:
            writer.scaffold("| ")
            if column == "text":
                _text(writer, value)
            elif column == "id":
                writer.lookalike(str(serial(key, value)))
            elif column == "updated":
                writer.lookalike(moment(key, "updated").strftime("%Y-%m-%d %H:%M"))
            elif column == "status":
                writer.scaffold(pick(key, f"status {index % 4}", _STATUSES))
            else:
                writer.scaffold(pick(key, f"priority {number(key, 'priorities', 50) + index % 3}", _PRIORITIES))
            writer.scaffold(" ")
        writer.scaffold("|\n")


def unwrap(wire: str) -> list[str]:
    """The text cells of the table's body, as the parser reads them."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(wire)
    cells = [
        (opening.type, "".join(child.content for child in inline.children or ()))
        for opening, inline in pairwise(tokens)
        if opening.type in ("th_open", "td_open")
    ]
    names = [text.lower() for kind, text in cells if kind == "th_open"]
    body = [text for kind, text in cells if kind == "td_open"]
    (place,) = (names.index(name) for name in _TEXTS if name in names)
    return body[place :: len(names)]


def _text(writer: Writer, value: Value) -> None:
    writer.open(value)
    done = 0
    for at, written in _escapes(writer, value):
        writer.copy(at - done)
        writer.escape(written)
        done = at + 1
    writer.copy(len(value.text) - done)
    writer.close()


def _escapes(writer: Writer, value: Value) -> Iterator[tuple[int, str]]:
    """Where in the value a character needs another spelling, and which."""
    last = len(value.text) - 1
    for match in _MEANS_SOMETHING.finditer(value.text):
        at, char = match.start(), match.group()
        is_end = at in (0, last) or writer.is_edge(value.start + at)
        if char in "\r\n" or (char.isspace() and is_end):
            if char not in "\x1c\x1d\x1e\x1f\x85":  # which have no reference, and are no white space in Markdown
                yield at, f"&#{ord(char)};"
        elif char == "_":  # inside a word it is only itself
            if is_end or not (value.text[at - 1].isalnum() and value.text[at + 1].isalnum()):
                yield at, "\\_"
        elif not char.isspace():
            yield at, f"\\{char}"
