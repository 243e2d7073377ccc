"""What carriers do to runs, on boards of a line or two that can be checked by eye."""

from functools import cache
from typing import Any

import pytest

from piibench_duck import query, warehouse
from piibench_duck.errors import PiibenchError
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

MARTS = ("marts.carrier_effects", "marts.carrier_losses", "marts.field_verdicts", "marts.span_places")
PROSE = Row("p@prose", 'Ann "Bo" met', [Gold(0, 3), Gold(4, 8, "LOCATION")], doc_id="d1", in_design=False)
#        0         1         2
#        0123456789012345678901234567
WIRE = 'at=9:00 a=Ann b=\\"Bo\\" c=met'
JSON = Row(
    "p@json",
    WIRE,
    [Gold(10, 13), Gold(16, 22, "LOCATION")],
    doc_id="d1",
    carrier="json",
    language="en",
    alignments=[
        Stretch(3, 7, "lookalike"),
        Stretch(10, 13, "copied", 0, 3, 0),
        Stretch(13, 13, "lost", 3, 4, None),
        Stretch(16, 18, "escaped", 4, 5, 1),
        Stretch(18, 20, "copied", 5, 7, 1),
        Stretch(20, 22, "escaped", 7, 8, 1),
        Stretch(22, 22, "lost", 8, 9, None),
        Stretch(25, 28, "copied", 9, 12, 2),
    ],
)
RUN = Run(
    "run",
    {
        "p@prose": Answer([Pred(0, 7)]),  # all of Ann, the quotation mark and Bo
        "p@json": Answer(
            [Pred(0, 8), Pred(12, 17), Pred(21, 22), Pred(26, 27)]
        ),  # `at=9:00 `, `n b=\`, the last `"`, `e`
    },
)


def scored(rows: list[Row], runs: list[Run], **settings: Any) -> warehouse.Connection:
    """A small board with all that is said of carriers."""
    con = tables.connect(rows, runs, **settings)
    warehouse.derive(con, MARTS)
    return con


@cache
def one_pair() -> warehouse.Connection:
    """The pair above, scored."""
    return scored([PROSE, JSON], [RUN], replicates=7)


def line(con: warehouse.Connection, table: str, where: str = "true") -> dict[str, Any]:
    """The one row of a table that there is."""
    [found] = warehouse.rows_of(con, f"select * from {table} where {where}")
    return found


def lost(con: warehouse.Connection, run: str = "run", carrier: str | None = None) -> list[dict[str, Any]]:
    return query.named(con, "lost_in_carrier", {"run": run, "carrier": carrier}).to_pylist()


def test_a_pair_is_counted_by_characters_of_wire_and_of_passage() -> None:
    assert line(one_pair(), "intermediate.pair_counts") == {
        "run_id": "run",
        "row_id": "p@json",
        "prose_row_id": "p@prose",
        "passage_id": "p",
        "doc_id": "d1",
        "corpus": "one",
        "carrier": "json",
        "language": "en",
        "tp": 3,  # on the wire: `n`, `\`, the last `"`
        "fp": 8,  # `at=`, a space behind the time, ` b=` and `e`
        "fn": 6,
        "prose_tp": 6,
        "prose_fp": 1,
        "prose_fn": 1,
        "gold_chars": 7,  # Ann and "Bo"
        "kept_chars": 2,  # `n` and the first quotation mark
        "lost_chars": 4,  # `An` and `Bo`
        "gained_chars": 1,  # the last quotation mark
        "value_fp": 1,
        "scaffold_fp": 7,
        "lookalike": 4,
        "lookalike_touched": 4,
        "n_fields": 3,
        "field_tp": 2,
        "field_fp": 1,
        "field_fn": 0,
        "field_tn": 0,
        "n_fields_excluded": 0,
        "by_type": [
            {"type": "LOCATION", "gold": 4, "kept": 1, "lost": 2, "gained": 1},
            {"type": "PERSON", "gold": 3, "kept": 1, "lost": 2, "gained": 0},
        ],
    }


def test_an_escaped_character_is_found_where_any_of_its_wire_characters_is_marked() -> None:
    prose = Row("p@prose", "é", [Gold(0, 1)], in_design=False)
    row = Row("p@json", "\\u00e9", [Gold(0, 6)], carrier="json", alignments=[Stretch(0, 6, "escaped", 0, 1)])
    for marked, kept in (([Pred(5, 6)], 1), ([Pred(0, 1), Pred(3, 4)], 1), ([], 0)):
        con = scored([prose, row], [Run("run", {"p@prose": Answer([Pred(0, 1)]), "p@json": Answer(marked)})])
        found = line(con, "intermediate.pair_counts")
        assert [found[name] for name in ("gold_chars", "kept_chars", "lost_chars")] == [1, kept, 1 - kept]


