"""What must hold of every row of every carrier, with its own account of values and characters, and inputs to try it on.

Each `check_*` takes a carrier by name, so that one dropped into a folder is held to the same as those of the package.
"""

import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

from hypothesis import strategies as st

from piibench_duck import carriers
from piibench_duck.carriers import Wrapped, to_passage, to_wire

Ends = tuple[int, int]

NEWLINES = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
CONTROLS = ["\0", "\x01", "\x07", "\b", "\x1b", "\x1f", "\x7f", "\x80", "\x9f", "\ufffe", "\uffff", "\U0001ffff"]
INVISIBLE = [*"\ufeff\u200b\u200c\u200d\u200e\u200f\u202e\u2060\u2066\u2069\u061c\xad\xa0\u3000\ufe0f\u180e"]
MARKS = ["é", "e\u0301", "Å", "A\u030a", "\u0301", "ñ", "n\u0303", "がか\u3099", "ﬁ", "ẛ̣"]
SCRIPTS = ["שָׁלוֹם", "שלום", "مرحبا", "مُحَمَّد", "لا", "Иван", "й", "и\u0306", "漢字", "नि", "😀", "👩‍👧", "🇩🇪", "👍🏽", "𝒜"]
SYNTAX = [
    *"\"\\'`&<>,;|=#:{}[]()%$/!?*-_+~@^. \t",
    *("\\n", "\\u00e9", "\\x41", "\\|", "\\\\", '\\"', "\\'", '""', "''", "$$", "${HOME}", "$1", "%0A", "%41", "%%"),
    *("&amp;", "&lt", "&#124;", "&#x41;", "&nbsp;", "]]>", "<![CDATA[", "<!--", "-->", "<b>", "</p>", "<?x?>", "<br>"),
    *(
        "--",
        "/*",
        "*/",
        "; ",
        ": ",
        " #",
        "- ",
        "? ",
        "---",
        "...",
        "|\n",
        "> ",
        "* ",
        "1. ",
        "```",
        "**",
        "~~",
        "[x](y)",
    ),
    *("null", "true", "~", "yes", "1e3", "0x1F", "12:30", "2024-01-02", "=1+1", "https://example.com/?a=b&c", "a@b.c"),
    *(
        "  ",
        "\t\t",
        "\n\n",
        "\r\r",
        " \n ",
        "\\\n",
        "\\",
        "\n---\n",
        "\n\t- x",
        "\nFROM x",
        "{{x}}",
        "{%x%}",
        "<<",
        "&a *a",
    ),
]
ODD = [*NEWLINES, *CONTROLS, *INVISIBLE, *MARKS, *SCRIPTS, *SYNTAX]


class Given(NamedTuple):
    """What `carriers.wrap` is given: spans in any order, and stretches that a carrier may spread."""

    passage: str
    spans: list[Ends]
    values: list[Ends]
    key: int


def inputs() -> st.SearchStrategy[Given]:
    """Passages of odd pieces, half of them with few control characters, which some formats cannot hold."""
    any_char = st.characters(exclude_categories=["Cs"]).map(str)
    usual = st.one_of(st.sampled_from([*MARKS, *SCRIPTS, *SYNTAX, *NEWLINES]), st.sampled_from("abc Z.é"))
    return st.one_of(_inputs(usual), _inputs(st.one_of(st.sampled_from(ODD), usual, any_char)))


@st.composite
def _inputs(draw: st.DrawFn, pieces: st.SearchStrategy[str]) -> Given:
    passage = "".join(draw(st.lists(pieces, max_size=30)))
    place = st.integers(0, len(passage))
    span = st.tuples(place, place).map(lambda ends: (min(ends), max(ends))).filter(lambda ends: ends[0] < ends[1])
    spans = draw(st.lists(span, max_size=6)) if passage else []
    cuts = sorted(draw(st.sets(place, max_size=6)))
    values = [ends for ends in pairwise(cuts) if draw(st.booleans())]
    return Given(passage, spans, values, draw(st.integers(0, 2**64 - 1)))


def wrapped(carrier: str, given_: Given) -> Wrapped:
    return carriers.wrap(carrier, *given_)


