"""The text around a span, for a table on the user's own screen: no file, pipe, log or result may hold it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from piibench_duck.errors import WrongUsageError

if TYPE_CHECKING:
    from piibench_duck import warehouse

PLACE = ("row_id", "start_char", "end_char")
"""The columns of a place in a text."""

WIDTH = 30
"""Code points that are shown on either side unless told otherwise."""

LONGEST = 120
"""Code points of a span that are shown: of a longer one its two ends."""


class Window(NamedTuple):
    """A span and what stands before and after it; `…` where the text goes on."""

    before: str
    span: str
    after: str


def cut(text: str, start: int, end: int, width: int) -> Window | None:
    """The span [start, end) with `width` code points on either side; none where it does not lie in the text.

    >>> cut("Call Anna Smith now", 5, 15, 3)
    Window(before='…ll ', span='Anna Smith', after=' no…')
    """
    if not 0 <= start <= end <= len(text):
        return None
    first, last = max(start - width, 0), end + width
    half = LONGEST // 2
    span = text[start:end] if end - start <= LONGEST else f"{text[start : start + half]}…{text[end - half : end]}"
    return Window("…" * (first > 0) + text[first:start], span, text[end:last] + "…" * (last < len(text)))


def windows(
    con: "warehouse.Connection", columns: Sequence[str], lines: Sequence[Sequence[object]], width: int
) -> Iterator[Window | None]:
    """The window at the place of each line; none where that names no place in a row of the board.

    Raises `WrongUsageError` where the columns do not say what the place is.
    """
    if missing := [name for name in PLACE if name not in columns]:
        raise WrongUsageError(f"--with-text needs the columns {', '.join(PLACE)}; {', '.join(missing)} not found")
    at = [list(columns).index(name) for name in PLACE]
    texts = _texts(con, {line[at[0]] for line in lines})
    for line in lines:
        row_id, start, end = (line[place] for place in at)
        found = None
        if isinstance(row_id, str) and row_id in texts and isinstance(start, int) and isinstance(end, int):
            found = cut(texts[row_id], start, end, width)
        yield found


def _texts(con: "warehouse.Connection", row_ids: set[object]) -> dict[str, str]:
    wanted = sorted(row_id for row_id in row_ids if isinstance(row_id, str))
    select = "select row_id, text from contracts.rows where row_id in (select unnest($row_ids::varchar[]))"
    return dict(con.sql(select, params={"row_ids": wanted}).fetchall())
