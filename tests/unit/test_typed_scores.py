"""Typed exact spans, leaks, coverage and slices of small boards, by hand."""

import re
from functools import cache
from typing import Any, NamedTuple

import pytest

from piibench_duck import report, warehouse
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

RATIOS = ("precision", "recall", "f1", "f2")
CARD = "4111 1111"


def scored(rows: list[Row], runs: list[Run], **settings: Any) -> warehouse.Connection:
    """A small board with its typed marts."""
    con = tables.connect(rows, runs, **settings)
    warehouse.derive(con, [*report.MARTS, "marts.rows_digest", "marts.design_digests"])
    return con


def lines(con: warehouse.Connection, where: str = "slice_by = 'all'") -> list[dict[str, Any]]:
    return warehouse.rows_of(con, f"select * from marts.typed_scores where {where} order by all")


def line(con: warehouse.Connection, where: str = "slice_by = 'all'") -> dict[str, Any]:
    """The one row of the mart that there is."""
    [found] = lines(con, where)
    return found


class Case(NamedTuple):
    """A row, what a run says of it, and some of what comes of it."""

    text: str
    gold: list[Gold]
    spans: list[Pred]
    want: dict[str, Any]


NONE: dict[str, Any] = dict.fromkeys(RATIOS)
CASES = {
    "a hit has the type, the start and the end of gold": Case(
        "Anna Bert c@dd Dora Erik",
        [Gold(0, 4), Gold(5, 9), Gold(10, 14, "EMAIL"), Gold(15, 19)],
        [Pred(0, 4), Pred(5, 8), Pred(10, 14), Pred(20, 24, "EMAIL")],
        {"docs": 1, "gold": 4, "pred": 4, "tp": 1, "fp": 3, "fn": 3, **dict.fromkeys(RATIOS, 0.25)},
    ),
    "F2 weighs recall twice": Case(
        "Anna Bert Carl",
        [Gold(0, 4), Gold(5, 9), Gold(10, 14)],
        [Pred(0, 4)],
        {"precision": 1.0, "recall": 1 / 3, "f1": 2 / 4, "f2": 5 / 13},
    ),
    "labels that mean the same are one label": Case(
        "Anna",
        [Gold(0, 4, "PER", "scored"), Gold(0, 4)],
        [Pred(0, 4, "NAME"), Pred(0, 4, "PERSON")],
        {"gold": 1, "pred": 1, "tp": 1},
    ),
    "a stretch of two types is two spans": Case(
        "Paris",
        [Gold(0, 5), Gold(0, 5, "LOCATION")],
        [Pred(0, 5)],
        {"gold": 2, "pred": 1, "tp": 1, "missed": 0},
    ),
    "annotators are pooled, and what needs no masking is out": Case(
        "Anna Bert",
        [Gold(0, 4, annotator="a"), Gold(0, 4, annotator="b"), Gold(5, 9, identifier_type="NO_MASK")],
        [Pred(0, 4), Pred(5, 9)],
        {"gold": 1, "pred": 2, "tp": 1, "fp": 1},
    ),
    "a severe span that nothing overlaps leaks": Case(
        f"x {CARD} y",
        [Gold(2, 11, "PAYMENT_CARD")],
        [Pred(0, 2, "PAYMENT_CARD"), Pred(11, 13)],
        {"leak": 1, "exposed": 1, "missed": 1, "exposed_chars": 9},
    ),
    "a severe span that is covered under another label neither leaks nor is exposed": Case(
        CARD,
        [Gold(0, 9, "PAYMENT_CARD")],
        [Pred(0, 9, "made-up")],
        {"leak": 0, "exposed": 0, "tp": 0, "contained": 1},
    ),
    "one readable character of a severe span is exposed and no leak": Case(
        CARD,
        [Gold(0, 9, "PAYMENT_CARD")],
        [Pred(0, 8, "PAYMENT_CARD")],
        {"leak": 0, "exposed": 1, "exposed_chars": 1, "contained": 0, "covered": 0, "touched": 1, "missed": 0},
    ),
    "a span of low severity never leaks": Case("Anna", [Gold(0, 4)], [], {"leak": 0, "exposed": 0, "missed": 1}),
    "two predictions cover what neither contains": Case(
        CARD,
        [Gold(0, 9, "PAYMENT_CARD")],
        [Pred(0, 4), Pred(4, 9, "IBAN")],
        {"contained": 0, "covered": 1, "touched": 1, "exposed": 0},
    ),
    "touched includes covered, and covered includes contained": Case(
        "Anna Bert Carl Dora",
        [Gold(0, 4), Gold(5, 9), Gold(10, 14), Gold(15, 19)],
        [Pred(0, 4), Pred(5, 7), Pred(7, 9), Pred(10, 11)],
        {"contained": 1, "covered": 2, "touched": 3, "missed": 1, "exposed_chars": 7},
    ),
    "predictions of types that the corpus does not have are counted apart": Case(
        "Anna Bert",
        [Gold(0, 4)],
        [Pred(0, 4), Pred(5, 9, "PHONE"), Pred(5, 9, "made-up"), Pred(0, 9, "other")],
        {"pred": 1, "n_out_of_scope": 1, "n_unmapped": 2, "n_ignored": 0},
    ),
    "a label of the user's own is matched by its name": Case(
        "case 17",
        [Gold(0, 7, "CASE_NO", "excluded")],
        [Pred(0, 7, "CASE_NO")],
        {"gold": 1, "pred": 1, "tp": 1, "n_unmapped": 0},
    ),
    "an empty text": Case("", [], [], {"docs": 1, "gold": 0, "pred": 0, **NONE}),
    "no gold and no predictions": Case("none", [], [], {"docs": 1, "gold": 0, "pred": 0, **NONE}),
    "no gold": Case("none", [], [Pred(0, 4)], {"gold": 0, "pred": 0, "n_out_of_scope": 1, **NONE}),
    "no predictions": Case(
        "A", [Gold(0, 1)], [], {"gold": 1, "pred": 0, "precision": None, "recall": 0.0, "f1": 0.0, "f2": 0.0}
    ),
    "one character": Case("A", [Gold(0, 1)], [Pred(0, 1)], {"gold": 1, "pred": 1, **dict.fromkeys(RATIOS, 1.0)}),
    "everything masked": Case(
        "Anna", [Gold(0, 4)], [Pred(0, 4, "ALL")], {"pred": 0, "tp": 0, "covered": 1, "precision": None, "recall": 0.0}
    ),
}


