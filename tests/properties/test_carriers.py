"""Every carrier gives back what was put in, and every span stays on its own characters."""

import json
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from piibench_duck import carriers
from piibench_duck.carriers import Alignment, Wrapped, Writer, to_passage, to_wire

ODD = [
    *"\"\\'`&<>,;|=#:{}[]%$/ \t\n\r\v\f\0\x01\x1b\x7f\x85\xa0",
    *"\u2028\u2029\ufeff\u200b\u200d\u200e\u202e\u0301é",
    "e\u0301",
    "\r\n",
    "\\n",
    "\\u00e9",
    "&amp;",
    "😀",
    "👩‍👧",
    "שָׁלוֹם",
    "مرحبا",
    "Иван",
]
PIECES = st.one_of(st.sampled_from(ODD), st.sampled_from("abc Z.é"), st.characters(exclude_categories=["Cs"]).map(str))
DECODE: dict[str, Callable[[str], str]] = {
    "prose": lambda wire: wire,
    "json": lambda wire: str(json.loads(f'"{wire}"')),
}


class Input:
    """A passage with spans in any order, and stretches that a carrier may spread."""

    def __init__(self, passage: str, spans: list[tuple[int, int]], values: list[tuple[int, int]], key: int) -> None:
        self.passage, self.spans, self.values, self.key = passage, spans, values, key

    def __repr__(self) -> str:
        return f"Input({self.passage!r}, {self.spans}, {self.values}, {self.key})"


@st.composite
def inputs(draw: st.DrawFn) -> Input:
    passage = "".join(draw(st.lists(PIECES, max_size=30)))
    place = st.integers(0, len(passage))
    span = st.tuples(place, place).map(lambda ends: (min(ends), max(ends))).filter(lambda ends: ends[0] < ends[1])
    spans = draw(st.lists(span, max_size=6)) if passage else []
    cuts = sorted(draw(st.sets(place, max_size=6)))
    values = [ends for ends in pairwise(cuts) if draw(st.booleans())]
    return Input(passage, spans, values, draw(st.integers(0, 2**64 - 1)))


def wrapped(carrier: str, given_: Input) -> Wrapped:
    try:
        return carriers.wrap(carrier, given_.passage, given_.spans, given_.values, given_.key)
    except carriers.CannotHoldError:
        assume(False)
        raise


def spread(given_: Input) -> list[str]:
    """The values by single characters: neighbours stay together where one value or span has both."""
    stretches = [*given_.values, *given_.spans]
    values: list[str] = []
    for offset, char in enumerate(given_.passage):
        if any(start < offset < end for start, end in stretches):
            values[-1] += char
        elif any(start <= offset < end for start, end in stretches):
            values.append(char)
    return values or [given_.passage]


def check_account(passage: str, row: Wrapped) -> None:
    """The lines cover the passage once, in order, and lie on the wire in order."""
    read = wire = 0
    for index, line in enumerate(row.alignments):
        assert line.interval_index == index
        assert wire <= line.wire_start <= line.wire_end <= len(row.text)
        wire = line.wire_end
        if line.passage_start is None or line.passage_end is None:
            assert (line.kind, line.value_index, line.passage_start, line.passage_end) == (
                "lookalike",
                None,
                None,
                None,
            )
            continue
        assert line.passage_start == read < line.passage_end
        read = line.passage_end
        length = (line.wire_end - line.wire_start, line.passage_end - line.passage_start)
        assert line.kind in ("copied", "escaped", "changed", "lost")
        assert line.value_index is not None or line.kind == "lost"
        if line.kind == "copied":
            assert row.text[line.wire_start : line.wire_end] == passage[line.passage_start : line.passage_end]
        elif line.kind == "lost":
            assert length[0] == 0
        else:
            assert length[0] > 0
            assert length[1] == 1
    assert read == len(passage)


def check_spans(spans: list[tuple[int, int]], row: Wrapped) -> None:
    """As many as before, on characters of the passage only, apart where they were apart; there and back is the same."""
    assert len(row.spans) == len(spans)
    of_the_passage = {
        char for line in row.alignments if line.passage_start is not None for char in range(*wire_interval(line))
    }
    for span, moved in zip(spans, row.spans, strict=True):
        assert set(range(*moved)) <= of_the_passage
        assert to_passage(row.alignments, *moved) == span
        assert to_wire(row.alignments, *span) == moved
    for (a, moved_a), (b, moved_b) in combinations(zip(spans, row.spans, strict=True), 2):
        assert bool(set(range(*a)) & set(range(*b))) == bool(set(range(*moved_a)) & set(range(*moved_b)))


def wire_interval(line: Alignment) -> tuple[int, int]:
    return line.wire_start, line.wire_end


def decoded(carrier: str, passage: str, row: Wrapped, moved: tuple[int, int]) -> str:
    """What a reader makes of the span's own characters; by the alignment where a format has no decoder here."""
    if carrier in DECODE:
        return DECODE[carrier](row.text[slice(*moved)])
    back = to_passage(row.alignments, *moved)
    assert back is not None
    return passage[slice(*back)]


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@given(given_=inputs())
def test_a_reader_of_the_format_gets_back_exactly_the_values(carrier: str, given_: Input) -> None:
    row = wrapped(carrier, given_)
    assert carriers.unwrap(carrier, row.text) in ([given_.passage], spread(given_))


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@given(given_=inputs())
def test_a_carried_span_reads_back_as_the_original(carrier: str, given_: Input) -> None:
    row = wrapped(carrier, given_)
    for span, moved in zip(given_.spans, row.spans, strict=True):
        assert decoded(carrier, given_.passage, row, moved) == given_.passage[slice(*span)]


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@given(given_=inputs())
def test_spans_and_alignments_keep_the_account(carrier: str, given_: Input) -> None:
    row = wrapped(carrier, given_)
    check_account(given_.passage, row)
    check_spans(given_.spans, row)


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@given(given_=inputs())
def test_the_same_input_gives_the_same_row(carrier: str, given_: Input) -> None:
    assert wrapped(carrier, given_) == wrapped(carrier, given_)


@given(given_=inputs(), data=st.data())
def test_a_carrier_that_spreads_changes_and_loses_characters_keeps_the_account(
    given_: Input, data: st.DataObject
) -> None:
    passage, spans = given_.passage, given_.spans
    values = [(start, end) for start, end in carriers._untorn(spans, given_.values)]
    assert [passage[start:end] for start, end in values] == [value for value in spread(given_) if given_.passage] or (
        values == []
    )
    writer = Writer(passage, spans)
    wire = ""
    stands: dict[int, tuple[int, int]] = {}  # wire interval of each passage character that is left
    for start, end in values:
        writer.lookalike("12:00 ")
        writer.scaffold("- ")
        wire += "12:00 - "
        writer.open(carriers.Value(passage[start:end], start))
        for offset in range(start, end):
            deed = data.draw(st.sampled_from(["copy", "copy", "escape", "change", "lose"]))
            if deed == "lose" and not writer.is_edge(offset):
                writer.lose()
                continue
            text = passage[offset]
            if deed == "escape":
                text = f"\\{ord(text):x};"
                writer.escape(text)
            elif deed == "change":
                text = "rn"
                writer.change(text)
            else:
                writer.copy()
            stands[offset] = (len(wire), len(wire) + len(text))
            wire += text
        writer.close()
        writer.scaffold("\n")
        wire += "\n"
    row = writer.finish()
    assert row.text == wire
    assert row.spans == [(stands[start][0], stands[end - 1][1]) for start, end in spans]
    check_account(passage, row)
    check_spans(spans, row)
