"""Entity scores: SemEval's four schemes by hand, nervaluate's figures, one answer whatever the order, and the edges."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from piibench_duck import door, entities, score, warehouse
from tests import entity_oracle, tables
from tests.entity_oracle import SCHEMES, Span
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

ROOT = Path(__file__).parents[2]
FLAT: dict[str, Any] = json.loads((ROOT / "tests" / "fixtures" / "semeval" / "flat.json").read_text("utf-8"))
JUDGED = ("correct", "incorrect", "partial", "missed", "spurious")


def scored(con: warehouse.Connection, run: str = "a") -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Lines of entity_scores by slice and scheme."""
    warehouse.derive(con, ["marts.entity_scores"])
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for line in warehouse.rows_of(con, f"select * from marts.entity_scores where run_id = '{run}'"):
        found.setdefault((line["slice_by"], line["slice"]), {})[line["scheme"]] = line
    return found


def one_row(gold: Sequence[Gold], pred: Sequence[Pred], alignments: Sequence[Stretch] = ()) -> warehouse.Connection:
    """A board of one row and one run."""
    row = Row("r@prose", "x" * 60, gold, alignments=alignments)
    return tables.connect([row], [Run("a", {"r@prose": Answer(pred)})])


def judged(con: warehouse.Connection, scheme: str, of: tuple[str, str] = ("all", "all")) -> tuple[int, ...]:
    """correct, incorrect, partial, missed, spurious."""
    line = scored(con)[of][scheme]
    return tuple(line[name] for name in JUDGED)


def nervaluate_of(gold: Iterable[Gold], pred: Iterable[Pred]) -> Mapping[str, Any]:
    """What nervaluate says of one row; it reads ends as inclusive."""
    from nervaluate import Evaluator

    listed = [
        [{"label": span.label, "start": span.start, "end": span.end - 1} for span in spans] for spans in (gold, pred)
    ]
    tags = sorted({span["label"] for spans in listed for span in spans})
    found: dict[str, Any] = Evaluator(true=[listed[0]], pred=[listed[1]], tags=tags, loader="dict").evaluate()
    return {"type" if name == "ent_type" else name: said for name, said in found["overall"].items()}


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """The scores of the rows that nervaluate was given, through the door and all of the SQL."""
    folder = tmp_path_factory.mktemp("semeval")
    rows, preds = folder / "rows.jsonl", folder / "preds.jsonl"
    texts = [{"id": of["row_id"], "text": "x" * 200, "spans": of["gold"]} for of in FLAT["docs"]]
    rows.write_text("".join(json.dumps(line) + "\n" for line in texts), "utf-8")
    answers = [{"id": of["row_id"], "spans": of["pred"]} for of in FLAT["docs"]]
    preds.write_text("".join(json.dumps(line) + "\n" for line in answers), "utf-8")
    taken = door.read_rows(rows)
    options = score.Options(seed=0, replicates=10, threads=1)
    return scored(score.filled(taken, {"a": door.read_predictions(preds, taken)}, options))


LABELS = [("all", "all"), *(("label", label) for label in sorted(FLAT["expected"]["by_label"]))]


@pytest.mark.parametrize("of", LABELS, ids=[label for _, label in LABELS])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_number_is_nervaluates_where_no_spans_compete(flat: Any, of: tuple[str, str], scheme: str) -> None:
    expected = FLAT["expected"]["overall"] if of[0] == "all" else FLAT["expected"]["by_label"][of[1]]
    want = expected["ent_type" if scheme == "type" else scheme]
    assert set(want) == {*JUDGED, "possible", "actual", "precision", "recall", "f1"}
    found = flat[of][scheme]
    assert {name: found[name] for name in want} == pytest.approx(want, abs=1e-12)
    assert all(found[name] == want[name] for name in want if isinstance(want[name], int))