@cache
def cases() -> dict[str, dict[str, Any]]:
    """The scores of every case, each a corpus of its own."""
    rows = [Row(name, case.text, case.gold, name) for name, case in CASES.items()]
    con = scored(rows, [Run("run", {name: Answer(case.spans) for name, case in CASES.items()})])
    return {of["corpus"]: of for of in lines(con)}


@pytest.mark.parametrize("name", CASES)
def test_a_case_comes_out_as_by_hand(name: str) -> None:
    want = CASES[name].want
    assert {key: cases()[name][key] for key in want} == want


def test_labels_that_the_map_ignores_are_counted_apart_even_if_they_are_called_like_a_type() -> None:
    con = tables.connect(
        [Row("a", "Anna", [Gold(0, 4), Gold(0, 4, "URL")])],
        [Run("run", {"a": Answer([Pred(0, 4, "URL")])}, label_namespace="mine")],
    )
    ignored = {"namespace": "mine", "source_label": "URL", "type": "ignored", "reason": "because"}
    tables.fill(con, "label_map", [ignored])
    warehouse.derive(con, ["marts.typed_scores"])
    found = line(con)
    assert (found["pred"], found["tp"], found["n_ignored"], found["missed"]) == (0, 0, 1, 0)


def test_the_scope_of_a_built_corpus_is_that_of_its_whole_source() -> None:
    con = tables.connect(
        [Row("a", "Anna", [Gold(0, 4)], "tab")],
        [Run("run", {"a": Answer([Pred(0, 4, "LOCATION"), Pred(0, 4, "URL")])})],
    )
    said = [{"source": "tab", "corpus": "tab", "source_label": label, "n_spans": 3} for label in ("PERSON", "LOC")]
    tables.fill(con, "source_labels", said)
    warehouse.derive(con, ["marts.typed_scores"])
    found = line(con)
    assert (found["pred"], found["fp"], found["n_out_of_scope"]) == (1, 1, 1)