def test_the_effect_of_a_carrier_on_one_pair() -> None:
    assert line(one_pair(), "marts.carrier_effects") == {
        "run_id": "run",
        "carrier": "json",
        "n_passages": 1,
        "n_corpora": 1,
        "f1_prose": 12 / 14,
        "f1_carrier": 6 / 20,
        "difference": 6 / 20 - 12 / 14,
        "difference_low": 6 / 20 - 12 / 14,
        "difference_high": 6 / 20 - 12 / 14,
        "n_replicates": 7,
        "share_incomplete": 0.0,
        "recall_prose": 6 / 7,
        "recall_carrier": 3 / 7,
        "recall_difference": 3 / 7 - 6 / 7,
        "recall_difference_low": 3 / 7 - 6 / 7,
        "recall_difference_high": 3 / 7 - 6 / 7,
        "gold_chars": 7,
        "lost_chars": 4,
        "gained_chars": 1,
        "value_fp": 1,
        "scaffold_fp": 7,
        "lookalike": 4,
        "lookalike_touched": 4,
        "n_fields": 3,
        "field_tp": 2,
        "field_fp": 1,
        "field_fn": 0,
        "field_tn": 0,
        "n_fields_excluded": 0,
        "field_precision": 2 / 3,
        "field_recall": 1.0,
    }


def test_losses_have_types_and_a_share_of_what_was_found_in_prose() -> None:
    con = one_pair()
    assert con.sql("from marts.carrier_losses order by type").fetchall() == [
        ("run", "json", "LOCATION", 4, 1, 2, 1, 2 / 3),
        ("run", "json", "PERSON", 3, 1, 2, 0, 2 / 3),
    ]


def test_what_was_lost_is_listed_with_offsets_on_both_sides() -> None:
    same = {"row_id": "p@json", "prose_row_id": "p@prose", "carrier": "json"}
    want = [
        {**same, "passage_start": 0, "passage_end": 2, "start_char": 10, "end_char": 12, "types": ["PERSON"]},
        {**same, "passage_start": 5, "passage_end": 7, "start_char": 18, "end_char": 20, "types": ["LOCATION"]},
    ]
    con = one_pair()
    assert lost(con) == lost(con, carrier="json") == want
    for params in ({"carrier": "xml"}, {"run": "other"}):
        with pytest.raises(PiibenchError, match="there are "):
            lost(con, **params)


def test_each_value_of_a_carrier_has_a_verdict() -> None:
    gold = [Gold(1, 4), Gold(5, 8), Gold(9, 12, "EMAIL"), Gold(13, 14, "EMAIL"), Gold(14, 16)]
    values = [(1, 4), (5, 8), (9, 12), (13, 16), (17, 20), (21, 24), (24, 24)]
    row = Row(
        "p@csv",
        "," * 25,
        gold,
        carrier="csv",
        alignments=[
            Stretch(start, end, "copied" if end > start else "lost", 3 * place, 3 * place + 3, place)
            for place, (start, end) in enumerate(values)
        ],
    )
    run = Run("run", {"p@csv": Answer([Pred(0, 2), Pred(4, 5), Pred(8, 10), Pred(20, 25)])})
    con = scored([row, Row("q@prose", "x")], [run])
    assert con.sql("from marts.field_verdicts order by value_index").fetchall() == [
        ("run", "p@csv", 0, 1, 4, True, False, True, "tp"),
        ("run", "p@csv", 1, 5, 8, True, False, False, "fn"),
        ("run", "p@csv", 2, 9, 12, False, True, True, "excluded"),
        ("run", "p@csv", 3, 13, 16, True, True, False, "fn"),
        ("run", "p@csv", 4, 17, 20, False, False, False, "tn"),
        ("run", "p@csv", 5, 21, 24, False, False, True, "fp"),
        ("run", "p@csv", 6, 24, 24, False, False, False, "tn"),  # nothing of it is on the wire
    ]


def with_ids(row: Row, passage: str, corpus: str = "one") -> Row:
    return row._replace(row_id=f"{passage}@{row.carrier}", corpus=corpus, doc_id=passage)


def answers(*rows: Row) -> dict[str, Answer]:
    """What `RUN` says of the one passage, for copies of it."""
    return {row.row_id: RUN.answers[f"p@{row.carrier}"] for row in rows}


def test_a_passage_pairs_in_its_own_corpus_and_with_all_its_carriers() -> None:
    xml = JSON._replace(row_id="p@xml", carrier="xml")
    away = JSON._replace(row_id="p@yaml", carrier="yaml", corpus="two")
    rows = [PROSE, JSON, xml, away]
    run = Run("run", {row.row_id: Answer() for row in rows})
    con = scored(rows, [run])
    assert con.sql("select row_id from intermediate.pair_counts order by 1").fetchall() == [("p@json",), ("p@xml",)]


def test_both_rows_must_be_of_the_design_of_pairs_and_have_a_line() -> None:
    rows = [with_ids(row, passage) for passage in "abcde" for row in (PROSE, JSON)]
    rows = [row._replace(in_pairs=row.row_id not in ("b@prose", "c@json")) for row in rows]
    said = answers(*rows)
    del said["d@prose"]
    said["e@json"] = Answer((), "error")
    con = scored(rows, [Run("run", said)], design="balanced", pairs_design="paired")
    found = con.sql("select row_id, tp, fn, lost_chars from intermediate.pair_counts order by row_id").fetchall()
    assert found == [("a@json", 3, 6, 4), ("e@json", 0, 9, 6)]
    assert line(con, "marts.carrier_effects")["n_passages"] == 2
    con = scored(rows, [Run("run", said)])
    assert con.sql("select count(*) from intermediate.pair_counts").fetchall() == [(4,)]