def refusal(carrier: str, given_: Given) -> str | None:
    """What the carrier says if it refuses."""
    try:
        wrapped(carrier, given_)
    except carriers.CannotHoldError as error:
        return str(error)
    return None


def held(carrier: str, given_: Given) -> Given:
    """The input, with what the carrier refuses to hold replaced by a letter; each refusal is checked."""
    while (message := refusal(carrier, given_)) is not None:
        char = check_refusal(carrier, given_, message)
        given_ = given_._replace(passage=given_.passage.replace(char, "x"))
    return given_


def spread(given_: Given) -> list[str]:
    """The values by single characters: neighbours are together where one value or span has both.

    White space at the ends of a value is left out, unless a span has it.
    """
    stretches = [*given_.values, *given_.spans]
    inside = {offset for start, end in stretches for offset in range(start, end)}
    tied = {offset for start, end in stretches for offset in range(start + 1, end)}  # to the character before
    in_a_span = {offset for start, end in given_.spans for offset in range(start, end)}
    values: list[list[int]] = []
    for offset in sorted(inside):
        if offset not in tied:
            values.append([])
        values[-1].append(offset)
    kept = [[at for at in value if at in in_a_span or not given_.passage[at].isspace()] for value in values]
    return [given_.passage[value[0] : value[-1] + 1] for value in kept if value] or [given_.passage]


def check_refusal(carrier: str, given_: Given, message: str) -> str:
    """The message names carrier, code point and offset, and nothing of the text; returns the character refused."""
    assert carrier in message, "a refusal names its carrier"
    named = [chr(int(code, 16)) for code in re.findall(r"U\+([0-9A-F]{4,6})\b", message)]
    numbers = [int(digits) for digits in re.findall(r"\d+", re.sub(r"U\+[0-9A-F]+", "", message))]
    refused = [char for char in named for at in numbers if given_.passage[at : at + 1] == char]
    assert refused, "a refusal names a code point and its offset in the passage"
    masked = given_._replace(passage="".join(char if char == refused[0] else "x" for char in given_.passage))
    assert refusal(carrier, masked) in (message, None), "a refusal depends on the code point and its offset alone"
    return refused[0]


def check_reads_back(carrier: str, given_: Given, row: Wrapped) -> None:
    """A reader of the format gets exactly the values, and the alignment numbers them as the reader does."""
    back = carriers.unwrap(carrier, row.text)
    if not carriers.reads_back(carrier):
        assert back == [row.text]
        return
    assert back == [given_.passage] or back == spread(given_), "the reader gets other values"
    for index, (start, end) in _values(row, "passage").items():
        assert given_.passage[start:end] == back[index], "the alignment numbers the values otherwise"


def check_decodes_alone(carrier: str, given_: Given, row: Wrapped) -> None:
    """A span's wire characters in place of the whole value that holds it are read as the span's surface.

    Where a carrier's reader gives nothing back, `check_spans` has the alignment give the surface.
    """
    if not carriers.reads_back(carrier):
        return
    values = [given_.passage[start:end] for start, end in _values(row, "passage").values()]
    contents = _values(row, "wire")
    for span, moved in sorted(set(zip(given_.spans, row.spans, strict=True))):
        (index,) = {
            line.value_index
            for line in row.alignments
            if line.wire_start < moved[1] and moved[0] < line.wire_end and line.value_index is not None
        }
        start, end = contents[index]
        alone = carriers.unwrap(carrier, row.text[:start] + row.text[slice(*moved)] + row.text[end:])
        surface = given_.passage[slice(*span)]
        assert alone == [*values[:index], surface, *values[index + 1 :]], "a span alone is read as something else"