def test_the_schemes_judge_each_kind_of_pair_as_semeval_does() -> None:
    gold = [Gold(0, 4), Gold(10, 14), Gold(20, 24), Gold(30, 34), Gold(40, 44)]
    pred = [Pred(0, 4), Pred(10, 14, "LOCATION"), Pred(21, 25), Pred(31, 35, "LOCATION"), Pred(50, 54)]
    con = one_row(gold, pred)
    assert judged(con, "strict") == (1, 3, 0, 1, 1)
    assert judged(con, "exact") == (2, 2, 0, 1, 1)
    assert judged(con, "partial") == (2, 0, 2, 1, 1)
    assert judged(con, "type") == (2, 2, 0, 1, 1)
    partial = scored(con)["all", "all"]["partial"]
    assert (partial["precision"], partial["recall"], partial["f1"]) == (0.6, 0.6, 0.6)


def test_a_label_is_matched_by_itself() -> None:
    con = one_row([Gold(0, 10, "LOCATION"), Gold(0, 6)], [Pred(0, 10)])
    assert judged(con, "strict") == (0, 1, 0, 1, 0)  # the exact boundary comes first, whatever its label
    assert judged(con, "type", ("label", "PERSON")) == (1, 0, 0, 0, 0)
    assert judged(con, "type", ("label", "LOCATION")) == (0, 0, 0, 1, 0)


@pytest.mark.parametrize(
    ("gold", "pred", "taken"),
    [
        ([Gold(0, 9), Gold(0, 9, "LOCATION")], [Pred(0, 9, "LOCATION")], [((0, 9, "LOCATION"), (0, 9, "LOCATION"))]),
        ([Gold(0, 30), Gold(40, 44, "LOCATION")], [Pred(0, 44), Pred(40, 44)], None),
        ([Gold(0, 8), Gold(8, 12)], [Pred(2, 12, "LOCATION")], [((0, 8, "PERSON"), (2, 12, "LOCATION"))]),
        ([Gold(0, 8, "LOCATION"), Gold(8, 16)], [Pred(4, 12)], [((8, 16, "PERSON"), (4, 12, "PERSON"))]),
        ([Gold(0, 8), Gold(8, 16)], [Pred(4, 12)], [((0, 8, "PERSON"), (4, 12, "PERSON"))]),
        ([Gold(4, 12)], [Pred(8, 16), Pred(0, 8)], [((4, 12, "PERSON"), (0, 8, "PERSON"))]),
        ([Gold(0, 12), Gold(0, 8)], [Pred(0, 6)], [((0, 8, "PERSON"), (0, 6, "PERSON"))]),
        ([Gold(0, 6)], [Pred(0, 12), Pred(0, 8)], [((0, 6, "PERSON"), (0, 8, "PERSON"))]),
        ([Gold(0, 6), Gold(0, 6, "LOCATION")], [Pred(0, 8, "EMAIL")], [((0, 6, "LOCATION"), (0, 8, "EMAIL"))]),
        ([Gold(0, 6)], [Pred(0, 8, "made"), Pred(0, 8, "MADE")], [((0, 6, "PERSON"), (0, 8, "MADE"))]),
    ],
    ids=[
        *("exact and same label", "exact boundary", "most shared characters", "same label", "first gold start"),
        *(
            "first predicted start",
            "first gold end",
            "first predicted end",
            "first gold label",
            "first predicted label",
        ),
    ],
)
def test_pairs_are_taken_in_the_stated_order(gold: list[Gold], pred: list[Pred], taken: Any) -> None:
    con = one_row(gold, pred)
    warehouse.derive(con, ["intermediate.span_pairs"])
    found = con.sql(
        "select (gold.start_char, gold.end_char, gold.label), (pred.start_char, pred.end_char, pred.label) "
        "from intermediate.span_pairs as pairs inner join intermediate.typed_gold as gold using (gold_key) "
        "inner join intermediate.typed_pred as pred using (pred_key) where scope = 'all' order by all"
    ).fetchall()
    want = taken or [((0, 30, "PERSON"), (0, 44, "PERSON")), ((40, 44, "LOCATION"), (40, 44, "PERSON"))]
    assert found == want


