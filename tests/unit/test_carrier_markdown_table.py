"""markdown_table: a cell reads back as its text, with as few escapes as that takes."""

import pytest

from piibench_duck import carriers
from tests.carrier_checks import Given, check_all, scaffold_of

PASSAGE = "Ann said a|b.\nIt was *so*. Bo left."
VALUES = [(0, 26), (27, 35)]


def row(key: int) -> carriers.Wrapped:
    return carriers.wrap("markdown_table", PASSAGE, [(0, 3)], VALUES, key)


def written(text: str, spans: list[tuple[int, int]] | None = None) -> str:
    """The cell, whose text reads back in every row."""
    cells = set()
    for key in range(4):
        passage = f"a{text}b"
        moved = [(start + 1, end + 1) for start, end in spans or []]
        wrapped = check_all("markdown_table", Given(passage, moved, [(0, len(passage))], key))
        value = [line for line in wrapped.alignments if line.value_index == 0]
        cells.add(wrapped.text[value[0].wire_start : value[-1].wire_end])
    (cell,) = cells
    return cell[1:-1]


def test_each_value_is_a_row() -> None:
    assert row(7).text == (
        "Which of these rows need a reply?\n\n"
        "| Ticket | Description | Status |\n"
        "| --- | --- | --- |\n"
        "| 74790580 | Ann said a\\|b.&#10;It was \\*so\\*. | in review |\n"
        "| 74790607 | Bo left. | `new` |\n"
    )


@pytest.mark.parametrize(
    "plain",
    [
        "_",
        "R&D and AT&T",
        "5 < 6 > 4",
        "[a] (b)",
        "(c) [d]",
        "snake_case_name",
        "~5",
        "a ~ b",
        "x! # - + 1.",
        "&;",
        "&#;",
    ],
)
def test_what_means_nothing_in_a_cell_is_written_as_it_is(plain: str) -> None:
    assert written(plain) == plain


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("|", "\\|"),
        ("\\", "\\\\"),
        ("\\|", "\\\\\\|"),
        ("*", "\\*"),
        ("`", "\\`"),
        (" _", " \\_"),
        ("__", "\\_\\_"),
        ("~~", "\\~\\~"),
        ("<b>", "\\<b>"),
        ("</b>", "\\</b>"),
        ("<!-- c -->", "\\<!-- c -->"),
        ("&amp;", "\\&amp;"),
        ("&#124;", "\\&#124;"),
        ("![c](d)", "![c\\](d)"),
        ("\n", "&#10;"),
        ("\r\n", "&#13;&#10;"),
        ("\\\n", "\\\\&#10;"),
    ],
)
def test_what_markdown_would_read_otherwise_is_escaped(text: str, cell: str) -> None:
    assert written(text) == cell


@pytest.mark.parametrize(("char", "cell"), [(" ", "&#32;"), ("\t", "&#9;"), ("\xa0", "&#160;"), ("\u2028", "&#8232;")])
def test_white_space_is_a_reference_only_at_the_ends_of_the_cell_and_of_spans(char: str, cell: str) -> None:
    assert written(f"x{char}y") == f"x{char}y"
    assert written(f"x{char}y", [(1, 3)]) == f"x{cell}y"
    for key in range(4):
        wrapped = check_all("markdown_table", Given(f"{char}a{char}b{char}", [(0, 1), (4, 5)], [(0, 5)], key))
        assert f"| {cell}a{char}b{cell} |" in wrapped.text


def test_an_underscore_at_the_end_of_a_span_is_escaped_for_the_spans_sake() -> None:
    assert written("a_b_c", [(1, 4)]) == "a\\_b\\_c"


@pytest.mark.parametrize("char", ["\0", "\v"])
def test_what_markdown_has_no_way_to_write_is_refused_by_code_point_and_offset(char: str) -> None:
    with pytest.raises(carriers.CannotHoldError) as caught:
        carriers.wrap("markdown_table", f"Ann. B{char}o.", [], [(0, 4), (5, 9)], 0)
    assert str(caught.value) == f"markdown_table cannot hold U+{ord(char):04X}, at code point 6 of the passage"


def test_other_control_characters_are_not_refused() -> None:
    text = "".join(chr(code) for code in range(0xA1) if code not in (0, 0x0B)) + "\u2028\u2029\u3000\ufeff\ufffe"
    for key in (0, 1):
        check_all("markdown_table", Given(text, [(at, at + 1) for at in range(0, len(text), 9)], [(0, len(text))], key))


def test_scaffolds_differ() -> None:
    assert len({tuple(scaffold_of(row(key))) for key in range(500)}) > 300
