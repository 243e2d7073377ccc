"""html: values in a paragraph, a table cell or an attribute, as a browser would read them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from piibench_duck import carriers

PASSAGE = "Ann & \"Bo\".\tCy\r\nleft <now>. Di --> 'too'. Ed; &lt;br&gt;"
VALUES = [(0, 12), (12, 28), (28, 41), (41, 56)]
TEXTS = ['Ann & "Bo".', "Cy\r\nleft <now>.", "Di --> 'too'.", "Ed; &lt;br&gt;"]
HELD = st.text(
    st.one_of(st.sampled_from("\t\n\f\r <>&\"'=/;#-!"), st.characters(exclude_categories=["Cc", "Cs", "Cn"]))
)


SMALL = ('Ann & "Bo" left.\nRené stayed. Cy?', [(0, 3), (6, 10), (17, 21)], [(0, 17), (17, 30), (30, 33)])


def rows(n: int = 500) -> list[carriers.Wrapped]:
    return [carriers.wrap("html", PASSAGE, [(0, 3)], VALUES, key) for key in range(n)]


def as_a_browser(wire: str) -> list[str]:
    """Paragraphs, cells, and the attributes that people read, in the order of the page."""
    body = LexborHTMLParser(wire).root
    assert body is not None
    read: list[str] = []
    for node in body.traverse(include_text=False):
        read += [
            node.attributes[name] or "" for name in ("title", "alt", "content", "value") if name in node.attributes
        ]
        if node.tag in ("p", "td"):
            read.append(node.text())
    return read


def test_a_small_passage_is_a_page() -> None:
    row = carriers.wrap("html", *SMALL, 2)
    assert row.text.split("\n") == [
        '<div class="card">',
        '<h3 id="record-d4e48fce">record</h3>',
        '<p class="text-muted">Ann &amp; "Bo" left.</p>',
        "<table><tr><th>description</th><td>René stayed.</td></tr></table>",
        '<span class="hint" title="Cy?">more</span>',
        "</div>",
    ]
    assert [row.text[start:end] for start, end in row.spans] == ["Ann", '"Bo"', "René"]


@given(texts=st.lists(HELD, min_size=1, max_size=5), key=st.integers(0, 2**64 - 1))
def test_a_browser_reads_what_the_standard_library_reads(texts: list[str], key: int) -> None:
    bounds = [(sum(map(len, texts[:index])), sum(map(len, texts[: index + 1]))) for index in range(len(texts))]
    spans = [(start, end) for start, end in bounds if start < end]  # which hold the white space at a value's ends
    row = carriers.wrap("html", "".join(texts), spans, bounds, key)
    assert as_a_browser(row.text) == carriers.unwrap("html", row.text) == ([text for text in texts if text] or [""])


def test_a_page_has_values_in_paragraphs_cells_and_each_kind_of_attribute() -> None:
    wires = [row.text for row in rows()]
    for place in ("<p>Ann", "<p [^>]*>Ann", "<td>Ann", ' title="Ann', ' alt="Ann', ' content="Ann', ' value="Ann'):
        assert any(re.search(place, wire) for wire in wires), place
    assert all(carriers.unwrap("html", wire) == as_a_browser(wire) == TEXTS for wire in wires)


@pytest.mark.parametrize(
    ("char", "wires"),
    [
        ("&", {"&amp;"}),
        ("<", {"&lt;"}),
        (">", {"&gt;"}),
        ("\r", {"&#13;"}),
        ("\n", {"\n"}),
        ('"', {'"', "&quot;"}),
        ("'", {"'", "&#x27;"}),
        ("\u2028", {"\u2028"}),
    ],
)
def test_a_span_is_the_whole_escape(char: str, wires: set[str]) -> None:
    written = set()
    for key in range(50):
        row = carriers.wrap("html", f"a{char}b", [(1, 2)], [], key)
        written |= {row.text[start:end] for start, end in row.spans}
    assert written == wires


@pytest.mark.parametrize(
    "char",
    ["\0", "\x01", "\b", "\v", "\x1b", "\x7f", "\x80", "\x85", "\x9f", "\ufdd0", "\ufffe", "\U0001ffff", "\ud800"],
)
def test_what_html_has_no_way_to_write_is_refused_by_code_point_and_offset(char: str) -> None:
    for key in range(3):
        with pytest.raises(carriers.CannotHoldError) as caught:
            carriers.wrap("html", f"Ann. B{char}o.", [], [(0, 4), (5, 9)], key)
        assert str(caught.value) == f"html cannot hold U+{ord(char):04X}, at code point 6 of the passage"


def test_an_empty_passage_reads_back_empty() -> None:
    for key in range(20):
        assert carriers.unwrap("html", carriers.wrap("html", "", [], [], key).text) == [""]


def test_scaffolds_differ_and_are_small_and_their_ids_are_lookalikes() -> None:
    scaffolds = set()
    for row in rows():
        bounds = [0, *(bound for line in row.alignments for bound in line[2:4]), len(row.text)]
        scaffold = "|".join(row.text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
        scaffolds.add(scaffold)
        assert len(scaffold) < 500
        assert any(line.kind == "lookalike" for line in row.alignments)
        assert not re.search(r"\d{5}", scaffold)
    assert len(scaffolds) > 400
