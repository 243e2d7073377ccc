"""xml: values by turns in element text and in an attribute."""

import re
import xml.etree.ElementTree as ET

import pytest

from piibench_duck import carriers

PASSAGE = "Ann & \"Bo\".\tCy\r\nleft <now>. Di]]> 'too'."
VALUES = [(0, 12), (12, 27), (27, 40)]
TEXTS = ['Ann & "Bo".', "Cy\r\nleft <now>.", "Di]]> 'too'."]


SMALL = ('Ann & "Bo" left.\nRené stayed. Cy?', [(0, 3), (6, 10), (17, 21)], [(0, 17), (17, 30), (30, 33)])


def rows(n: int = 500) -> list[carriers.Wrapped]:
    return [carriers.wrap("xml", PASSAGE, [(0, 3)], VALUES, key) for key in range(n)]


def test_a_small_passage_is_a_record() -> None:
    row = carriers.wrap("xml", *SMALL, 1)
    assert row.text.split("\n") == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<message id="74435ca2670f" status="open" updated="2022-05-04T06:06:41Z">',
        '  <note n="1" value="Ann &amp; &quot;Bo&quot; left."/>',
        '  <note n="2">René stayed.</note>',
        '  <note n="3" value="Cy?"/>',
        "</message>",
    ]
    assert [row.text[start:end] for start, end in row.spans] == ["Ann", "&quot;Bo&quot;", "René"]


def test_values_stand_by_turns_in_text_and_in_an_attribute_and_either_comes_first() -> None:
    orders = set()
    for row in rows(50):
        places = [child.text is None for child in ET.fromstring(row.text)]
        orders.add(tuple(places))
        assert carriers.unwrap("xml", row.text) == TEXTS
    assert orders == {(True, False, True), (False, True, False)}


@pytest.mark.parametrize(
    ("char", "wires"),
    [
        ("&", {"&amp;"}),
        ("<", {"&lt;"}),
        (">", {"&gt;"}),
        ("\r", {"&#13;"}),
        ("\n", {"\n", "&#10;"}),
        ("\t", {"\t", "&#9;"}),
        ('"', {'"', "&quot;"}),
        ("'", {"'"}),
        ("\u2028", {"\u2028"}),
        ("\x85", {"\x85"}),
    ],
)
def test_a_span_is_the_whole_escape_which_an_attribute_needs_for_more_characters(char: str, wires: set[str]) -> None:
    written = set()
    for key in range(20):
        row = carriers.wrap("xml", f"a{char}b", [(1, 2)], [], key)
        written |= {row.text[start:end] for start, end in row.spans}
    assert written == wires


@pytest.mark.parametrize("char", ["\0", "\x01", "\b", "\v", "\f", "\x1b", "\x1f", "\ufffe", "\uffff", "\ud800"])
def test_what_xml_has_no_way_to_write_is_refused_by_code_point_and_offset(char: str) -> None:
    for key in range(2):
        with pytest.raises(carriers.CannotHoldError) as caught:
            carriers.wrap("xml", f"Ann. B{char}o.", [], [(0, 4), (5, 9)], key)
        assert str(caught.value) == f"xml cannot hold U+{ord(char):04X}, at code point 6 of the passage"


@pytest.mark.parametrize(
    "char", ["\t", "\n", "\r", "\x7f", "\x85", "\x9f", "\ufdd0", "\ufffd", "\U0001ffff", "\U0010ffff"]
)
def test_what_xml_allows_is_not_refused(char: str) -> None:
    for key in range(4):
        text = f"a{char}b"
        assert carriers.unwrap("xml", carriers.wrap("xml", text, [], [], key).text) == [text]


def test_an_empty_passage_reads_back_empty() -> None:
    for key in range(10):
        assert carriers.unwrap("xml", carriers.wrap("xml", "", [], [], key).text) == [""]


def test_scaffolds_differ_and_are_small_and_their_ids_are_lookalikes() -> None:
    scaffolds = set()
    for row in rows():
        bounds = [0, *(bound for line in row.alignments for bound in line[2:4]), len(row.text)]
        scaffold = "|".join(row.text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
        scaffolds.add(scaffold)
        assert len(scaffold) < 300
        assert any(line.kind == "lookalike" for line in row.alignments)
        assert not re.search(r"\d{5}", scaffold)
    assert len(scaffolds) > 400