def test_nothing_is_measured_over_two_corpora() -> None:
    rows = [Row("a", "Anna", [Gold(0, 4)], "one"), Row("b", "Bert", [Gold(0, 4)], "two")]
    con = scored(rows, [Run("run", {"a": Answer([Pred(0, 4)]), "b": Answer()})])
    assert {(of["corpus"], of["f1"]) for of in lines(con)} == {("one", 1.0), ("two", 0.0)}
    for mart in ("typed_scores", "typed_type_scores"):
        assert con.sql(f"select 1 from marts.{mart} where corpus is null").fetchall() == []
        assert con.sql(f"select count(distinct corpus) from marts.{mart}").fetchall() == [(2,)]
    for file in warehouse.files():
        if file.name.split(".")[1] in ("typed_scores", "typed_type_scores", "typed_sums", "domain_gap"):
            assert not re.search(r"\b(mean_of|avg|median|mean)\b", re.sub("--[^\n]*", "", file.text)), file.name


def whole(row_id: str, doc_id: str, *, ranked: bool, text: str = "Anna") -> Row:
    return Row(row_id, text, [Gold(0, 4)], doc_id=doc_id, in_design=ranked, in_documents=not ranked)


def test_the_two_designs_are_two_measurements() -> None:
    rows = [whole("a", "d", ranked=True), whole("b", "d", ranked=False), whole("c", "e", ranked=False)]
    answers = {"a": Answer([Pred(0, 4)]), "b": Answer([Pred(0, 4)]), "c": Answer()}
    con = scored(rows, [Run("run", answers)], design="ranked", documents_design="whole")
    ranked, documents = line(con, "slice_by = 'all' and is_ranked"), line(con, "slice_by = 'all' and not is_ranked")
    assert (ranked["design"], ranked["docs"], ranked["gold"], ranked["recall"]) == ("ranked", 1, 1, 1.0)
    assert (documents["design"], documents["docs"], documents["gold"], documents["recall"]) == ("whole", 2, 2, 0.5)
    assert (ranked["is_reported"], documents["is_reported"]) == (False, True)


def test_a_run_that_answered_no_whole_document_has_none_and_nothing_of_it_is_defined() -> None:
    rows = [whole("a", "d", ranked=True), whole("b", "d", ranked=False)]
    con = scored(rows, [Run("run", {"a": Answer([Pred(0, 4)])})], design="ranked", documents_design="whole")
    documents = line(con, "slice_by = 'all' and not is_ranked")
    assert [documents[name] for name in ("docs", "n_rows", "gold", "pred", *RATIOS)] == [0, 0, 0, 0, *[None] * 4]
    assert line(con, "slice_by = 'all' and is_ranked")["is_reported"]


@pytest.mark.parametrize("allow_missing", [True, False])
def test_whole_documents_with_texts_left_open_count_where_that_is_allowed(allow_missing: bool) -> None:
    rows = [whole("a", "d", ranked=True), whole("b", "d", ranked=False), whole("c", "e", ranked=False)]
    answers = {"a": Answer(), "b": Answer([Pred(0, 4)])}
    settings = {"design": "ranked", "documents_design": "whole", "allow_missing": allow_missing}
    con = scored(rows, [Run("run", answers)], **settings)
    documents = line(con, "slice_by = 'all' and not is_ranked")
    found = [documents[name] for name in ("docs", "n_rows_missing", "gold", "missed", "recall")]
    assert found == ([2, 1, 2, 1, 0.5] if allow_missing else [0, 0, 0, 0, None])


def test_what_is_missing_is_missed() -> None:
    rows = [Row("a", "Anna", [Gold(0, 4)]), Row("b", CARD, [Gold(0, 9, "PAYMENT_CARD")]), Row("c", "none")]
    con = scored(rows, [Run("run", {"a": Answer([Pred(0, 4)]), "b": Answer((), "error")})])
    found = line(con)
    assert (found["n_rows"], found["n_rows_missing"], found["leak"], found["missed"], found["docs"]) == (3, 2, 1, 1, 3)


def test_a_column_a_carrier_and_a_language_are_slices() -> None:
    rows = [
        Row("a", "Anna", [Gold(0, 4)], doc_id="d", carrier="json", slices={"domain": "hr", "locale": "us"}),
        Row("b", "Anna", [Gold(0, 4)], doc_id="d", language="de", slices={"domain": "hr"}),
        Row("c", "Anna", [Gold(0, 4)], doc_id="e", slices={"domain": "it", "carrier": "unheard of"}),
    ]
    con = scored(rows, [Run("run", {"a": Answer([Pred(0, 4)]), "b": Answer(), "c": Answer()})])
    found = {(of["slice_by"], of["slice"]): (of["docs"], of["gold"], of["tp"]) for of in lines(con, "true")}
    assert found == {
        ("all", "all"): (2, 3, 1),
        ("carrier", "json"): (1, 1, 1),
        ("carrier", "prose"): (2, 2, 0),
        ("domain", "hr"): (1, 2, 1),
        ("domain", "it"): (1, 1, 0),
        ("language", "de"): (1, 1, 0),
        ("language", "en"): (2, 2, 1),
        ("locale", "us"): (1, 1, 1),
    }


