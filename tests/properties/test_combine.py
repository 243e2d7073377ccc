"""Combinations of two runs equal sets of characters, and inherit what is said of their parts."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck import combine, query, runs, score, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests import tables
from tests.built import OPTIONS, PROTOCOL, copy_of_demo
from tests.tables import Answer, Pred, Row, Run

N_CHARS = 12
SPANS = st.lists(
    st.tuples(st.integers(0, N_CHARS - 1), st.integers(1, N_CHARS), st.sampled_from(["PERSON", "LOCATION"]))
    .filter(lambda span: span[0] < span[1])
    .map(lambda span: Pred(*span)),
    max_size=5,
)


def marked(spans: Sequence[Any]) -> set[int]:
    return {char for span in spans for char in range(span[0], span[1])}


def combined(a: Sequence[Pred], b: Sequence[Pred], rule: str) -> list[tuple[int, int, str]]:
    rows = [Row("r", "x" * N_CHARS), Row("s", "x" * N_CHARS)]
    con = tables.connect(
        rows,
        [Run("a", {"r": Answer(a), "s": Answer()}), Run("b", {"r": Answer(b), "s": Answer([Pred(0, 2)], "error")})],
    )
    warehouse.derive(con, ["staging.all_rows", "staging.pred_spans"])
    found = query.named(con, "combined_spans", {"run_a": "a", "run_b": "b", "rule": rule}).to_pylist()
    assert {line["row_id"] for line in found} <= {"r"}
    return [(line["start_char"], line["end_char"], line["label"]) for line in found]


@settings(deadline=None, max_examples=25)
@given(SPANS, SPANS)
def test_combinations_mark_what_sets_of_characters_say(a: list[Pred], b: list[Pred]) -> None:
    union, both, then = (combined(a, b, rule) for rule in ("union", "intersection", "a_then_b"))
    assert set(union) == {(span.start, span.end, span.label) for span in (*a, *b)}
    assert marked(both) == marked(a) & marked(b)
    assert marked(then) == marked(union) == marked(a) | marked(b)
    for label in ("PERSON", "LOCATION"):
        of_a, of_b = ([span for span in spans if span.label == label] for spans in (a, b))
        assert marked([span for span in both if span[2] == label]) == marked(of_a) & marked(b)
        assert marked([span for span in then if span[2] == label]) == marked(of_a) | (marked(of_b) - marked(a))
    assert {(span.start, span.end, span.label) for span in a} <= set(then)


@pytest.fixture
def board(tmp_path: Any) -> Board:
    board = copy_of_demo(tmp_path)
    runs.run_on_board(board, PROTOCOL, PROTOCOL.runs["capitalised-words"])
    return board


def put_together(board: Board, rule: str = "union", **said: Any) -> None:
    plan = combine.plan_of("both", "rules", "capitalised-words", rule)._replace(**said)
    combine.run(board, PROTOCOL, plan)


def test_a_combination_scores_as_a_run_of_its_own(board: Board) -> None:
    put_together(board)
    score.score_board(board, PROTOCOL, OPTIONS)
    recalls = {run: recall(board, run) for run in ("rules", "capitalised-words", "both")}
    assert recalls["both"] >= max(recalls["rules"], recalls["capitalised-words"])
    put_together(board, "intersection")
    score.score_board(board, PROTOCOL, OPTIONS, ["both"])
    assert recall(board, "both") <= min(recalls["rules"], recalls["capitalised-words"])


def recall(board: Board, run: str) -> float:
    from piibench_duck import results

    found: float = results.read_result(board.results / run)["scores"]["mean"]["recall"]
    return found


def test_it_is_refused_once_a_part_has_changed(board: Board) -> None:
    put_together(board)
    path = board.warehouse / "pred_spans" / "rules.parquet"
    con = warehouse.connect()
    select = f"select * from read_parquet({warehouse.quoted(path)}) limit 10"
    inputs = warehouse.about(con, board.warehouse)["pred_spans/rules"]["inputs"]
    warehouse.write(con, select, path, inputs)
    with pytest.raises(
        PiibenchError, match=r"both.parquet was made from pred_spans/rules.parquet.*piibench-duck combine"
    ):
        score.score_board(board, PROTOCOL, OPTIONS)


def test_what_is_said_of_the_parts_is_said_of_it(board: Board) -> None:
    about = PROTOCOL.runs["capitalised-words"]._replace(
        steered={"demo-en": "read by its author"}, conflict_of_interest="ours", credit="Us"
    )
    runs.run_on_board(board, PROTOCOL, about, runs.Asked(restart=True))
    put_together(board, note="a note")
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, ["both"])
    [line] = warehouse.rows_of(con, "select * from contracts.runs")
    assert line["kind"] == "combined"
    of_rules = PROTOCOL.runs["rules"].steered
    assert of_rules is not None
    assert line["steered"] == {**of_rules, "demo-en": f"{of_rules['demo-en']}; read by its author"}
    assert line["conflict_of_interest"] == "These rules are part of piibench-duck; ours"
    assert (line["credit"], line["note"], line["is_pinned"]) == ("Us", "a note", True)
    assert {key: line["settings"][key] for key in ("rule", "run_a", "run_b")} == {
        "rule": "union",
        "run_a": "rules",
        "run_b": "capitalised-words",
    }


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (combine.plan_of("both", "rules", "nobody", "union"), "no run 'nobody'"),
        (combine.plan_of("both", "rules", "rules", "union"), "cannot be combined with itself"),
        (
            combine.plan_of("rules", "rules", "mask-everything", "union"),
            "run 'rules' of board 'demo' is no combination",
        ),
        (combine.plan_of("both", "rules", "mask-everything", "sum"), "no rule 'sum'; there are union, intersection"),
    ],
)
def test_what_cannot_be_combined_is_refused(plan: Any, told: str, tmp_path: Any) -> None:
    with pytest.raises(PiibenchError, match=told):
        combine.run(copy_of_demo(tmp_path), PROTOCOL, plan)


def test_a_combination_of_a_combination_is_refused_once_its_base_has_changed(board: Board) -> None:
    put_together(board)
    combine.run(board, PROTOCOL, combine.plan_of("three", "both", "mask-everything", "union"))
    path = board.warehouse / "pred_spans" / "rules.parquet"
    con = warehouse.connect()
    inputs = warehouse.about(con, board.warehouse)["pred_spans/rules"]["inputs"]
    warehouse.write(con, f"select * from read_parquet({warehouse.quoted(path)}) limit 10", path, inputs)
    with pytest.raises(PiibenchError, match=r"both.parquet was made from pred_spans/rules.parquet"):
        score.score_board(board, PROTOCOL, OPTIONS, ["three"])


def test_a_combination_is_not_made_of_itself(board: Board) -> None:
    put_together(board)
    combine.run(board, PROTOCOL, combine.plan_of("three", "both", "mask-everything", "union"))
    with pytest.raises(PiibenchError, match="run 'both' is a part of three or rules"):
        combine.run(board, PROTOCOL, combine.plan_of("both", "three", "rules", "union"))
