"""What a page of a board is made of: sections of paragraphs, tables and charts, before they are HTML or Markdown."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from piibench_duck.board.terminal import DASH, number, signed

OLDER = "not in this result file"
NOTHING = "nothing to measure here"
NO_INTERVAL = "no interval"


class Cell(NamedTuple):
    """A cell of a table: its text, what its column is sorted by (None is last), and smaller lines below it."""

    text: str
    sort: float | str | None = None
    under: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()  # short words beside the text


class Column(NamedTuple):
    """A column's head; the first column with names is what heads each row."""

    label: str
    is_number: bool = True


class Row(NamedTuple):
    """Cells in the order of the columns."""

    cells: Sequence[Cell]
    is_baseline: bool = False


class Table(NamedTuple):
    """A table with the caption that says what it holds; `header` is the place of the column that heads a row."""

    name: str  # of the page's own, for links
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    header: int = 0
    notes: Sequence[str] = ()
    is_folded: bool = False


class Chart(NamedTuple):
    """A picture, with what it shows in words; the figures are in the table beside it."""

    name: str
    caption: str
    told: str
    svg: str


class Command(NamedTuple):
    """What to type, under the name of what comes of it."""

    name: str
    command: str | None  # None where nobody can type anything
    notes: Sequence[str]


class Section(NamedTuple):
    """A part of the page with a heading of its own."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    parts: Sequence[Table | Chart] = ()
    items: Sequence[str] = ()
    commands: Sequence[Command] = ()


def find(value: Any, *path: str) -> tuple[bool, Any]:
    """Whether a result has that key, and what stands there."""
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return False, None
        value = value[key]
    return True, value


def figure(
    one: Mapping[str, Any],
    *path: str,
    why: str = NOTHING,
    show: Callable[[float], str] = number,
    under: Iterable[str] = (),
    marks: Iterable[str] = (),
) -> Cell:
    """The figure at `path`; a dash with a word why where there is none."""
    is_there, value = find(one, *path)
    if not is_number(value):
        return dash(why if is_there else OLDER)
    return Cell(show(value), value, tuple(under), tuple(marks))


def counted(one: Mapping[str, Any], *path: str, why: str = NOTHING) -> Cell:
    """The count at `path`."""
    return figure(one, *path, why=why, show=count)


def count(value: float) -> str:
    """A whole number, its thousands apart."""
    return f"{value:,.0f}"


def share(value: float) -> str:
    """A share in percent."""
    return f"{value:.1%}"


def p_value(value: float) -> str:
    """Four decimals, as far as replicates can tell."""
    return f"{value:.4f}"


def milliseconds(value: float) -> str:
    """Two decimals."""
    return f"{value:.2f}"


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a number that can be shown."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def dash(why: str) -> Cell:
    """Undefined, with a word why."""
    return Cell(DASH, None, (why,))


def over(cell: Cell, *below: str) -> Cell:
    """The cell over these lines, unless it is a dash, which keeps its word why."""
    return cell if cell.sort is None else cell._replace(under=below)


def text(value: object, why: str = "not stated") -> Cell:
    """A text, sorted by itself; a dash where there is none."""
    return dash(why) if value is None or value == "" else Cell(str(value), str(value))


def between(low: Any, high: Any, show: Callable[[float], str] = number) -> str:
    """Low to high, a dash for a bound that there is not."""
    return f"{show(low) if is_number(low) else DASH} to {show(high) if is_number(high) else DASH}"


def bounds(one: Mapping[str, Any], *path: str) -> tuple[Any, Any]:
    """The two ends of the interval at `path`; None where there are none."""
    _, value = find(one, *path)
    if isinstance(value, Sequence) and not isinstance(value, str):
        match value:
            case [low, high]:
                return low, high
    return None, None


def under(one: Mapping[str, Any], *path: str) -> tuple[str, ...]:
    """The interval at `path` as a smaller line; nothing where there is none."""
    low, high = bounds(one, *path)
    return (between(low, high),) if is_number(low) or is_number(high) else ()


def interval(one: Mapping[str, Any], *path: str) -> Cell:
    """The interval at `path` in a cell of its own, sorted by its lower end."""
    low, high = bounds(one, *path)
    if not is_number(low) and not is_number(high):
        return dash(NO_INTERVAL if find(one, *path)[0] else OLDER)
    return Cell(between(low, high), low if is_number(low) else None)


def difference(one: Mapping[str, Any], name: str = "difference", why: str = NOTHING) -> Cell:
    """A difference with its sign and, below it, its interval, from `name`, `name_low` and `name_high`."""
    low, high = (find(one, f"{name}_{end}")[1] for end in ("low", "high"))
    below = (between(low, high, signed),) if is_number(low) or is_number(high) else ()
    return figure(one, name, why=why, show=signed, under=below)


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