def test_adjacent_spans_do_not_overlap() -> None:
    con = one_row([Gold(10, 20)], [Pred(0, 10), Pred(20, 30)])
    assert judged(con, "partial") == (0, 0, 0, 1, 2)


def test_a_prediction_on_excluded_gold_or_a_lookalike_alone_is_neither_right_nor_wrong() -> None:
    gold = [Gold(0, 10, "EMAIL"), Gold(20, 30), Gold(25, 40, "EMAIL")]
    look = Stretch(50, 55, "lookalike")
    aside = [Pred(5, 15), Pred(35, 38), Pred(54, 60, "LOCATION")]
    con = one_row(gold, [*aside, Pred(26, 40, "EMAIL"), Pred(44, 50)], [look])
    assert judged(con, "partial") == (0, 0, 1, 0, 1)  # on scored gold as well; on nothing
    assert scored(con)["all", "all"]["strict"]["n_left_out"] == 3
    assert scored(con)["label", "PERSON"]["strict"]["n_left_out"] == 2
    assert judged(con, "type", ("label", "EMAIL")) == (0, 0, 0, 0, 1)  # it is on a person, not on an EMAIL that counts
    assert judged(con, "type", ("label", "LOCATION")) == (0, 0, 0, 0, 0)


def test_the_same_stretch_and_label_counts_once() -> None:
    gold = [Gold(0, 9, annotator="one"), Gold(0, 9, annotator="two", entity_id="e"), Gold(0, 9, "LOCATION")]
    con = one_row(gold, [Pred(0, 9, score=0.5), Pred(0, 9, score=0.1), Pred(0, 9, "PER"), Pred(0, 9, "unknown")])
    assert judged(con, "strict") == (1, 1, 0, 0, 0)
    assert judged(con, "exact") == (2, 0, 0, 0, 0)


def test_a_label_that_the_map_does_not_know_counts_under_its_own_name() -> None:
    con = one_row([Gold(0, 9, "brand", "scored")], [Pred(0, 9, "brand"), Pred(20, 22, "colour")])
    assert judged(con, "strict") == (1, 0, 0, 0, 1)
    assert judged(con, "strict", ("label", "brand")) == (1, 0, 0, 0, 0)
    assert judged(con, "strict", ("label", "colour")) == (0, 0, 0, 0, 1)


def test_all_gold_of_a_missing_row_is_missed_and_rows_outside_the_design_do_not_count() -> None:
    rows = [Row(f"r{place}@prose", "x" * 9, [Gold(0, 4), Gold(5, 9)]) for place in range(3)]
    rows.append(Row("other@prose", "x" * 9, [Gold(0, 4)], in_design=False, in_documents=False))
    said = Answer([Pred(0, 4)])
    answers = {"r0@prose": said, "r1@prose": Answer((), "error"), "other@prose": said}
    con = tables.connect(rows, [Run("a", answers)], design="balanced", documents_design="documents")
    assert judged(con, "strict") == (1, 0, 0, 5, 0)
    assert con.sql("select row_id, n_gold, n_pred from intermediate.entity_counts order by all").fetchall() == [
        ("r0@prose", 2, 1),
        ("r1@prose", 2, 0),
        ("r2@prose", 2, 0),
    ]


def crowded(random: Random, number: int) -> tuple[list[Gold], list[Pred]]:
    """Spans of which many compete for each other."""
    ends = [sorted(random.sample(range(40), 2)) for _ in range(14)]
    gold = [Gold(start, end, random.choice(["PERSON", "LOCATION"])) for start, end in ends[: 5 + number % 3]]
    pred = [Pred(start, end, random.choice(["PERSON", "LOCATION", "made-up"])) for start, end in ends[4:]]
    return gold, pred + [Pred(start, end + 1) for start, end in ends[:2]]


