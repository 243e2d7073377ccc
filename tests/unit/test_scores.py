"""Scoring of small boards and files by hand: what is undefined, what is missing, what is refused."""

from pathlib import Path
from typing import Any

import pytest

from piibench_duck import results, score, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tables as columns
from piibench_duck.places import Board
from tests import tables
from tests.built import OPTIONS, PROTOCOL, copy_of_demo, demo_board
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

MARTS = [*score.SCORE_MARTS, "marts.comparisons"]


def scored(rows: list[Row], runs: list[Run], **settings: Any) -> warehouse.Connection:
    """A small board with its marts."""
    con = tables.connect(rows, runs, **settings)
    warehouse.derive(con, MARTS)
    return con


def line(con: warehouse.Connection, table: str, where: str = "true") -> dict[str, Any]:
    """The one row of a table that there is."""
    [found] = warehouse.rows_of(con, f"select * from {table} where {where}")
    return found


def test_a_corpus_without_a_value_is_left_out_of_the_mean() -> None:
    rows = [Row("a", "Anna", [Gold(0, 4)], "one"), Row("b", "Anna", [Gold(0, 4)], "two"), Row("c", "none", [], "three")]
    answers = {"a": Answer([Pred(0, 4)]), "b": Answer([Pred(0, 2)]), "c": Answer()}
    con = scored(rows, [Run("run", answers)])
    mean = line(con, "marts.mean_scores")
    assert (mean["precision"], mean["recall"], mean["n_corpora"]) == (1.0, 0.75, 2)
    assert mean["f1"] == (1 + 2 / 3) / 2
    three = line(con, "marts.scores", "slice = 'three'")
    assert [three[name] for name in ("precision", "recall", "f1", "touch_rate")] == [None] * 4


def test_the_touch_rate_is_the_mean_over_corpora_with_identifiers() -> None:
    rows = [
        Row("a", "a@b.c d@e.f", [Gold(0, 5, "EMAIL"), Gold(6, 11, "EMAIL")], "one"),
        Row("b", "a@b.c", [Gold(0, 5, "EMAIL")], "two"),
        Row("c", "Anna", [Gold(0, 4)], "three"),
    ]
    con = scored(rows, [Run("run", {"a": Answer([Pred(0, 5)]), "b": Answer(), "c": Answer([Pred(0, 4)])})])
    assert line(con, "marts.mean_scores")["touch_rate"] == 0.25


def test_a_run_that_marks_nothing_has_recall_and_f1_but_no_precision() -> None:
    con = scored([Row("a", "Anna", [Gold(0, 4)])], [Run("run", {"a": Answer()})])
    mean = line(con, "marts.mean_scores")
    assert (mean["precision"], mean["recall"], mean["f1"]) == (None, 0.0, 0.0)


def test_a_board_without_gold_and_predictions_has_no_figures_and_no_intervals() -> None:
    con = scored([Row("a", "none")], [Run("one", {"a": Answer()}), Run("two", {"a": Answer()})])
    assert line(con, "marts.mean_scores", "run_id = 'one'")["f1"] is None
    interval = line(con, "marts.score_intervals", "unit = 'row' and run_id = 'one'")
    assert (interval["f1_low"], interval["f1_high"], interval["share_incomplete"]) == (None, None, 1.0)
    compared = line(con, "marts.comparisons", "unit = 'row' and run_a = 'one'")
    names = ("difference", "difference_low", "difference_high", "p_value", "smallest_detectable")
    assert [compared[name] for name in names] == [None] * 5
    assert (compared["n_corpora"], compared["n_replicates"]) == (0, 0)


def test_an_error_is_no_answer_but_a_truncated_answer_is_one() -> None:
    rows = [Row(name, "Anna", [Gold(0, 4)]) for name in "abc"]
    con = scored(rows, [Run("run", {"a": Answer((), "error"), "b": Answer([Pred(0, 4)], "truncated")})])
    mean = line(con, "marts.mean_scores")
    assert (mean["n_rows"], mean["n_rows_missing"]) == (3, 2)
    scores = line(con, "marts.scores", "slice_by = 'corpus'")
    assert (scores["tp"], scores["fn"]) == (4, 8)


def test_corpora_carriers_and_languages_are_slices_of_the_same_counts() -> None:
    rows = [
        Row("a", "Anna", [Gold(0, 4)], "one", carrier="json", language="en"),
        Row("b", "Anna", [Gold(0, 4)], "one", carrier="prose", language="de"),
        Row("c", "Anna", [Gold(0, 4)], "two", carrier="prose", language="en"),
    ]
    con = scored(rows, [Run("run", {"a": Answer([Pred(0, 1)]), "b": Answer([Pred(0, 2)]), "c": Answer([Pred(0, 3)])})])
    found = con.sql("select slice_by, slice, tp, fn, n_rows from marts.scores order by all").fetchall()
    assert found == [
        ("carrier", "json", 1, 3, 1),
        ("carrier", "prose", 5, 3, 2),
        ("corpus", "one", 3, 5, 2),
        ("corpus", "two", 3, 1, 1),
        ("language", "de", 2, 2, 1),
        ("language", "en", 4, 4, 2),
    ]


