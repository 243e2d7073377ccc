"""Runs on a board: predictions are made once and serve every design, and only what changed is predicted again."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from piibench_duck import build, run_state, runs, warehouse
from piibench_duck.places import Board
from piibench_duck.runners import Answer, Detector, Text
from tests.built import PROTOCOL
from tests.unit.test_boards import build_again

PLAN = PROTOCOL.runs["mask-everything"]


class Counting:
    """A detector that counts what it is given."""

    def __init__(self, detector: Detector, seen: list[str]) -> None:
        self.detector, self.seen, self.description = detector, seen, detector.description

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        assert all(type(text) is Text and text._fields == ("row_id", "text") for text in texts)  # so never any gold
        self.seen += [text.row_id for text in texts]
        return self.detector(texts)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Row ids that the detector was given, in order."""
    given: list[str] = []
    load = runs.load
    monkeypatch.setattr(runs, "load", lambda plan: Counting(load(plan), given))
    return given


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    board = Board("demo", tmp_path / "warehouse", tmp_path / "results", None)
    build.build(board, PROTOCOL)
    return board


def design(board: Board, name: str) -> set[str]:
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse)
    found = con.sql("select row_id from contracts.designs where design = $name", params={"name": name})
    return {row_id for (row_id,) in found.fetchall()}


def run(board: Board, *designs: str) -> str:
    return runs.run_on_board(board, PROTOCOL, PLAN, runs.Asked(designs=designs or None)).state


def answers(board: Board) -> list[bytes]:
    return [(board.warehouse / table / "mask-everything.parquet").read_bytes() for table in ("run_rows", "pred_spans")]


def test_what_one_design_was_answered_serves_the_next(board: Board, seen: list[str]) -> None:
    assert run(board, "balanced") == "ran"
    assert set(seen) == design(board, "balanced")
    seen.clear()
    assert run(board, "balanced") == "kept"
    assert run(board) == "ran"
    assert set(seen) == design(board, "paired") - design(board, "balanced")
    in_parts = answers(board)
    assert run(board) == "kept"
    assert run(board, "balanced") == "kept"
    assert runs.run_on_board(board, PROTOCOL, PLAN, runs.Asked(restart=True)).state == "ran"
    assert answers(board) == in_parts


def test_only_rows_of_files_that_changed_are_predicted_again(board: Board, seen: list[str]) -> None:
    run(board)
    seen.clear()
    build_again(
        board, "update contracts.rows set text = text || '.', n_chars = n_chars + 1 where row_id like 'demo-en%@xml'"
    )
    assert run(board) == "ran"
    assert seen
    assert all(row_id.startswith("demo-en") and row_id.endswith("@xml") for row_id in seen)
    assert set(seen) == {
        row_id for row_id in design(board, "paired") if row_id.startswith("demo-en") and "@xml" in row_id
    }


def test_answers_to_changed_texts_that_are_not_in_the_run_yet_are_not_asked_for_again(
    board: Board, seen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(board)
    build_again(
        board, "update contracts.rows set text = text || '.', n_chars = n_chars + 1 where row_id like 'demo-en%@xml'"
    )
    with monkeypatch.context() as patch:
        patch.setattr(run_state, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(board)
    seen.clear()
    assert run(board) == "ran"
    assert seen == []
    assert not [path for path in (board.warehouse / "chunks").iterdir() if path.is_dir()]


def interrupted(*of: object) -> None:
    raise KeyboardInterrupt


def test_answers_of_another_design_are_kept_when_the_model_is_gone(board: Board, seen: list[str]) -> None:
    run(board, "balanced")
    gone = PLAN._replace(runner="onnx", model="package:there-is-no-such-package")
    before = answers(board)
    outcome = runs.run_on_board(board, PROTOCOL, gone)
    assert (outcome.state, answers(board)) == ("kept", before)
    assert "there-is-no-such-package" in str(outcome.why)


def test_rows_that_are_gone_take_their_answers_with_them(board: Board, seen: list[str]) -> None:
    run(board)
    seen.clear()
    gone = "row_id like 'demo-en%@csv'"
    build_again(
        board,
        "; ".join(
            f"delete from contracts.{table} where {gone}" for table in ("rows", "gold_spans", "alignments", "designs")
        ),
    )
    assert run(board) == "ran"
    assert seen == []
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse)
    assert con.sql(f"select count(*) from contracts.run_rows where {gone}").fetchall() == [(0,)]
    assert con.sql("select count(*) from contracts.run_rows").fetchall() == [(len(design(board, "paired")),)]


def test_a_run_of_an_older_version_is_answered_again(board: Board, seen: list[str]) -> None:
    run(board, "balanced")
    con = warehouse.connect()
    path = board.warehouse / "runs" / "mask-everything.parquet"
    inputs = warehouse.about(con, board.warehouse)["runs/mask-everything"]["inputs"]
    con.execute(f"create table older as select * exclude (publisher) from read_parquet({warehouse.quoted(path)})")
    warehouse.write(con, "select * from older", path, inputs)
    seen.clear()
    assert run(board, "balanced") == "ran"
    assert set(seen) == design(board, "balanced")


def test_answers_that_are_still_true_outlive_a_detector_that_cannot_be_had(board: Board, seen: list[str]) -> None:
    run(board, "balanced")
    gone = PLAN._replace(runner="onnx", model="package:there-is-no-such-package")
    before = answers(board)
    assert runs.run_on_board(board, PROTOCOL, gone, runs.Asked(restart=True)).state == "kept"
    assert answers(board) == before
    build_again(
        board, "update contracts.rows set text = text || '.', n_chars = n_chars + 1 where row_id like 'demo-en%@xml'"
    )
    assert runs.run_on_board(board, PROTOCOL, gone).state == "kept"
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse)
    kept = {row_id for (row_id,) in con.sql("select row_id from contracts.run_rows").fetchall()}
    changed = {row_id for row_id in design(board, "balanced") if row_id.startswith("demo-en") and "@xml" in row_id}
    assert changed
    assert kept == design(board, "balanced") - changed