def test_a_hundred_orders_of_spans_and_rows_give_one_answer() -> None:
    random = Random(2)
    cases = [crowded(random, number) for number in range(6)]
    rows, answers = [], {}
    for case, (gold, pred) in enumerate(cases):
        for order in range(100):
            row_id = f"{case}/{order:02}@prose"
            rows.append(Row(row_id, "x" * 41, random.sample(gold, len(gold))))
            answers[row_id] = Answer(random.sample(pred, len(pred)))
    random.shuffle(rows)
    shuffled = dict(random.sample(sorted(answers.items()), len(answers)))
    con = tables.connect(rows, [Run("b"), Run("a", shuffled)], threads=2)
    warehouse.derive(con, ["intermediate.entity_counts"])
    found: dict[str, list[dict[str, Any]]] = {}
    for line in warehouse.rows_of(con, "select * from intermediate.entity_counts where run_id = 'a'"):
        said = {name: line[name] for name in (*entity_oracle.COUNTS, "n_left_out", "by_label")}
        found.setdefault(line["row_id"].split("/")[0], []).append(said)
    orders_of_nervaluate = 0
    for case, (gold, pred) in enumerate(cases):
        want = entity_oracle.counts([Span(*span[:3]) for span in gold], [], [Span(*span[:3]) for span in pred])
        assert found[str(case)] == [want] * 100
        said = {
            str(nervaluate_of(random.sample(gold, len(gold)), random.sample(pred, len(pred)))["strict"])
            for _ in range(20)
        }
        orders_of_nervaluate += len(said) > 1
    assert orders_of_nervaluate > 3


CASE_GOLD = [Gold(0, 10), Gold(12, 19, "LOCATION")]
CASE_PRED = [Pred(0, 19), Pred(0, 10)]


def test_the_case_of_the_docs_depends_on_order_in_nervaluate_and_not_here() -> None:
    section = (ROOT / "docs" / "scoring.md").read_text("utf-8").split("\n## Entities\n")[1].split("\n## ")[0]
    assert all(f"[{span.start}, {span.end})" in section for span in [*CASE_GOLD, *CASE_PRED])
    lines = re.findall(r"^\| (nervaluate|here)[^|]*\| ([^|]*) \|(.*)\|$", section, re.MULTILINE)
    told = {(who, order.strip()): [float(cell) for cell in cells.split("|")] for who, order, cells in lines}
    found = {}
    for order, pred in (("as listed", CASE_PRED), ("turned round", CASE_PRED[::-1])):
        theirs = nervaluate_of(CASE_GOLD, pred)["strict"]
        ours = scored(one_row(CASE_GOLD, pred))["all", "all"]["strict"]
        names = (*(name for name in JUDGED if name != "partial"), "f1")
        found["nervaluate", order] = [getattr(theirs, name) for name in names]
        found["here", order] = [ours[name] for name in names]
    assert found["nervaluate", "as listed"] != found["nervaluate", "turned round"]
    assert found["here", "as listed"] == found["here", "turned round"] == told.pop(("here", "either"))
    assert told == {key: figures for key, figures in found.items() if key[0] == "nervaluate"}


def test_spans_that_all_overlap_end_soon() -> None:
    n_spans = 120
    gold = [Gold(place, 3 * n_spans - place, ["PERSON", "LOCATION"][place % 2]) for place in range(n_spans)]
    pred = [Pred(place, 3 * n_spans - place - 1, ["PERSON", "LOCATION"][place % 2]) for place in range(n_spans)]
    con = tables.connect([Row("r@prose", "x" * 3 * n_spans, gold)], [Run("a", {"r@prose": Answer(pred)})])
    warehouse.derive(con, ["intermediate.entity_counts"])
    [found] = warehouse.rows_of(con, "select * from intermediate.entity_counts")
    assert found["n_overlap_same"] + found["n_overlap_other"] == n_spans
    assert sum(of_label["n_overlap_same"] for of_label in found["by_label"]) == n_spans


def intervals(con: warehouse.Connection) -> list[dict[str, Any]]:
    """Lines of entity_intervals."""
    warehouse.derive(con, ["marts.entity_intervals"])
    return warehouse.rows_of(con, "select * from marts.entity_intervals order by all")


