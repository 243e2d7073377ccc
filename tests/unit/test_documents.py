"""Whole-document protection on boards that a person can count: what protects a document, and what a result says."""

import json
from typing import Any

import pytest

from piibench_duck import documents, warehouse
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run

TEXT = "Anna met Bob at x@y.z"
GOLD = [Gold(0, 4), Gold(9, 12), Gold(16, 21, "EMAIL")]
NAMES = [Pred(0, 4), Pred(9, 12)]


def derived(rows: list[Row], runs: list[Run], **settings: Any) -> warehouse.Connection:
    con = tables.connect(rows, runs, **settings)
    warehouse.derive(con, documents.MARTS)
    return con


def counts(con: warehouse.Connection, doc_id: str, *names: str) -> tuple[int, ...]:
    """Columns of the one line of a document."""
    [line] = con.sql(
        f"select {', '.join(names)} from intermediate.document_counts where doc_id = '{doc_id}'"
    ).fetchall()
    return tuple(line)


def scores(con: warehouse.Connection, corpus: str | None, *names: str) -> tuple[float | None, ...]:
    of = "corpus is null" if corpus is None else f"corpus = '{corpus}'"
    [line] = con.sql(f"select {', '.join(names)} from marts.document_scores where {of}").fetchall()
    return tuple(line)


def of_one(text: str, gold: list[Gold], preds: list[Pred]) -> warehouse.Connection:
    """A document of one text."""
    return derived([Row("a", text, gold, doc_id="d")], [Run("r", {"a": Answer(preds)})])


def test_one_character_in_one_of_its_texts_exposes_a_document() -> None:
    rows = [Row("a", TEXT, GOLD, doc_id="whole"), Row("b", TEXT, GOLD, doc_id="torn"), Row("c", TEXT, doc_id="torn")]
    rows.append(Row("d", TEXT, GOLD, doc_id="torn"))
    answers = {"a": Answer(NAMES), "b": Answer(NAMES), "c": Answer(), "d": Answer([Pred(0, 3), Pred(9, 12)])}
    con = derived(rows, [Run("r", answers)])
    assert counts(con, "whole", "n_rows", "gold_chars", "exposed_chars") == (1, 7, 0)
    assert counts(con, "torn", "n_rows", "gold_chars", "exposed_chars") == (3, 14, 1)
    assert scores(con, "one", "n_documents", "n_documents_with_gold", "n_protected", "share_protected") == (
        2,
        2,
        1,
        0.5,
    )


def test_an_identifier_left_readable_counts_apart() -> None:
    con = of_one(TEXT, GOLD, NAMES)
    assert scores(con, "one", "share_protected", "share_protected_with_identifiers") == (1.0, 0.0)
    assert counts(con, "d", "identifier_chars", "exposed_identifier_chars") == (5, 5)
    assert counts(con, "d", "n_identifiers", "n_exposed_identifiers") == (1, 1)
    con = of_one(TEXT, GOLD[2:], [])
    assert scores(con, "one", "n_documents_with_gold", "share_protected") == (0, None)
    assert scores(con, "one", "n_documents_with_any", "share_protected_with_identifiers") == (1, 0.0)


def test_an_identifier_inside_gold_is_gold() -> None:
    con = of_one(TEXT, [Gold(9, 21), Gold(16, 21, "EMAIL")], [Pred(9, 21)])
    assert counts(con, "d", "gold_chars", "identifier_chars") == (12, 0)
    assert scores(con, "one", "share_protected_with_identifiers") == (1.0,)


@pytest.mark.parametrize("gold", [Gold(0, 4, "OTHER"), Gold(0, 4, identifier_type="NO_MASK"), Gold(0, 4, "unheard-of")])
def test_what_is_ignored_or_needs_no_mask_exposes_nothing(gold: Gold) -> None:
    con = of_one(TEXT, [gold], [])
    assert counts(con, "d", "gold_chars", "exposed_chars", "n_entities", "n_exposed_entities") == (0, 0, 0, 0)
    assert scores(con, "one", "n_documents_with_gold", "share_protected") == (0, None)


def test_an_entity_is_exposed_by_any_of_its_mentions() -> None:
    rows = [
        Row("a", "Anna. Anna.", [Gold(0, 4, entity_id="e1"), Gold(6, 10, entity_id="e1")], doc_id="d"),
        Row("b", "Bob and Anna", [Gold(0, 3, entity_id="e2"), Gold(8, 12, entity_id="e1")], doc_id="d"),
    ]
    found = {"a": Answer([Pred(0, 4), Pred(6, 10)]), "b": Answer([Pred(0, 3), Pred(9, 12)])}
    con = derived(rows, [Run("r", found)])
    assert counts(con, "d", "n_entities", "n_exposed_entities", "exposed_chars") == (2, 1, 1)


def test_an_id_names_an_entity_of_one_annotator_in_one_document() -> None:
    def gold(annotator: str) -> Gold:
        return Gold(0, 4, entity_id="e1", annotator=annotator)

    rows = [Row("a", TEXT, [gold("one"), gold("two")], doc_id="d"), Row("b", TEXT, [gold("one")], doc_id="other")]
    con = derived(rows, [Run("r", {"a": Answer(), "b": Answer(NAMES)})])
    assert counts(con, "d", "n_entities", "n_exposed_entities", "gold_chars") == (2, 2, 4)
    assert counts(con, "other", "n_entities", "n_exposed_entities") == (1, 0)