def check_account(carrier: str, given_: Given, row: Wrapped) -> None:
    """The lines cover the passage once, in order, and lie on the wire in order; each is what its kind says."""
    read = wire = 0
    value_index = -1
    for index, line in enumerate(row.alignments):
        assert line.interval_index == index
        assert wire <= line.wire_start <= line.wire_end <= len(row.text)
        on_wire = row.text[line.wire_start : line.wire_end]
        wire = line.wire_end
        if line.passage_start is None or line.passage_end is None:
            assert line[4:] == (None, None, "lookalike")
            assert line.value_index is None
            assert on_wire
            continue
        assert line.passage_start == read < line.passage_end
        read = line.passage_end
        in_passage = given_.passage[line.passage_start : line.passage_end]
        if line.kind == "lost":
            assert on_wire == ""
        elif line.kind == "copied":
            assert on_wire == in_passage
        else:
            assert line.kind in ("escaped", "changed")
            assert on_wire not in ("", in_passage)
            assert len(in_passage) == 1
        if line.value_index is None:
            assert line.kind == "lost"
        else:
            assert line.value_index in (value_index, value_index + 1)
            value_index = line.value_index
    assert read == len(given_.passage), "the alignment does not cover the passage"
    if carriers.reads_back(carrier):
        assert "changed" not in {line.kind for line in row.alignments}, "a changed character cannot be read back"


def check_spans(carrier: str, given_: Given, row: Wrapped) -> None:
    """As many spans as before, each from its first to its last character, apart where they were; there and back."""
    assert len(row.spans) == len(given_.spans)
    stands: dict[int, Ends] = {}  # the wire interval of each passage character
    lookalikes: set[int] = set()
    for line in row.alignments:
        if line.passage_start is None or line.passage_end is None:
            lookalikes.update(range(line.wire_start, line.wire_end))
        elif line.kind == "copied":
            for skipped in range(line.passage_end - line.passage_start):
                stands[line.passage_start + skipped] = (line.wire_start + skipped, line.wire_start + skipped + 1)
        else:
            stands |= dict.fromkeys(range(line.passage_start, line.passage_end), (line.wire_start, line.wire_end))
    of_values = {at for interval in stands.values() for at in range(*interval)}
    assert not of_values & lookalikes
    covered = []
    for span, moved in zip(given_.spans, row.spans, strict=True):
        assert moved == (stands[span[0]][0], stands[span[1] - 1][1])
        assert all(stands[at][0] < stands[at][1] for at in (span[0], span[1] - 1)), "an edge of a span is lost"
        assert all(moved[0] <= stands[at][0] <= stands[at][1] <= moved[1] for at in range(*span))
        covered.append(set(range(*moved)))
        assert covered[-1] <= of_values, "a span touches the scaffold"
        assert to_passage(row.alignments, *moved) == span
        assert to_wire(row.alignments, *span) == moved
    for ((a, b), (c, d)), (one, other) in zip(combinations(given_.spans, 2), combinations(covered, 2), strict=True):
        assert (a < d and c < b) == bool(one & other), "spans overlap otherwise than they did"


def check_depends_on_its_input_alone(carrier: str, given_: Given, row: Wrapped) -> None:
    """The same row at once and again, whatever was wrapped in between."""
    assert wrapped(carrier, given_) == row
    refusal(carrier, Given("Something else, 17.", [(0, 9)], [(0, 19)], given_.key ^ 1))
    assert wrapped(carrier, given_) == row


Check = Callable[[str, Given, Wrapped], None]
CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        check_account,
        check_spans,
        check_reads_back,
        check_decodes_alone,
        check_depends_on_its_input_alone,
    )
}


def check_all(carrier: str, given_: Given) -> Wrapped:
    """All of them on one row; CannotHoldError passes through."""
    row = wrapped(carrier, given_)
    for check in CHECKS.values():
        check(carrier, given_, row)
    return row


def scaffold_of(row: Wrapped) -> list[str]:
    """The stretches of the wire that no alignment covers."""
    edges = [0, *(edge for line in row.alignments for edge in (line.wire_start, line.wire_end)), len(row.text)]
    return [row.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def lookalikes_of(row: Wrapped) -> Iterator[Ends]:
    return ((line.wire_start, line.wire_end) for line in row.alignments if line.kind == "lookalike")


def _values(row: Wrapped, side: str) -> dict[int, Ends]:
    """From the first to the last character of each value, on the wire or in the passage."""
    found: dict[int, Ends] = {}
    for line in row.alignments:
        start, end = (line.wire_start, line.wire_end) if side == "wire" else (line.passage_start, line.passage_end)
        if line.value_index is not None and start is not None and end is not None:
            found[line.value_index] = (found.get(line.value_index, (start, end))[0], end)
    return found