def test_a_type_has_recall_and_overlapping_types_share_characters() -> None:
    gold = [Gold(0, 9, "ORGANIZATION"), Gold(5, 9, "LOCATION")]
    con = scored([Row("a", "Bank Bonn", gold)], [Run("run", {"a": Answer([Pred(5, 8)])})])
    found = con.sql("select type, tp, fn, recall from marts.type_scores order by type").fetchall()
    assert found == [("LOCATION", 3, 1, 0.75), ("ORGANIZATION", 3, 6, 1 / 3)]


def test_spans_that_begin_together_are_merged_whatever_the_order_in_which_a_window_meets_them() -> None:
    rows = [
        Row(f"r{index:03}", "x" * 200, [Gold(6, 22), Gold(7, 21), *(Gold(103, 113 + n, label) for n, label in ends)])
        for index in range(200)
        for ends in [[(n * (index % 7), label) for n, label in enumerate(("PERSON", "LOCATION", "PERSON", "ADDRESS"))]]
    ]
    con = tables.connect(rows, [Run("run", {row.row_id: Answer() for row in rows})], threads=2)
    warehouse.derive(con, ["intermediate.row_counts"])
    want = {row.row_id: 16 + max(span.end for span in row.gold) - 103 for row in rows}
    assert dict(con.sql("select row_id, fn from intermediate.row_counts").fetchall()) == want


def test_scaffold_counts_are_null_where_no_row_has_an_alignment_and_sums_where_some_have() -> None:
    rows = [
        Row("a", "{Anna}", [Gold(1, 5)], "one", alignments=[Stretch(1, 5, "copied", 0, 4)]),
        Row("b", "Anna", [Gold(0, 4)], "one"),
        Row("c", "Anna", [Gold(0, 4)], "two"),
    ]
    con = scored(rows, [Run("run", {row.row_id: Answer([Pred(0, len(row.text))]) for row in rows})])
    assert [line(con, "marts.scores", f"slice = '{name}'")["scaffold_fp"] for name in ("one", "two")] == [2, None]


def test_a_row_of_a_twin_id_in_two_corpora_cannot_be() -> None:
    con = tables.connect([Row("a", "x", corpus="one"), Row("a", "x", corpus="two")], [])
    with pytest.raises(PiibenchError, match="row ids are unique"):
        warehouse.check(con)


def test_documents_of_one_id_in_two_corpora_are_two_units() -> None:
    rows = [Row(f"{corpus}{place}", "Anna", [Gold(0, 4)], corpus, "d1") for corpus in ("one", "two") for place in "ab"]
    con = scored(rows, [Run("run", {row.row_id: Answer([Pred(0, 4)]) for row in rows})])
    found = con.sql("select unit, corpus, count(*) from intermediate.units group by all order by all").fetchall()
    assert found == [("document", "one", 1), ("document", "two", 1), ("row", "one", 2), ("row", "two", 2)]


def files() -> tuple[columns.Rows, columns.Predictions]:
    """A rows file of two rows and predictions for one of them, as the door gives them."""
    rows, gold = columns.empty(columns.ROW_COLUMNS), columns.empty(columns.GOLD_COLUMNS)
    for name in ("a", "b"):
        row = {"id": name, "text": "Anna", "spans": [{"start": 0, "end": 4, "label": "whatever"}]}
        columns.append_row(rows, row)
        columns.append_gold(gold, row)
    answered, spans = columns.empty(columns.RUN_ROW_COLUMNS), columns.empty(columns.PRED_COLUMNS)
    columns.append(answered, "a", "ok", 4)
    columns.append_preds(spans, {"id": "a", "spans": [{"start": 0, "end": 2, "label": "x"}]})
    return (
        columns.Rows(rows, gold, columns.empty(columns.ALIGNMENT_COLUMNS), "ab12"),
        columns.Predictions(answered, spans, ["b"], "cd34"),
    )