def test_spans_without_an_id_are_entities_by_their_stretch() -> None:
    gold = [Gold(0, 4, annotator="one"), Gold(0, 4, annotator="two"), Gold(0, 4, "LOCATION"), Gold(0, 3)]
    assert counts(of_one(TEXT, gold, []), "d", "n_entities", "n_exposed_entities") == (2, 2)


def test_a_text_that_was_not_answered_exposes_all_that_it_holds() -> None:
    rows = [Row("a", TEXT, GOLD, doc_id="d"), Row("b", TEXT, GOLD, doc_id="d"), Row("c", TEXT, GOLD, doc_id="d")]
    con = derived(rows, [Run("r", {"a": Answer(NAMES), "b": Answer(status="error")})])
    assert counts(con, "d", "n_rows", "n_rows_missing", "exposed_chars", "n_exposed_entities") == (3, 2, 14, 4)
    assert scores(con, "one", "n_rows", "n_rows_missing", "share_protected") == (3, 2, 0.0)


def test_the_figure_over_corpora_is_the_plain_mean_of_those_with_a_share() -> None:
    rows = [Row(f"{corpus}{n}", TEXT, GOLD, corpus) for corpus, size in (("x", 1), ("y", 4)) for n in range(size)]
    rows.append(Row("z0", TEXT, corpus="z"))
    con = derived(rows, [Run("r", {row.row_id: Answer(NAMES if row.row_id in ("x0", "y0") else []) for row in rows})])
    assert scores(con, None, "n_documents", "n_protected", "share_protected", "n_corpora") == (6, 2, 0.625, 2)
    assert scores(con, "z", "n_documents", "share_protected", "n_corpora") == (1, None, 0)


def mixed() -> tuple[list[Row], list[Run]]:
    """Documents of two corpora, in which some replicates draw no gold, and five runs over them."""
    rows = [
        Row(f"{corpus}{n}", TEXT, GOLD if n % 3 else [], corpus, doc_id=f"d{n % 4}")
        for corpus in ("x", "y")
        for n in range(7)
    ]
    runs = [
        Run(f"r{k}", {row.row_id: Answer(NAMES if place % (k + 2) else []) for place, row in enumerate(rows)})
        for k in range(5)
    ]
    return rows, runs


def test_the_draws_are_those_of_the_documents_of_the_other_intervals() -> None:
    con = derived(*mixed(), seed=5, replicates=200)
    warehouse.derive(con, ["intermediate.draws"])
    from_draws = con.sql(
        "select runs.run_key::integer, draws.replicate_key % 200, units.corpus, sum(draws.n_drawn)::bigint, "
        "coalesce(sum(draws.n_drawn) filter (where counts.exposed_chars = 0), 0)::bigint "
        "from intermediate.draws as draws inner join intermediate.units as units using (unit_key) "
        "inner join intermediate.document_counts as counts on units.unit = 'document' "
        "and units.corpus = counts.corpus and units.unit_id = counts.doc_id "
        "inner join staging.runs as runs using (run_id) where counts.gold_chars > 0 group by all order by all"
    ).fetchall()
    found = con.sql(
        "select run_key, replicate, corpus, n_documents_with_gold, n_protected from intermediate.document_replicates "
        "inner join (select distinct stratum_key, corpus from intermediate.documents) using (stratum_key) order by all"
    ).fetchall()
    assert found == from_draws


@pytest.mark.parametrize("threads", [2, 8])
def test_sections_are_the_same_on_any_number_of_threads(threads: int) -> None:
    alone = documents.sections(derived(*mixed(), replicates=100))
    assert documents.sections(derived(*mixed(), replicates=100, threads=threads)) == alone


def test_a_section_says_why_a_corpus_or_a_run_has_no_figures() -> None:
    rows = [
        Row("a", TEXT, GOLD, "x", in_design=False),
        Row("b", TEXT, GOLD, "y", in_documents=False),
        Row("c", TEXT, GOLD, "x", in_documents=False),
    ]
    runs = [Run("all", {name: Answer(NAMES) for name in "abc"}), Run("ranked", {name: Answer() for name in "bc"})]
    con = derived(rows, [*runs, Run("none", status="not_run")], design="balanced", documents_design="documents")
    found = documents.sections(con)
    assert found.keys() == {"all", "ranked"}
    assert found["all"]["design"] == "documents"
    assert found["all"]["by_corpus"].keys() == {"x"}
    assert found["all"]["by_corpus"]["x"]["share_protected"] == 1.0
    assert found["all"]["overall"]["n_documents"] == 1
    not_there = {"reason": "none of its texts is in the design that holds documents whole"}
    assert found["all"]["not_applicable"] == {"y": not_there}
    assert found["ranked"] == {
        "design": "documents",
        "by_corpus": {},
        "not_applicable": {
            "x": {"reason": "the run left texts of the design that holds documents whole open"},
            "y": not_there,
        },
    }
    json.dumps(found, allow_nan=False)


def test_a_run_that_answered_one_whole_document_is_asked_for_all() -> None:
    rows = [Row("a", TEXT, GOLD, in_design=False), Row("b", TEXT, GOLD, in_design=False)]
    con = derived(rows, [Run("r", {"a": Answer(NAMES)})], design="balanced", documents_design="documents")
    assert scores(con, "one", "n_documents", "n_protected", "n_rows_missing") == (2, 1, 1)
