"""A board as Markdown, for a README: the tables that are open on the page, and the sentences around them."""

import re
from collections.abc import Iterator, Sequence

from piibench_duck.board import sentences
from piibench_duck.board.page_data import Found
from piibench_duck.board.page_parts import Cell, Section, Table
from piibench_duck.board.terminal import visible

_MEANT = re.compile(r"([\\`*_\[\]#|~$@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)


def of(found: Found, parts: Sequence[Section]) -> str:
    """The whole board."""
    lines = [f"# {plain(str(found.standings.get('title') or found.board))}", ""]
    lines += [plain(" ".join(sentences.headline(found))), ""]
    for part in parts:
        lines += _section(part)
    return "\n".join(lines)


def _section(part: Section) -> Iterator[str]:
    yield from (f"## {plain(part.title)}", "")
    for said in part.paragraphs:
        yield from (plain(said), "")
    if part.items:
        yield from (f"- {plain(item)}" for item in part.items)
        yield ""
    for table in part.parts:
        if isinstance(table, Table) and not table.is_folded:
            yield from _table(table)
    for command in part.commands:
        yield f"- {plain(command.name)}: {code(command.command) if command.command else 'no command makes it again'}"
        yield from (f"  - {plain(note)}" for note in command.notes)
    if part.commands:
        yield ""


def _table(table: Table) -> Iterator[str]:
    yield from (f"**{plain(table.caption)}**", "")
    yield _line([plain(column.label) for column in table.columns])
    yield _line(["---:" if column.is_number else "---" for column in table.columns])
    for row in table.rows:
        yield _line([_cell(cell) for cell in row.cells])
    yield ""
    for note in table.notes:
        yield from (plain(note), "")


def _cell(cell: Cell) -> str:
    marks = f" ({', '.join(cell.marks)})" if cell.marks else ""
    below = f"<br>{plain('; '.join(cell.under))}" if cell.under else ""
    return f"{plain(cell.text)}{plain(marks)}{below}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def code(said: str) -> str:
    """A command in a span of code, in a fence longer than any that it holds.

    >>> code("ls"), code("a `b`")
    ('`ls`', '`` a `b` ``')
    """
    whole = visible(said)
    fences = sorted(re.findall("`+", whole), key=len)
    return f"`{fences[-1]} {whole} {fences[-1]}`" if fences else f"`{whole}`"


def plain(said: str) -> str:
    r"""A text with what Markdown, HTML or a terminal would take for more than text made harmless.

    >>> plain("a|b `c` <b>\n")
    'a\\|b \\`c\\` &lt;b&gt;\\\\n'
    """
    escaped = _MEANT.sub(r"\\\1", visible(said))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