def test_a_result_of_files_names_their_bytes_and_no_board(tmp_path: Path) -> None:
    rows, answered = files()
    score.score_files(rows, answered, "it's", tmp_path, PROTOCOL, OPTIONS)
    found = results.read_result(tmp_path)
    said = found["_provenance"]
    assert (found["model"], found["kind"], found["n_rows"], found["n_rows_missing"]) == ("it's", "file", 2, 1)
    assert (said["rows_sha256"], said["board"], said["design"], len(said["rows_digest"])) == ("ab12", None, None, 64)
    of_type = found["scores"]["by_type"]["OTHER"]
    assert (of_type["tp"], of_type["fn"], of_type["recall"]) == (2, 6, 0.25)
    assert of_type["intervals"]["row"]["recall"] == [0.0, 0.5]  # rows of 0 and of 2 of their 4 characters
    assert found["intervals"]["seed"] == OPTIONS.seed
    assert found["intervals"]["replicates"] == OPTIONS.replicates


def test_files_are_compared_and_a_file_with_itself_differs_by_nothing() -> None:
    rows, answered = files()
    nothing = answered._replace(pred_spans=columns.empty(columns.PRED_COLUMNS))
    for unit in ("row", "document"):
        found = score.compare_files(rows, answered, nothing, unit, OPTIONS)
        assert (found["unit"], found["difference"], found["n_replicates"]) == (unit, 4 / 10, OPTIONS.replicates)
        assert len(found["rows_digest"]) == 64
        same = score.compare_files(rows, answered, answered, unit, OPTIONS)
        assert (same["difference"], same["difference_low"], same["difference_high"], same["p_value"]) == (0, 0, 0, 1)


def test_a_comparison_the_other_way_round_is_its_mirror() -> None:
    board = demo_board()
    one = score.compare_runs(board, PROTOCOL, "rules", "mask-everything", "row", OPTIONS)
    other = score.compare_runs(board, PROTOCOL, "mask-everything", "rules", "row", OPTIONS)
    assert one["difference"] == -other["difference"]
    assert one["difference_low"] == pytest.approx(-other["difference_high"], abs=1e-12)
    assert one["p_value"] == other["p_value"]
    assert one["smallest_detectable"] == pytest.approx(other["smallest_detectable"], rel=1e-12)
    whole = [results.read_result(board.results / run)["scores"]["mean"]["f1"] for run in ("rules", "mask-everything")]
    assert one["difference"] == pytest.approx(whole[0] - whole[1], abs=1e-12)


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(PiibenchError, match="run 'rules' cannot be compared with itself"):
        score.compare_runs(demo_board(), PROTOCOL, "rules", "rules", "row", OPTIONS)


@pytest.fixture
def with_missing(tmp_path: Path) -> Board:
    """A board on which `rules` did not answer three rows."""
    board = copy_of_demo(tmp_path)
    con = warehouse.connect(1)
    path = board.warehouse / "run_rows" / "rules.parquet"
    said = warehouse.about(con, board.warehouse)["run_rows/rules"]
    con.execute(f"create table answers as select * from read_parquet({warehouse.quoted(path)})")
    con.execute(
        "create table ranked as select row_id from read_parquet("
        f"{warehouse.quoted(board.warehouse / 'designs' / 'build.parquet')}) where design = 'balanced'"
    )
    con.execute("update answers set status = 'error' where row_id in (select row_id from ranked order by 1 limit 3)")
    con.execute(
        "create table spans as select * from "
        f"read_parquet({warehouse.quoted(board.warehouse / 'pred_spans' / 'rules.parquet')}) "
        "where row_id not in (select row_id from answers where status = 'error')"
    )
    warehouse.write(con, "from answers", path, said["inputs"])
    warehouse.write(con, "from spans", board.warehouse / "pred_spans" / "rules.parquet", said["inputs"])
    return board


def test_missing_rows_are_refused_before_anything_is_written_and_counted_where_allowed(with_missing: Board) -> None:
    board = with_missing
    before = {path: path.read_bytes() for path in board.results.rglob("*") if path.is_file()}
    with pytest.raises(PiibenchError, match=r"missing_rows: rows not answered by 'rules' \(3\); .*--allow-missing"):
        score.score_board(board, PROTOCOL, OPTIONS)
    assert {path: path.read_bytes() for path in board.results.rglob("*") if path.is_file()} == before
    with pytest.raises(PiibenchError, match="missing_rows"):
        score.compare_runs(board, PROTOCOL, "mask-everything", "rules", "row", OPTIONS)
    score.score_board(board, PROTOCOL, OPTIONS._replace(allow_missing=True))
    found = results.read_result(board.results / "rules")
    assert found["n_rows_missing"] == 3
    assert sum(corpus["n_rows_missing"] for corpus in found["scores"]["by_corpus"].values()) == 3


def test_one_run_can_be_scored_alone_with_the_same_result(tmp_path: Path) -> None:
    board = copy_of_demo(tmp_path)
    before = (board.results / "rules" / "result.json").read_bytes()
    (board.results / "rules" / "result.json").unlink()
    assert score.score_board(board, PROTOCOL, OPTIONS, ["rules"]) == ["rules"]
    assert (board.results / "rules" / "result.json").read_bytes() == before