@pytest.mark.parametrize(
    ("gold", "pred", "figures"),
    [
        ([], [], (0, 0, None, None, None)),
        ([], [Pred(0, 1)], (0, 1, 0.0, None, 0.0)),
        ([Gold(0, 1)], [], (1, 0, None, 0.0, 0.0)),
        ([Gold(0, 1)], [Pred(0, 1)], (1, 1, 1.0, 1.0, 1.0)),
        ([Gold(0, 1), Gold(5, 9)], [Pred(0, 60)], (2, 1, 0.0, 0.0, 0.0)),
        ([Gold(0, 1, "EMAIL")], [Pred(0, 60)], (0, 0, None, None, None)),
    ],
    ids=["nothing", "no gold", "no predictions", "one character", "everything marked", "excluded alone"],
)
def test_a_degenerate_row_has_counts_and_what_is_undefined_is_null(gold: Any, pred: Any, figures: Any) -> None:
    con = one_row(gold, pred)
    line = scored(con)["all", "all"]["strict"]
    assert tuple(line[name] for name in ("possible", "actual", "precision", "recall", "f1")) == figures
    found = [one for one in intervals(con) if one["slice_by"] in ("all", "corpus") and one["scheme"] == "strict"]
    assert len(found) == 4  # one document, one corpus: every replicate is the row itself
    f1 = figures[-1]
    assert {(one["f1_low"], one["f1_high"]) for one in found} == {(f1, f1)}
    assert {one["share_incomplete"] for one in found} == {1.0 if f1 is None else 0.0}


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        ([], []),
        ([], [Run("a")]),
        ([Row("r@prose", "")], []),
        ([Row("r@prose", "x", [Gold(0, 1)])], [Run("a", status="not_run")]),
        ([Row("r@prose", "x", [Gold(0, 1)], in_design=False)], [Run("a", {"r@prose": Answer([Pred(0, 1)])})]),
    ],
    ids=["nothing", "no rows", "no runs", "a run that was not run", "an empty design"],
)
def test_where_nothing_is_scored_there_are_no_lines(rows: list[Row], runs: list[Run]) -> None:
    con = tables.connect(rows, runs, design="balanced")
    assert scored(con) == {}
    assert intervals(con) == []


def test_a_run_of_masks_has_no_labels_and_no_scheme_that_asks_for_them() -> None:
    row = Row("r@prose", "x" * 60, [Gold(0, 10), Gold(20, 30)])
    masks, label = Answer([Pred(0, 10, "MASK"), Pred(25, 30, "MASK")]), Answer([Pred(0, 10, "MASK"), Pred(40, 50)])
    con = tables.connect([row], [Run("a", {row.row_id: masks}), Run("b", {row.row_id: label})])
    assert scored(con).keys() == {("all", "all"), ("corpus", "one"), ("carrier", "prose"), ("language", "en")}
    assert scored(con)["all", "all"].keys() == {"exact", "partial"}
    assert judged(con, "partial") == (1, 0, 1, 0, 0)
    assert scored(con, "b")["all", "all"].keys() == {"strict", "exact", "partial", "type"}
    assert ("label", "MASK") in scored(con, "b")
    warehouse.derive(con, entities.MARTS)
    said = entities.sections(con)
    assert said["a"]["schemes_not_applicable"].keys() == {"strict", "type"}
    assert (said["a"]["by_label"], said["b"]["schemes_not_applicable"]) == ({}, {})


def test_a_corpus_without_scored_gold_is_absent_with_its_reason_and_counts() -> None:
    rows = [
        Row("r@prose", "x" * 60, [Gold(0, 10, "EMAIL")], "ids"),
        Row("s@prose", "x" * 60, [Gold(0, 10)], "names"),
    ]
    con = tables.connect(rows, [Run("a", {"r@prose": Answer([Pred(0, 10), Pred(20, 30)]), "s@prose": Answer()})])
    warehouse.derive(con, entities.MARTS)
    said = entities.sections(con)["a"]
    assert said["by_corpus"].keys() == {"names"}
    assert said["not_applicable"] == {
        "ids": {"reason": "no gold span of the corpus is scored", "actual": 1, "n_left_out": 1}
    }
    assert said["overall"]["strict"]["n_left_out"] == 1