def test_a_limit_takes_so_many_documents_of_each_slice() -> None:
    rows = [Row(f"{n:02}", "Anna", [Gold(0, 4)], slices={"locale": "us" if n < 20 else "intl"}) for n in range(23)]
    con = scored(rows, [Run("run", {row.row_id: Answer() for row in rows})], document_limit=5)
    found = {(of["slice_by"], of["slice"]): of["docs"] for of in lines(con, "true")}
    assert found["all", "all"] == found["locale", "us"] == 5
    assert found["locale", "intl"] == 3
    taken = con.sql("select doc_id from intermediate.slice_documents where slice = 'us' order by doc_id").fetchall()
    assert taken != [(f"{n:02}",) for n in range(5)], "by a hash of the id, not the first"


def test_coverage_has_a_line_for_every_gold_span_of_every_row_that_was_asked() -> None:
    rows = [Row("a", "Anna", [Gold(0, 4)]), Row("b", "Bert", [Gold(0, 4), Gold(0, 2, "EMAIL")])]
    con = scored(rows, [Run("one", {"a": Answer([Pred(0, 3)]), "b": Answer()}), Run("two")])
    found = con.sql(
        "select run_key, row_key, n_chars, covered_chars, exposed_chars, is_contained, is_overlapped "
        "from intermediate.gold_coverage order by run_key, gold_key"
    ).fetchall()
    assert found == [
        (1, 1, 4, 3, 1, False, True),
        (1, 2, 2, 0, 2, False, False),
        (1, 2, 4, 0, 4, False, False),
        (2, 1, 4, 0, 4, False, False),
        (2, 2, 2, 0, 2, False, False),
        (2, 2, 4, 0, 4, False, False),
    ]


def test_no_rows_and_no_runs_have_no_lines() -> None:
    row = Row("a", "Anna", [Gold(0, 4)])
    assert lines(scored([], [])) == lines(scored([row], [])) == lines(scored([], [Run("run")])) == []
    assert lines(scored([row], [Run("run", status="not_run")])) == []


def test_diagnostics_say_what_becomes_of_every_label_of_a_source() -> None:
    con = tables.connect([Row("a", "Anna", [Gold(0, 4)], "tab")], [])
    said = {"PERSON": 5, "DEM": 3, "CODE": 2, "brand-new": 1}
    tables.fill(
        con,
        "source_labels",
        [{"source": "tab", "corpus": "tab", "source_label": name, "n_spans": n} for name, n in said.items()],
    )
    warehouse.derive(con, ["marts.label_diagnostics"])
    found = con.sql(
        "select source_label, n_spans, type, role, reason is null from marts.label_diagnostics order by all"
    )
    assert found.fetchall() == [
        ("CODE", 2, "RECORD_NUMBER", "excluded", False),
        ("DEM", 3, "ignored", "ignored", False),
        ("PERSON", 5, "PERSON", "scored", True),
        ("brand-new", 1, None, "unknown", True),
    ]


def test_diagnostics_of_a_rows_file_are_its_gold() -> None:
    gold = [Gold(0, 4, "PER", "scored"), Gold(0, 2, "PER", "excluded"), Gold(0, 3, "CASE_NO", "excluded")]
    con = scored([Row("a", "Anna", gold), Row("b", "Bert", gold[:1])], [])
    found = con.sql("select corpus, source_label, n_spans, type, role from marts.label_diagnostics order by all")
    assert found.fetchall() == [
        ("one", "CASE_NO", 1, None, "excluded"),
        ("one", "PER", 1, "PERSON", "excluded"),
        ("one", "PER", 2, "PERSON", "scored"),
    ]


