"""TAB's metrics on texts small enough to count by hand."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from piibench_duck import tab, warehouse
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run

TEXT = "Ann Lee met Bo in May."
ANN, LEE, ANN_LEE, BO, MAY = (0, 3), (4, 7), (0, 7), (12, 14), (18, 21)
Place = tuple[int, int]
Marts = list[dict[str, Any]]


class Case(NamedTuple):
    """A document alone in its corpus, and what the run masks in it; None where it does not answer."""

    gold: Sequence[Gold]
    masks: Sequence[Place] | None = ()
    text: str = TEXT
    annotators: Sequence[str] = ()
    forgiven: Sequence[Place] = ()


def mention(
    place: Place, judgement: str = "QUASI", entity: str | None = "e1", label: str = "PERSON", by: str = "a"
) -> Gold:
    return Gold(*place, label, None, judgement, entity, by)


def board(rows: Sequence[Row], masks: dict[str, Sequence[Place]], **settings: Any) -> warehouse.Connection:
    """A board with one run; `masks` names the texts that it answered."""
    answers = {row_id: Answer([Pred(*place) for place in places]) for row_id, places in masks.items()}
    return tables.connect(rows, [Run("run", answers)], **settings)


def scores(con: warehouse.Connection) -> dict[str, dict[str, Any]]:
    """Lines of the mart by corpus, with mentions and covered ones by type."""
    warehouse.derive(con, tab.MARTS)
    found = {line["corpus"]: {**line, "by_type": {}} for line in warehouse.rows_of(con, "from marts.tab_scores")}
    for line in warehouse.rows_of(con, "from marts.tab_type_scores order by type"):
        found[line["corpus"]]["by_type"][line["type"]] = (line["mentions"], line["mentions_covered"])
    return found


def each(*cases: Case, rules: str = "corrected", **settings: Any) -> Marts:
    """The figures of each case."""
    rows = [Row(f"d{number}", of.text, of.gold, corpus=f"c{number}") for number, of in enumerate(cases)]
    masks = {f"d{number}": of.masks for number, of in enumerate(cases) if of.masks is not None}
    con = board(rows, masks, tab_rules=rules, **settings)
    for number, of in enumerate(cases):
        tables.fill(con, "annotators", [{"row_id": f"d{number}", "annotator": name} for name in of.annotators])
        spared = [
            {"row_id": f"d{number}", "start_char": at, "end_char": to, "source": "file"} for at, to in of.forgiven
        ]
        tables.fill(con, "forgiven", spared)
    found = scores(con)
    return [found[f"c{number}"] for number in range(len(cases))]


def both(case: Case) -> Marts:
    """The figures by corrected rules and by compat rules."""
    return [*each(case), *each(case, rules="compat")]


def column(found: Marts, name: str) -> list[Any]:
    return [one[name] for one in found]


def test_a_mention_is_covered_when_what_stays_readable_is_forgiven() -> None:
    gold = [mention(ANN_LEE, "DIRECT")]
    found = each(
        Case(gold, [ANN, LEE]),  # the space between them is
        Case(gold, [(0, 6)]),
        Case(gold, [LEE], forgiven=[ANN]),
        Case(gold, [LEE], forgiven=[(0, 2)]),
        Case(gold, [(1, 7)], forgiven=[(0, 1)]),
    )
    assert column(found, "mentions_covered") == [1, 0, 1, 0, 1]
    assert column(found, "tokens_covered") == [2, 1, 2, 1, 2]


def test_a_mention_of_forgiven_characters_is_covered_unless_its_text_was_not_answered() -> None:
    gold = [mention((3, 4)), mention(BO, entity="e2")]
    assert column(each(Case(gold), Case(gold, None)), "mentions_covered") == [1, 0]


def test_masks_elsewhere_cover_nothing() -> None:
    [found] = each(Case([mention(ANN_LEE)], [BO, (7, 8)]))
    assert (found["mentions_covered"], found["tokens_covered"], found["entities_covered"]) == (0, 0, 0)


def test_an_entity_counts_when_each_of_its_mentions_to_be_masked_is_covered() -> None:
    gold = [mention(ANN_LEE, "DIRECT"), mention(BO, "QUASI"), mention(MAY, "NO_MASK")]
    found = each(Case(gold, [ANN_LEE]), Case(gold, [ANN_LEE, BO]))
    assert column(found, "mention_recall") == [0.5, 1.0]
    assert column(found, "entity_recall_direct") == [0.0, 1.0]
    assert column(found, "entity_recall_quasi") == [None, None]


def test_an_entity_is_direct_by_any_mention_and_by_compat_rules_by_its_first() -> None:
    found = both(Case([mention(ANN_LEE, "QUASI"), mention(BO, "DIRECT")], [BO]))
    assert column(found, "direct_mentions") == [2, 0]
    assert column(found, "quasi_entities") == [0, 1]
    assert column(both(Case([mention(ANN_LEE, "NO_MASK"), mention(BO, "DIRECT")], [BO])), "direct_entities") == [1, 0]


def test_an_entity_has_its_most_frequent_type_then_the_first_in_the_alphabet() -> None:
    gold = [mention(ANN, label="PERSON"), mention(LEE, label="LOC"), mention(BO, label="CODE")]
    found = each(Case(gold), Case([*gold, mention(MAY, "NO_MASK", label="LOC")]))
    assert column(found, "by_type") == [{"CODE": (3, 0)}, {"LOC": (3, 0)}]
    [found_so] = each(Case([*gold, mention(MAY, "NO_MASK", label="LOC")]), rules="compat")
    assert found_so["by_type"] == {"PERSON": (4, 0)}  # that of its first


def test_the_first_mention_is_that_of_the_earliest_passage() -> None:
    rows = [
        Row("a", TEXT, [mention(BO, "DIRECT")], doc_id="d", passage_start=100),
        Row("b", TEXT, [mention(BO, "QUASI")], doc_id="d", passage_start=0),
    ]
    compat = scores(board(rows, {"a": [], "b": []}, tab_rules="compat"))["one"]
    assert (compat["direct_entities"], compat["quasi_entities"], compat["quasi_mentions"]) == (0, 1, 2)
    assert scores(board(rows, {"a": [], "b": []}))["one"]["direct_entities"] == 1


def test_a_no_mask_mention_of_an_entity_to_mask_counts_by_compat_rules_but_not_for_entities_and_precision() -> None:
    gold = [mention(ANN_LEE, "DIRECT"), mention(BO, "NO_MASK")]
    found = both(Case(gold, [ANN_LEE, BO]))
    assert column(found, "mentions") == [1, 2]
    assert column(found, "tokens") == [2, 3]
    assert column(found, "mention_precision") == [0.5, 0.5]
    found = both(Case(gold, [ANN_LEE]))
    assert column(found, "mention_recall") == [1.0, 0.5]
    assert column(found, "entity_recall") == [1.0, 1.0]


def test_an_entity_without_a_mention_to_mask_counts_nowhere() -> None:
    found = both(Case([mention(ANN_LEE, "NO_MASK"), mention(BO, "NO_MASK", entity="e2")], [ANN_LEE]))
    assert column(found, "mentions") == column(found, "entities") == column(found, "masks_right") == [0, 0]
    assert column(found, "masks") == [1, 1]
    assert column(found, "mention_recall") == [None, None]


def test_twin_masks_weigh_once_and_by_compat_rules_twice() -> None:
    found = both(Case([mention(ANN_LEE)], [ANN_LEE, ANN_LEE, BO]))
    assert column(found, "mention_precision") == [0.5, pytest.approx(2 / 3)]
    assert column(found, "token_precision") == [pytest.approx(2 / 3), pytest.approx(4 / 5)]


def test_overlapping_masks_are_one_and_touching_ones_are_not() -> None:
    overlapping, touching = ([(0, 5), (4, 7)], [(0, 5), (5, 7)])
    assert column(both(Case([mention(ANN_LEE)], overlapping)), "masks") == [1, 2]
    [found] = each(Case([mention(ANN_LEE)], touching))
    assert (found["masks"], found["mask_tokens"], found["mentions_covered"]) == (2, 3, 1)  # Ann, L, ee


def test_a_mask_is_right_for_each_annotator_who_has_one_mention_to_mask_that_holds_it_whole() -> None:
    gold = [
        mention(ANN_LEE, entity="e1", by="a"),
        mention(ANN, entity="e2", by="b"),
        mention(LEE, entity="e3", by="b"),
        mention(BO, "NO_MASK", entity="e4", by="c"),
    ]
    [found] = each(Case(gold, [ANN_LEE, BO]))
    assert (found["masks"], found["masks_right"]) == (6, 1)
    assert (found["mask_tokens"], found["mask_tokens_right"]) == (9, 4)


def test_annotators_are_those_who_are_known_and_by_compat_rules_those_with_entities() -> None:
    found = both(Case([mention(ANN_LEE)], [ANN_LEE], annotators=["a", "nothing-found"]))
    assert column(found, "mention_precision") == [0.5, 1.0]
    rows = [Row("d", TEXT, [mention(ANN_LEE)]), Row("nobody", TEXT)]
    assert scores(board(rows, {"d": [], "nobody": [BO]}))["one"]["mention_precision"] == 0.0
    assert scores(board(rows, {"d": [], "nobody": [BO]}, tab_rules="compat"))["one"]["mention_precision"] is None


def test_a_text_that_was_not_answered_is_missed_and_by_compat_rules_its_document_is_left_out() -> None:
    rows = [Row("d", TEXT, [mention(ANN_LEE)]), Row("absent", TEXT, [mention(BO)])]
    corrected = scores(board(rows, {"d": [ANN_LEE]}))["one"]
    assert (corrected["n_documents"], corrected["n_rows_missing"], corrected["mention_recall"]) == (2, 1, 0.5)
    compat = scores(board(rows, {"d": [ANN_LEE]}, tab_rules="compat"))["one"]
    assert (compat["n_documents"], compat["n_rows_missing"], compat["mention_recall"]) == (1, 0, 1.0)


def test_mentions_that_differ_in_their_judgement_alone_are_one_with_the_strongest() -> None:
    found = both(Case([mention(ANN_LEE, "NO_MASK"), mention(ANN_LEE, "DIRECT"), mention(ANN_LEE, "QUASI")]))
    assert column(found, "direct_mentions") == [1, 0]
    assert column(found, "mentions") == [1, 3]


def test_a_mention_without_an_entity_is_one_of_its_own() -> None:
    [found] = each(Case([mention(ANN_LEE), mention(BO, entity=None), mention(MAY, entity=None)], [BO]))
    assert (found["entities"], found["entities_covered"]) == (3, 1)


def test_an_entity_is_of_one_annotator_and_one_document() -> None:
    rows = [Row("d", TEXT, [mention(ANN), mention(ANN, by="b")]), Row("e", TEXT, [mention(ANN)])]
    assert scores(board(rows, {"d": [], "e": []}))["one"]["entities"] == 3


def test_a_unigram_weight_is_the_logarithm_of_the_share_of_the_word_in_lower_case() -> None:
    text = "ann Ann saw Bo saw ann saw bob"  # ann 3, saw 3, bo 1, bob 1
    gold = [mention((0, 3))]
    whole, cut = each(Case(gold, [(0, 3), (12, 14)], text), Case(gold, [(0, 2), (12, 13)], text))
    ann, bo = 1.4150374992788437, 3.0  # -log2(3/8), -log2(1/8)
    assert whole["weighted_mention_precision"] == pytest.approx(ann / (ann + bo), abs=1e-9)
    assert whole["weighted_token_precision"] == pytest.approx(ann / (ann + bo), abs=1e-9)
    assert whole["mask_token_weight"] == cut["mask_token_weight"] == round((ann + bo) * 1e9)


def test_a_capital_i_with_a_dot_is_no_i() -> None:
    [found] = each(Case([mention((0, 1))], [(0, 1)], "İ i İ i"))
    assert found["mask_weight"] == 10**9


def test_a_mask_weighs_as_much_as_its_heaviest_token_and_without_any_nothing() -> None:
    text = "a a a bo - a"
    heavy, empty = each(Case([mention(ANN)], [(0, 8)], text), Case([mention(ANN)], [(9, 10)], text))
    assert heavy["mask_weight"] == round(2.321928094887362 * 1e9)
    assert (empty["mask_weight"], empty["masks"], empty["weighted_mention_precision"]) == (0, 1, None)


def test_uniform_weights_make_weighted_precision_plain_precision() -> None:
    [found] = each(Case([mention(ANN_LEE)], [ANN_LEE, BO, (21, 22)]), weights="uniform")
    assert found["weighted_mention_precision"] == found["mention_precision"] == pytest.approx(1 / 3)
    assert found["weighted_token_precision"] == found["token_precision"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("rules", ["corrected", "compat"])
def test_pairs_of_the_other_recipe_are_as_the_run_gave_them(rules: str) -> None:
    gold = [mention(ANN, "DIRECT"), mention(LEE, "DIRECT"), mention(BO, entity="e2"), mention(MAY, "NO_MASK", "e3")]
    [found] = each(Case(gold, [ANN, ANN, ANN_LEE, BO, MAY]), rules=rules, weights="uniform")
    assert (found["exact_gold"], found["exact_pred"], found["exact_both"]) == (3, 4, 2)
    assert (found["exact_entity_recall_direct"], found["exact_entity_recall_quasi"]) == (0.0, 1.0)
    assert found["exact_weighted_precision"] == found["exact_mention_precision"] == 0.5
    assert found["entity_recall_direct"] == 1.0


@pytest.mark.parametrize("rules", ["corrected", "compat"])
@pytest.mark.parametrize("weights", ["unigram", "uniform", "table"])
def test_what_is_undefined_is_null_and_never_an_error(rules: str, weights: str) -> None:
    [found] = each(Case([mention(ANN, "NO_MASK")]), rules=rules, weights=weights)
    assert [name for name, value in found.items() if isinstance(value, float)] == []
    assert found["n_documents"] == 1


@pytest.mark.parametrize("rules", ["corrected", "compat"])
def test_extremes_are_counted(rules: str) -> None:
    everything, single, empty = each(
        Case([mention(ANN_LEE, "DIRECT")], [(0, len(TEXT))]),
        Case([mention((0, 1))], [(0, 1)], "x"),
        Case([mention(ANN_LEE, "DIRECT")]),
        rules=rules,
    )
    assert (everything["entity_recall_direct"], everything["mention_precision"]) == (1.0, 0.0)
    assert (single["mention_recall"], single["mention_precision"], single["token_f1"]) == (1.0, 1.0, 1.0)
    assert single["weighted_mention_precision"] is None  # the only word there is tells nothing
    assert (empty["entity_recall_direct"], empty["mention_precision"], empty["token_f1"]) == (0.0, None, None)


def test_without_texts_gold_or_runs_there_is_nothing() -> None:
    assert scores(board([], {})) == {}
    assert scores(board([Row("d", TEXT), Row("empty", "")], {"d": [ANN]})) == {}
    con = tables.connect([Row("d", TEXT, [mention(ANN)])], [])
    warehouse.derive(con, tab.MARTS)
    assert tab.sections(con) == {}


def test_a_precision_and_a_recall_of_nothing_have_the_f1_of_nothing() -> None:
    [found] = each(Case([mention(ANN)], [BO]))
    assert (found["token_precision"], found["token_recall"], found["token_f1"]) == (0.0, 0.0, 0.0)


def test_a_section_names_what_applies_and_says_why_the_rest_does_not() -> None:
    rows = [
        Row("d", TEXT, [mention(ANN_LEE, "DIRECT"), mention(BO, entity="e2")], corpus="court"),
        Row("plain", TEXT, [Gold(0, 3)], corpus="plain"),
        Row("other", TEXT, [mention(ANN)], corpus="other"),
        Row("elsewhere", TEXT, [], corpus="elsewhere", in_documents=False),
    ]
    con = board(rows, {"d": [ANN_LEE, MAY], "other": []}, documents_design="documents", weights="uniform")
    tables.fill(con, "forgiven", [{"row_id": "d", "start_char": 15, "end_char": 17, "source": "words"}])
    warehouse.derive(con, tab.MARTS)
    said = tab.section(con, "run")
    assert (said["primary"], said["rules"], said["weights"]) == ("ER_di", "corrected", "uniform")
    assert list(said["by_corpus"]) == ["court", "other"]
    assert list(said["not_applicable"]) == ["plain"]
    assert "entities" in said["not_applicable"]["plain"]["reason"]
    court = said["by_corpus"]["court"]
    figures = {"ER_di": 1.0, "ER_qi": 0.0, "ER": 0.5, "R_di+qi": 0.5, "R_di": 1.0, "R_qi": 0.0, "P_di+qi": 0.5}
    assert {name: court[name] for name in figures} == figures
    assert court["WP_di+qi"] == 0.5
    assert court["by_type"]["PERSON"]["mentions"] == 2
    assert court["tab_exact"]["counts"] == {
        **{"gold": 2, "pred": 2, "both": 1},
        **{"weight": 2 * 10**9, "weight_both": 10**9},
    }
    assert court["forgiven"] == ["characters", "words"]
    assert said["by_corpus"]["other"]["forgiven"] == ["characters"]


@pytest.mark.parametrize("answered", [["ranked"], ["both"], ["ranked", "both"]])
def test_a_run_that_left_whole_documents_open_has_no_figure_and_a_reason(answered: list[str]) -> None:
    rows = [
        Row("whole", TEXT, [mention(ANN)], in_design=False),
        Row("both", TEXT, [mention(ANN)]),
        Row("ranked", TEXT, in_documents=False),
    ]
    designs = {"design": "ranked", "documents_design": "documents", "allow_missing": False}
    con = board(rows, {row_id: [ANN] for row_id in answered}, **designs)
    warehouse.derive(con, tab.MARTS)
    said = tab.section(con, "run")
    assert said["by_corpus"] == {}
    assert "did not answer" in said["not_applicable"]["one"]["reason"]


@pytest.mark.parametrize("rules", ["corrected", "compat"])
def test_a_corpus_whose_annotators_marked_nothing_has_counts(rules: str) -> None:
    silent, unnamed = Row("d", TEXT), Row("other", TEXT, [Gold(0, 3)], corpus="unnamed")
    con = board([silent, unnamed], {"d": [ANN, BO], "other": [ANN]}, tab_rules=rules)
    tables.fill(con, "annotators", [{"row_id": name, "annotator": by} for name in ("d", "other") for by in ("a", "b")])
    assert tab.applies(con)
    [found] = scores(con).values()
    assert (found["corpus"], found["n_documents"], found["mentions"], found["mention_recall"]) == ("one", 1, 0, None)
    # each mask once for each annotator, of whom the published script knows nothing
    assert (found["masks"], found["masks_right"]) == ((4, 0) if rules == "corrected" else (0, 0))
    assert list(tab.section(con, "run")["not_applicable"]) == ["unnamed"]


def test_where_no_gold_names_entities_a_section_needs_nothing_computed() -> None:
    con = board([Row("d", TEXT, [Gold(0, 3)])], {"d": []})
    warehouse.derive(con, ["staging.settings", "staging.all_rows", "staging.runs"])
    assert not tab.applies(con)
    assert list(tab.section(con, "run")["not_applicable"]) == ["one"]
    assert tab.section(con, "run")["by_corpus"] == {}


def test_the_published_names_have_0_for_what_is_undefined() -> None:
    con = board([Row("d", TEXT, [mention(ANN_LEE)])], {}, tab_rules="compat")
    warehouse.derive(con, tab.MARTS)
    said = tab.compat(con, "run", "one")
    assert said.pop("token_recall_by_type") == {}
    assert {*said.values()} == {0.0}
    assert len(said) == 14
