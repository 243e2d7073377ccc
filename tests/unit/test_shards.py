"""Shards of a run: parts that fit, put together into what one process would have written."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from piibench_duck import run_state, runs, shards, warehouse
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.places import Board
from piibench_duck.runners import Answer, Detector, Text
from piibench_duck.shards import Shard, of_row, parse
from tests.built import PROTOCOL, copy_of_demo

PLAN = PROTOCOL.runs["capitalised-words"]
TABLES = ("run_rows", "pred_spans", "runs")


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """The demo board, built, without any run."""
    board = copy_of_demo(tmp_path)
    for table in warehouse.RUN_TABLES:
        for path in (board.warehouse / table).glob("[a-z]*.parquet"):
            path.unlink()
    return board


def answer(board: Board, shard: str | None = None, merge: int | None = None) -> runs.Outcome:
    asked = runs.Asked(designs=["balanced"], shard=parse(shard) if shard else None, merge=merge)
    return runs.run_on_board(board, PROTOCOL, PLAN, asked)


def files(board: Board) -> list[bytes]:
    return [(board.warehouse / table / f"{PLAN.name}.parquet").read_bytes() for table in TABLES]


def folders(board: Board) -> list[Path]:
    return sorted(path for path in (board.warehouse / "chunks").iterdir() if path.is_dir())


def test_shards_put_together_are_what_one_process_writes(board: Board) -> None:
    for part in (3, 1, 2):
        assert answer(board, f"{part}/3").state == "answered"
    assert not (board.warehouse / "runs" / f"{PLAN.name}.parquet").exists()
    assert answer(board, merge=3).state == "ran"
    in_parts = files(board)
    assert folders(board) == []
    assert runs.run_on_board(board, PROTOCOL, PLAN, runs.Asked(designs=["balanced"], restart=True)).state == "ran"
    assert files(board) == in_parts


def test_shards_whose_merge_was_killed_while_it_tidied_up_are_tidied_by_the_next(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (1, 2):
        answer(board, f"{part}/2")
    with monkeypatch.context() as patch:
        patch.setattr(run_state, "clear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            answer(board, merge=2)
    written = files(board)
    assert len(folders(board)) == 2
    assert answer(board, merge=2).state == "kept"
    assert (folders(board), files(board)) == ([], written)


def test_an_attempt_that_was_killed_while_it_tidied_up_is_tidied_by_the_next(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(run_state, "clear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            answer(board)
    assert len(folders(board)) == 1
    assert answer(board).state == "kept"
    assert folders(board) == []


def test_an_attempt_that_is_not_in_the_run_yet_is_not_tidied_away(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(board)
    paired = runs.Asked(designs=["paired"])
    with monkeypatch.context() as patch:
        patch.setattr(run_state, "write", lambda *of: interrupted([]))
        with pytest.raises(KeyboardInterrupt):
            runs.run_on_board(board, PROTOCOL, PLAN, paired)
    there = folders(board)
    assert len(there) == 1
    assert answer(board).state == "kept"
    assert folders(board) == there
    assert runs.run_on_board(board, PROTOCOL, PLAN, paired).state == "ran"
    assert folders(board) == []


def interrupted(folders: Sequence[Path]) -> None:
    raise KeyboardInterrupt


def test_a_missing_shard_is_named(board: Board) -> None:
    answer(board, "1/3")
    answer(board, "3/3")
    with pytest.raises(PiibenchError, match="shard 2/3 of run 'capitalised-words' is not there"):
        answer(board, merge=3)
    answer(board, "2/3")
    assert answer(board, merge=3).state == "ran"


def test_a_shard_of_another_number_of_parts_does_not_fit(board: Board) -> None:
    answer(board, "1/2")
    answer(board, "2/3")
    with pytest.raises(PiibenchError, match="shard 2/2 of run 'capitalised-words' is not there"):
        answer(board, merge=2)


def test_an_unfinished_shard_is_not_put_together(board: Board) -> None:
    answer(board, "1/2")
    answer(board, "2/2")
    chunk = next(folder for folder in folders(board) if folder.name.endswith("-2-of-2")) / "000000.parquet"
    chunk.unlink()
    with pytest.raises(PiibenchError, match=r"shard 2/2 of run .capitalised-words.: 000000\.parquet is missing"):
        answer(board, merge=2)


def test_shards_of_other_settings_are_refused(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(board, "1/2")
    load = runs.load

    class Other:
        def __init__(self, detector: Detector) -> None:
            self.detector = detector
            self.description = detector.description._replace(settings={"threshold": "0.5"})

        def __call__(self, texts: Sequence[Text]) -> list[Answer]:
            return self.detector(texts)

    monkeypatch.setattr(runs, "load", lambda plan: Other(load(plan)))
    answer(board, "2/2")
    with pytest.raises(PiibenchError, match="shard 2/2 of run 'capitalised-words' was made with other settings"):
        answer(board, merge=2)


def test_a_shard_that_answers_another_ones_rows_is_refused(board: Board) -> None:
    answer(board, "1/2")
    answer(board, "2/2")
    first, second = folders(board)
    shutil.rmtree(second)
    shutil.copytree(first, second)
    with pytest.raises(PiibenchError, match=r"shard 2/2 of run 'capitalised-words': 000000\.parquet is damaged, or"):
        answer(board, merge=2)


def test_shards_of_changed_texts_are_refused(board: Board) -> None:
    answer(board, "1/2")
    answer(board, "2/2")
    for folder in folders(board):
        folder.rename(folder.with_name(f"{PLAN.name}-{'0' * 12}{folder.name[-7:]}"))
    with pytest.raises(PiibenchError, match="shard 1/2 of run 'capitalised-words' answers other texts"):
        answer(board, merge=2)


def test_folders_of_texts_that_are_no_more_do_not_stand_in_the_way(board: Board) -> None:
    answer(board, "1/2")
    answer(board, "2/2")
    for folder in folders(board):
        shutil.copytree(folder, folder.with_name(f"{PLAN.name}-{'f' * 12}{folder.name[-7:]}"))
    assert answer(board, merge=2).state == "ran"


def test_each_row_is_of_one_shard_whatever_other_rows_there_are() -> None:
    row_ids = [f"corpus/d{index}#0@prose" for index in range(2000)]
    parts = [of_row(row_id, 8) for row_id in row_ids]
    assert set(parts) == set(range(1, 9))
    assert all(200 <= parts.count(part) <= 300 for part in set(parts))
    assert of_row("corpus/d7#0@prose", 8) == parts[7]


def test_the_shards_of_a_count_are_all_its_parts() -> None:
    assert shards.all_of(2) == [Shard(1, 2), Shard(2, 2)]


@pytest.mark.parametrize("said", ["", "2", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/99999", "١/٢"])
def test_what_is_no_shard_is_wrong_usage(said: str) -> None:
    with pytest.raises(WrongUsageError, match="--shard"):
        parse(said)