def test_the_domain_gap_is_the_difference_to_the_best_corpus() -> None:
    rows = [
        Row("a", "Anna Bert", [Gold(0, 4), Gold(5, 9)], "near"),
        Row("b", "Carl Dora", [Gold(0, 4), Gold(5, 9)], "far"),
        Row("c", "none", [], "empty"),
    ]
    answers = {"a": Answer([Pred(0, 4), Pred(5, 9)]), "b": Answer([Pred(0, 4), Pred(5, 8)]), "c": Answer()}
    con = scored(rows, [Run("run", answers), Run("other", {"a": Answer()})])
    query = next(file for file in warehouse.files() if file.name == "queries.domain_gap")
    found = con.sql(query.text, params={"run": "run"}).fetchall()
    assert found == [
        ("near", None, 1, 2, 2, 2, 1.0, 1.0, 1.0, 1.0, 0, 0.0),
        ("far", None, 1, 2, 2, 1, 0.5, 0.5, 0.5, 0.5, 0, -0.5),
        ("empty", None, 1, 0, 0, 0, None, None, None, None, 0, None),
    ]


def test_a_prediction_on_a_lookalike_alone_is_left_out() -> None:
    look = [Stretch(5, 9, "lookalike"), Stretch(15, 19, "lookalike")]
    row = Row("r@log", "Anna 1234 Bert 5678", [Gold(0, 4), Gold(10, 14)], alignments=look)
    spans = [Pred(5, 9, "PERSON"), Pred(7, 8, "IBAN"), Pred(10, 16), Pred(0, 4)]
    found = line(scored([row], [Run("run", {"r@log": Answer(spans)})]))
    assert [found[name] for name in ("pred", "tp", "fp", "n_left_out", "n_out_of_scope")] == [2, 1, 1, 2, 0]


def test_a_run_without_labels_that_mean_anything_has_leaks_and_nothing_that_asks_for_labels() -> None:
    row = Row("r", f"Anna {CARD} Bert", [Gold(0, 4), Gold(5, 14, "PAYMENT_CARD"), Gold(15, 19)])
    masks = [Pred(0, 4, "MASK"), Pred(5, 9, "MASK")]
    runs = [Run("labels", {"r": Answer([*masks, Pred(15, 19)])}), Run("masks", {"r": Answer(masks)})]
    con = scored([row], [*runs, Run("silent", {"r": Answer()})])
    of = {name: line(con, f"slice_by = 'all' and run_id = '{name}'") for name in ("labels", "masks", "silent")}
    asked = ("tp", "fp", "fn", "precision", "recall", "f1", "f2")
    assert [of["masks"][name] for name in asked] == [None] * 7
    assert [of["masks"][name] for name in ("gold", "pred", "n_unmapped", "leak", "exposed", "touched")] == [
        *(3, 0, 2, 0, 1, 2)
    ]
    assert [of["silent"][name] for name in asked] == [0, 0, 3, None, 0.0, 0.0, 0.0]
    assert (of["labels"]["tp"], of["labels"]["recall"]) == (1, 1 / 3)
    found = report.sections(con)["masks"]["by_corpus"]["one"]["all_rows"]
    assert found["reason"] == "none of the run's labels is a type of the taxonomy or a label of the gold"
    assert (found["all"]["recall"], found["all"]["touched"]) == (None, 2)


def test_mentions_that_need_no_masking_are_ignored_in_diagnostics_and_their_label_stays_in_scope() -> None:
    gold = [
        Gold(0, 4, "PERSON", "scored", "NO_MASK"),
        Gold(0, 3, "PERSON", "scored", "QUASI"),
        Gold(0, 2, "LOCATION", "scored", "NO_MASK"),
        Gold(0, 1, "EMAIL", "excluded", "NO_MASK"),
    ]
    con = scored([Row("a", "Anna", gold)], [Run("run", {"a": Answer([Pred(0, 4, "LOCATION")])})])
    warehouse.derive(con, ["marts.label_diagnostics"])
    found = con.sql("select source_label, n_spans, role, reason from marts.label_diagnostics order by all")
    judged = "judged to need no masking (NO_MASK)"
    assert found.fetchall() == [
        ("EMAIL", 1, "excluded", None),
        ("LOCATION", 1, "ignored", judged),
        ("PERSON", 1, "ignored", judged),
        ("PERSON", 1, "scored", None),
    ]
    assert (line(con)["fp"], line(con)["n_out_of_scope"]) == (1, 0)


def test_what_a_run_says_that_its_labels_mean_wins_over_the_label_map() -> None:
    con = tables.connect([Row("a", "Anna", [Gold(0, 4)])], [Run("run", {"a": Answer([Pred(0, 4, "LOCATION")])})])
    con.execute("update contracts.runs set settings = map {'label LOCATION': 'PERSON'}")
    warehouse.derive(con, ["marts.typed_scores"])
    assert line(con)["tp"] == 1
