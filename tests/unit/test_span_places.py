"""Spans in two coordinate systems: the macros and the view say what Python says."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from piibench_duck import carriers, selects, warehouse
from piibench_duck.carriers import Alignment
from piibench_duck.errors import PiibenchError
from tests import carried, tables
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

Places = list[tuple[str, int, int, int | None, int | None]]


def aligned(row: Row) -> list[Alignment]:
    """The row's alignments as the carriers know them."""
    return [
        Alignment(
            index, line.value_index, line.wire_start, line.wire_end, line.passage_start, line.passage_end, line.kind
        )
        for index, line in enumerate(row.alignments)
    ]


@cache
def rows() -> list[Row]:
    """Passages in every real carrier, and in one that does whatever a Writer can do."""
    random = Random(1)
    found = []
    for number in range(60):
        given = carried.passage(random)
        for carrier in [*random.sample(carriers.carrier_names(), 3), "made"]:
            row = carried.made(random, given) if carrier == "made" else carried.wrapped(carrier, given)
            if row is not None:
                found.append(
                    Row(f"p{number}@{carrier}", row.text, carrier=carrier, alignments=carried.stretches(row.alignments))
                )
    return found


@cache
def board() -> warehouse.Connection:
    return tables.connect(rows(), [])


def asked(con: warehouse.Connection, macro: str, spans: list[tuple[str, int, int]]) -> Places:
    """What a macro says of spans, in order."""
    columns = "passage_start, passage_end" if macro == "to_passage" else "wire_start, wire_end"
    return con.sql(
        "with spans as (select unnest($ids) as row_id, unnest($starts) as start_char, unnest($ends) as end_char) "
        f"select row_id, start_char, end_char, {columns} from {macro}('spans') order by all",
        params=dict(zip(("ids", "starts", "ends"), map(list, zip(*spans, strict=True)), strict=True)),
    ).fetchall()


@pytest.mark.parametrize(("macro", "python"), [("to_passage", carriers.to_passage), ("to_wire", carriers.to_wire)])
def test_every_span_moves_as_python_moves_it(macro: str, python: Callable[..., tuple[int, int] | None]) -> None:
    random = Random(2)
    spans = set()
    for row in rows():
        length = len(row.text) if macro == "to_passage" else max(line.passage_end or 0 for line in row.alignments)
        for _ in range(12):
            start = random.randint(0, length)
            spans.add((row.row_id, start, random.randint(start, min(length, start + random.choice([3, 10, 200])))))
    of = {row.row_id: aligned(row) for row in rows()}
    want = [
        (row_id, start, end, *(python(of[row_id], start, end) or (None, None))) for row_id, start, end in sorted(spans)
    ]
    assert asked(board(), macro, sorted(spans)) == want
    assert sum(place[3] is None and place[1] < place[2] for place in want) > 10
    assert sum(place[3] is not None for place in want) > 500


def test_there_and_back_is_the_same_for_what_is_on_the_wire() -> None:
    whole = [
        (row.row_id, line.passage_start, line.passage_end)
        for row in rows()
        for line in row.alignments
        if line.passage_start is not None and line.passage_end is not None and line.kind != "lost"
    ]
    there = asked(board(), "to_wire", sorted(whole))
    back = asked(
        board(),
        "to_passage",
        [(row_id, start, end) for row_id, _, _, start, end in there if start is not None and end is not None],
    )
    assert [(row_id, start, end) for row_id, _, _, start, end in back] == sorted(whole)


def test_prose_without_alignments_is_its_passage_and_a_carrier_without_tells_nothing() -> None:
    con = tables.connect([Row("p@prose", "Anna called"), Row("p@json", '{"m":"Anna called"}', carrier="json")], [])
    assert asked(con, "to_passage", [("p@json", 6, 10), ("p@prose", 0, 4), ("p@prose", 5, 99)]) == [
        ("p@json", 6, 10, None, None),
        ("p@prose", 0, 4, 0, 4),
        ("p@prose", 5, 99, 5, 11),
    ]
    assert asked(con, "to_wire", [("p@prose", 2, 4)]) == [("p@prose", 2, 4, 2, 4)]


def test_alignments_of_a_rows_file_are_believed() -> None:
    lines = [Stretch(0, 2, "lost", 0, 3), Stretch(2, 8, "escaped", 3, 4)]
    rows = [Row(f"p@{carrier}", "::&quot;.", carrier=carrier, alignments=lines) for carrier in ("prose", "html")]
    con = tables.connect(rows, [])
    for row_id in ("p@html", "p@prose"):
        assert asked(con, "to_passage", [(row_id, 0, 2), (row_id, 1, 3), (row_id, 8, 9)]) == [
            (row_id, 0, 2, None, None),
            (row_id, 1, 3, 3, 4),
            (row_id, 8, 9, None, None),
        ]


def test_a_relation_keeps_its_columns_and_its_repeated_lines_and_may_have_any_name() -> None:
    con = tables.connect([Row("p@prose", "Anna called")], [])
    found = warehouse.rows_of(
        con,
        "with spans_given as (select 'p@prose' as row_id, 0 as start_char, 4 as end_char, 'x' as mine from range(2)) "
        "from to_passage('spans_given')",
    )
    assert (
        found
        == [{"row_id": "p@prose", "start_char": 0, "end_char": 4, "mine": "x", "passage_start": 0, "passage_end": 4}]
        * 2
    )


def test_a_locked_room_answers_the_macros_and_lets_them_read_no_file(tmp_path: Path) -> None:
    con = tables.connect([Row("p@prose", "Anna called")], [Run("run", {"p@prose": Answer([Pred(0, 4)])})])
    selects.lock(con, tmp_path)
    found = selects.run_one_select(con, "select passage_start, passage_end from to_passage('contracts.pred_spans')")
    assert found.to_pylist() == [{"passage_start": 0, "passage_end": 4}]
    for name in ("/etc/passwd", "/etc/*.parquet", "select 1"):
        with pytest.raises(PiibenchError):
            selects.run_one_select(con, f"from to_passage({warehouse.quoted(name)})")


def test_every_counted_span_has_its_two_places() -> None:
    # {"m":"A\"na"}, where the passage is A"na
    row = Row(
        "p@json",
        '{"m":"A\\"na"}',
        [Gold(6, 11), Gold(9, 11, "nobody-knows")],
        carrier="json",
        alignments=[
            Stretch(6, 7, "copied", 0, 1),
            Stretch(7, 9, "escaped", 1, 2),
            Stretch(9, 11, "copied", 2, 4),
        ],
    )
    other = Row("q@json", "{}", [Gold(0, 1)], carrier="json", in_design=False)
    con = tables.connect([row, other], [Run("run", {"p@json": Answer([Pred(8, 10), Pred(0, 3, "IBAN")])})], design="d")
    warehouse.derive(con, ["marts.span_places"])
    found = con.sql(
        "select run_id, row_id, corpus, passage_id, carrier, wire_start, wire_end, passage_start, passage_end, "
        "source_label, type, role from marts.span_places order by run_id nulls first, wire_start"
    ).fetchall()
    of_row = ("p@json", "one", "p", "json")
    assert found == [
        (None, *of_row, 6, 11, 0, 4, "PERSON", "PERSON", "scored"),
        (None, *of_row, 9, 11, 2, 4, "nobody-knows", "OTHER", "ignored"),
        ("run", *of_row, 0, 3, None, None, "IBAN", "IBAN", None),
        ("run", *of_row, 8, 10, 1, 3, "PERSON", "PERSON", None),
    ]