def test_prose_of_a_rows_file_may_have_alignments_or_none() -> None:
    aligned = PROSE._replace(alignments=[Stretch(0, 12, "copied", 0, 12)])
    assert line(scored([aligned, JSON], [RUN]), "intermediate.pair_counts") == line(
        one_pair(), "intermediate.pair_counts"
    )
    bare = JSON._replace(alignments=[])
    assert scored([PROSE, bare], [RUN]).sql("select count(*) from marts.carrier_effects").fetchall() == [(0,)]


def test_a_board_without_rows_runs_or_pairs_has_no_effects() -> None:
    absent = Run("absent", status="not_run")
    for rows, runs in (([], []), ([], [RUN._replace(answers={})]), ([PROSE], [absent]), ([PROSE, JSON], [absent])):
        con = scored(rows, runs)
        for mart in MARTS[:3]:
            assert con.sql(f"select count(*) from {mart}").fetchall() == [(0,)]
        select = query.queries()["lost_in_carrier"].text
        assert con.sql(select, params={"run": "run", "carrier": None}).fetchall() == []


def test_without_gold_and_predictions_an_effect_is_null() -> None:
    rows = [PROSE._replace(gold=[]), JSON._replace(gold=[])]
    con = scored(rows, [Run("run", {"p@prose": Answer(), "p@json": Answer()})])
    found = line(con, "marts.carrier_effects")
    nulls = [name for name, value in found.items() if value is None]
    assert nulls == [
        *("f1_prose", "f1_carrier", "difference", "difference_low", "difference_high"),
        *("recall_prose", "recall_carrier", "recall_difference", "recall_difference_low", "recall_difference_high"),
        *("field_precision", "field_recall"),
    ]
    assert [found[name] for name in ("n_passages", "n_corpora", "n_replicates", "share_incomplete", "field_tn")] == [
        *(1, 0, 0, 1.0, 3)
    ]
    assert con.sql("select count(*) from marts.carrier_losses").fetchall() == [(0,)]


def test_a_run_that_marks_nothing_loses_nothing() -> None:
    con = scored([PROSE, JSON], [Run("run", {"p@prose": Answer(), "p@json": Answer()})])
    found = line(con, "marts.carrier_effects")
    assert (found["difference"], found["recall_difference"], found["lost_chars"]) == (0.0, 0.0, 0)
    assert [share for (share,) in con.sql("select share_lost from marts.carrier_losses").fetchall()] == [None, None]


def test_a_corpus_where_only_one_side_has_a_value_is_left_out() -> None:
    rows = [PROSE, JSON, *(with_ids(row._replace(gold=[]), "q", "two") for row in (PROSE, JSON))]
    run = Run("run", {**RUN.answers, "q@prose": Answer(), "q@json": Answer([Pred(0, 3)])})
    found = line(scored(rows, [run]), "marts.carrier_effects")
    assert (found["n_corpora"], found["f1_carrier"], found["difference"]) == (1, 6 / 20, 6 / 20 - 12 / 14)
    assert (found["share_incomplete"], found["n_replicates"], found["n_passages"]) == (1.0, 10, 2)


def test_replicates_draw_documents_and_those_without_a_pair_count_nothing() -> None:
    rows = [with_ids(row, "p") for row in (PROSE, JSON)] + [Row(f"{place}@prose", "Anna") for place in range(3)]
    found = line(scored(rows, [Run("run", answers(*rows[:2]))], replicates=200), "marts.carrier_effects")
    assert found["difference_low"] == found["difference_high"] == 6 / 20 - 12 / 14
    assert 100 < found["n_replicates"] < 180  # one document of four is not drawn in (3/4)^4 of the replicates
    assert found["share_incomplete"] == (200 - found["n_replicates"]) / 200


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("lost", {}, f"no query 'lost'; there are {', '.join(sorted(query.queries()))}"),
        (
            "lost_in_carrier",
            {"carrier": "x"},
            "query 'lost_in_carrier' takes --run [--carrier], found --carrier",
        ),
        (
            "lost_in_carrier",
            {},
            "query 'lost_in_carrier' takes --run [--carrier], found none",
        ),
        (
            "lost_in_carrier",
            {"run": "x", "carrier": None, "seed": 1},
            "query 'lost_in_carrier' takes --run [--carrier], found --carrier --run --seed",
        ),
    ],
)
def test_a_query_that_is_not_there_or_lacks_a_parameter_is_refused(
    name: str, params: dict[str, object], said: str
) -> None:
    with pytest.raises(PiibenchError) as refused:
        query.named(tables.connect([], []), name, params)
    assert str(refused.value) == said
