"""Windows of text around spans."""

import pytest

from piibench_duck import around
from piibench_duck.around import Window
from piibench_duck.errors import WrongUsageError
from tests import tables
from tests.tables import Row

TEXT = "😀 Ana Fox\nleft"


@pytest.mark.parametrize(
    ("start", "end", "width", "expected"),
    [
        (2, 9, 100, Window("😀 ", "Ana Fox", "\nleft")),
        (2, 9, 2, Window("😀 ", "Ana Fox", "\nl…")),
        (2, 9, 1, Window("… ", "Ana Fox", "\n…")),
        (2, 9, 0, Window("…", "Ana Fox", "…")),
        (0, 14, 0, Window("", TEXT, "")),
        (0, 1, 0, Window("", "😀", "…")),
        (2, 2, 1, Window("… ", "", "A…")),
        (0, 0, 0, Window("", "", "…")),
        (14, 14, 3, Window("…eft", "", "")),
    ],
)
def test_a_window_ends_where_the_text_does_and_says_where_it_goes_on(
    start: int, end: int, width: int, expected: Window
) -> None:
    assert around.cut(TEXT, start, end, width) == expected


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 15), (15, 15), (-2, -1)])
def test_what_is_no_place_in_the_text_has_no_window(start: int, end: int) -> None:
    assert around.cut(TEXT, start, end, 3) is None


def test_of_a_long_span_the_two_ends_are_shown() -> None:
    text = "ab" + "x" * 5000 + "yz"
    found = around.cut(text, 1, len(text) - 1, 0)
    half = around.LONGEST // 2
    assert found == Window("…", f"b{'x' * (half - 1)}…{'x' * (half - 1)}y", "…")
    assert around.cut("x" * around.LONGEST, 0, around.LONGEST, 0) == Window("", "x" * around.LONGEST, "")


def test_each_line_gets_the_window_at_its_place() -> None:
    con = tables.connect([Row("a", TEXT), Row("b", "")], [])
    lines = [
        ("a", 2, 9, 1),
        ("a", 2, 3, 2),
        ("b", 0, 0, 3),
        ("c", 0, 0, 4),
        (None, 0, 0, 5),
        ("a", None, 9, 6),
        (7, 1.5, "x", 7),
    ]
    columns = ["row_id", "start_char", "end_char", "n"]
    found = list(around.windows(con, columns, lines, 1))
    assert found == [
        *(Window("… ", "Ana Fox", "\n…"), Window("… ", "A", "n…"), Window("", "", "")),
        *(None, None, None, None),
    ]
    assert list(around.windows(con, columns[::-1], [line[::-1] for line in lines], 1)) == found
    assert list(around.windows(con, columns, [], 1)) == []


def test_a_table_without_places_is_refused() -> None:
    with pytest.raises(WrongUsageError, match="needs the columns row_id, start_char, end_char; start_char not found"):
        list(around.windows(tables.connect([], []), ["row_id", "end_char"], [], 1))
