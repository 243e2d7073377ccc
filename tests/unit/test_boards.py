"""A board's folder: generations never mix, crashes leave nothing behind, and writers do not disturb each other."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from piibench_duck import boards, runs, score, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests import tables
from tests.built import OPTIONS, PROTOCOL, copy_of_demo, demo_board
from tests.tables import Gold, Row

DEAD_PID = 2**22 + 1  # above the largest process id that Linux gives out


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """A copy of the demo board."""
    return copy_of_demo(tmp_path)


def open_board(board: Board) -> warehouse.Connection:
    """What `sql` and `export` open."""
    return boards.open_to_read(board.warehouse, board.name, PROTOCOL)


def build_again(board: Board, change: str) -> None:
    """What a build writes whose rows came out differently."""
    con = warehouse.connect(1)
    for table in ("rows", "gold_spans", "alignments", "designs", "source_labels", "taxonomy", "label_map"):
        pattern = warehouse.quoted(board.warehouse / table / "*.parquet")
        con.execute(f"insert into contracts.{table} by name select * from read_parquet({pattern})")
    con.execute(change)
    boards.write_rows(con, board.warehouse)


def first(board: Board, table: str) -> Path:
    """The first file of a table that has rows."""
    return min(path for path in (board.warehouse / table).glob("*.parquet") if path.name != warehouse.EMPTY)


def score_again(board: Board) -> None:
    score.score_board(board, PROTOCOL, OPTIONS)


def test_a_board_that_was_just_scored_opens(board: Board) -> None:
    assert open_board(board).sql("select count(*) from marts.mean_scores").fetchall() == [(2,)]


def test_predictions_of_other_texts_are_refused_until_they_are_made_again(board: Board) -> None:
    build_again(board, "update contracts.rows set text = replace(text, 'e', 'é') where carrier = 'json'")
    told = r"made from rows/demo-\S+@json\.parquet, which has changed since; run `piibench-duck predict` again"
    for attempt in (score_again, open_board):
        with pytest.raises(PiibenchError, match=told):
            attempt(board)
    for run in ("mask-everything", "rules"):
        assert runs.run_on_board(board, PROTOCOL, PROTOCOL.runs[run]).state == "ran"
    score_again(board)
    open_board(board)


def test_predictions_survive_gold_that_was_mended_but_scores_do_not(board: Board) -> None:
    build_again(board, "update contracts.gold_spans set source_label = 'OTHER' where span_id = 0")
    assert runs.run_on_board(board, PROTOCOL, PROTOCOL.runs["rules"]).state == "kept"
    with pytest.raises(
        PiibenchError, match=r"made from gold_spans/.*has changed since; run `piibench-duck score` again"
    ):
        open_board(board)
    score_again(board)
    open_board(board)


def test_scores_are_refused_after_a_run_predicted_again(board: Board) -> None:
    con = warehouse.connect(1)
    inputs = warehouse.about(con, board.warehouse)["runs/rules"]["inputs"]
    path = board.warehouse / "pred_spans" / "rules.parquet"
    select = f"select * from read_parquet({warehouse.quoted(path)}) where start_char > 3"
    con.execute(f"create table answers as {select}")
    warehouse.write(con, "select * from answers", path, inputs)
    with pytest.raises(
        PiibenchError, match=r"/rules\.parquet was made from pred_spans/rules\.parquet, which has changed"
    ):
        open_board(board)
    score_again(board)
    open_board(board)


def test_a_run_that_could_not_run_this_time_takes_its_old_scores_with_it(board: Board) -> None:
    plan = PROTOCOL.runs["rampart"]._replace(name="rules", model="package:there-is-no-such-package")
    assert runs.run_on_board(board, PROTOCOL, plan).state == "kept"  # its answers are still those of these rows
    assert runs.run_on_board(board, PROTOCOL, plan, runs.Asked(restart=True)).state == "kept"
    (board.warehouse / "pred_spans" / "rules.parquet").unlink()  # and now they are no more
    outcome = runs.run_on_board(board, PROTOCOL, plan)
    assert outcome.state == "not_run"
    assert "there-is-no-such-package" in str(outcome.why)
    score_again(board)
    con = open_board(board)
    assert con.sql("select distinct run_id from marts.scores").fetchall() == [("mask-everything",)]
    assert sorted(path.name for path in (board.results / "rules").iterdir()) == ["meta.json", "result.json"]


def test_scores_of_another_label_map_are_refused_until_they_are_made_again(board: Board) -> None:
    con = warehouse.connect(1)
    warehouse.fill_seeds(con)
    con.execute("update contracts.label_map set type = 'ignored', reason = 'r' where source_label = 'DATE_TIME'")
    boards.write_seeds(con, board.warehouse)
    with pytest.raises(PiibenchError, match=r"made from label_map/seed\.parquet, which has changed since; .*score"):
        open_board(board)
    score_again(board)
    open_board(board)


def test_gold_of_an_earlier_build_beside_new_rows_is_refused(board: Board) -> None:
    path = first(board, "gold_spans")
    before = path.read_bytes()
    build_again(board, "update contracts.rows set text = replace(text, 'e', 'é')")
    path.write_bytes(before)
    with pytest.raises(
        PiibenchError, match=rf"gold_spans/{path.name} was made from rows/.*`piibench-duck build` again"
    ):
        score_again(board)


def test_a_file_whose_input_is_gone_is_refused_by_name(board: Board) -> None:
    path = first(board, "rows")
    path.unlink()
    with pytest.raises(PiibenchError, match=rf"was made from rows/{path.name}, which is not there"):
        score_again(board)


@pytest.mark.parametrize("table", ["rows", "gold_spans", "pred_spans", "row_counts", "label_map"])
@pytest.mark.parametrize("size", [0, 100])
def test_a_truncated_file_is_named_in_one_sentence(table: str, size: int, board: Board) -> None:
    path = first(board, table)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(PiibenchError, match=rf"^{table}/{path.name} in .* is not a whole Parquet file") as refused:
        open_board(board)
    assert "\n" not in str(refused.value)


def test_what_killed_writers_left_is_swept_and_what_others_are_writing_is_not(board: Board) -> None:
    left = [board.warehouse / "rows" / f".x.parquet.{DEAD_PID}", board.warehouse / f".piibench.duckdb.{DEAD_PID}"]
    busy = board.warehouse / "rows" / f".y.parquet.{os.getpid()}"
    for path in (*left, busy):
        path.touch()
    score_again(board)
    assert [path for path in left if path.exists()] == []
    assert busy.exists()


def test_a_board_that_was_not_built_says_so(tmp_path: Path) -> None:
    board = Board("demo", tmp_path / "warehouse", tmp_path / "results", None)
    for attempt in (score_again, open_board):
        with pytest.raises(PiibenchError, match="board 'demo' has not been built; run `piibench-duck build"):
            attempt(board)
    assert not list(tmp_path.iterdir())


def test_a_run_that_is_not_there_is_named_with_those_that_are(board: Board) -> None:
    with pytest.raises(PiibenchError, match="no run 'rule'; there are mask-everything, rules"):
        score.score_board(board, PROTOCOL, OPTIONS, ["rule"])


def test_corpora_of_any_name_keep_to_their_folder_and_old_ones_go(tmp_path: Path) -> None:
    names = ["a/b", "..", "x y", "50%", "ünï", "it's", "a*b", "q?[1]"]
    con = tables.connect([Row(f"{name}-1", "Anna", [Gold(0, 4)], name) for name in names], [])
    boards.write_rows(con, tmp_path / "w")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["w"]
    assert len(list((tmp_path / "w" / "rows").glob("*.parquet"))) == len(names) + 1
    read = warehouse.connect(1)
    boards.verify(read, tmp_path / "w")
    warehouse.attach(read, tmp_path / "w")
    assert sorted(name for (name,) in read.sql("select corpus from contracts.rows").fetchall()) == sorted(names)
    con.execute("delete from contracts.rows where corpus != 'x y'")
    boards.write_rows(con, tmp_path / "w")
    assert len(list((tmp_path / "w" / "rows").iterdir())) == 2  # the one writer's, and the zero-row file


def test_the_catalog_answers_any_client_from_any_folder(board: Board) -> None:
    boards.write_catalog(board, PROTOCOL)
    script = (
        "import duckdb, sys; con = duckdb.connect(sys.argv[1], read_only=True); "
        "print(con.sql('select run_id from marts.mean_scores order by f1 desc limit 1').fetchall()[0][0])"
    )
    path = board.warehouse / boards.CATALOG
    said = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, cwd="/", check=True)
    assert said.stdout.strip() in ("rules", "mask-everything")
    assert not [left for left in board.warehouse.iterdir() if left.name.startswith(".")]


def test_two_processes_that_score_at_the_same_time_both_end_well_with_the_same_bytes(board: Board) -> None:
    def written() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for folder in (board.warehouse, board.results)
            for path in folder.rglob("*")
            if path.is_file() and path.name != "meta.json"
        }

    before = written()
    for path in board.results.rglob("*.parquet"):
        path.unlink()
    script = (
        "import sys; from pathlib import Path; from tests.built import OPTIONS, PROTOCOL; "
        "from piibench_duck import score; from piibench_duck.places import Board; "
        "board = Board('demo', Path(sys.argv[1]), Path(sys.argv[2]), None); "
        "[score.score_board(board, PROTOCOL, OPTIONS) for again in range(2)]"
    )
    folder = Path(__file__).parent.parent.parent
    command = [sys.executable, "-c", script, str(board.warehouse), str(board.results)]
    both = [subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [("", 0)] * 2
    assert written() == before


def test_the_built_demo_board_is_left_as_it_was() -> None:
    open_board(demo_board())


def own_board(folder: Path, *rows: Row) -> Board:
    """A folder board with these rows, built."""
    con = tables.connect(rows, [])
    target = Board("own", folder / "warehouse", folder / "results", folder)
    warehouse.fill_seeds(con)
    boards.write_rows(con, target.warehouse)
    return target


@pytest.mark.parametrize(
    "pairs",
    [
        [("a", "b@c"), ("a@b", "c"), ("a@b", "d")],
        [(" 00", "p"), ("\u2000", "p"), ("%2000", "p")],
        [("a", "p"), (".a.parquet.999999.b", "p"), ("..", "p"), ("_empty", "p"), ("build", "p")],
        [("é" * 300, "p"), ("é" * 299, "p"), ("C", "p"), ("c", "p"), ("a/b", "p"), ("a\nb", "p"), ("", "p")],
    ],
)
def test_no_name_of_a_corpus_or_carrier_costs_a_row(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    rows = [Row(f"r{n}", "text", corpus=corpus, carrier=carrier) for n, (corpus, carrier) in enumerate(pairs)]
    board = own_board(tmp_path, *rows)
    boards.sweep(board.warehouse)
    con = warehouse.connect()
    boards.verify(con, board.warehouse)
    warehouse.attach(con, board.warehouse)
    found = con.sql("select corpus, carrier from contracts.rows order by row_id").fetchall()
    assert found == pairs


def test_a_build_that_was_cut_short_is_refused(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    write = warehouse.write

    def cut_short(con: warehouse.Connection, select: str, path: Path, inputs: dict[str, str]) -> str:
        if len(written) == 7:
            raise OSError("no room")
        written.append(path)
        return write(con, select, path, inputs)

    monkeypatch.setattr(warehouse, "write", cut_short)
    with pytest.raises(OSError, match="no room"):
        build_again(board, "update contracts.rows set text = text || '!', n_chars = n_chars + 1")
    monkeypatch.undo()
    for attempt in (score_again, open_board, lambda board: runs.run_on_board(board, PROTOCOL, PROTOCOL.runs["rules"])):
        with pytest.raises(PiibenchError, match="run `piibench-duck build` again"):
            attempt(board)
    build_again(board, "delete from contracts.rows where false")
    runs.run_on_board(board, PROTOCOL, PROTOCOL.runs["rules"])


def test_a_file_of_rows_that_no_build_wrote_is_refused(board: Board) -> None:
    path = first(board, "rows")
    path.with_name("zz.parquet").write_bytes(path.read_bytes())
    with pytest.raises(PiibenchError, match=r"rows/zz\.parquet is of no finished build"):
        score_again(board)


def test_one_stale_run_does_not_hinder_another(board: Board) -> None:
    (board.warehouse / "pred_spans" / "rules.parquet").unlink()
    chosen = [run for run in boards.run_names(board.warehouse) if run != "rules"]
    score.score_board(board, PROTOCOL, OPTIONS, chosen)


def test_a_file_whose_middle_is_broken_is_named(board: Board) -> None:
    path = first(board, "rows")
    whole = path.read_bytes()
    path.write_bytes(whole[:30] + b"\xff" * 170 + whole[200:])
    with pytest.raises(PiibenchError, match=f"rows/{path.name} of the board is broken"):
        score_again(board)


def test_gold_that_the_map_no_longer_names_is_counted(tmp_path: Path) -> None:
    con = tables.connect([Row("r", "Ann", [Gold(0, 3, "NEW_LABEL"), Gold(0, 2, "PERSON")])], [])
    warehouse.derive(con, ["marts.rows_digest"])
    assert con.sql("select n_unmapped_gold_spans from marts.rows_digest").fetchall() == [(1,)]


def test_files_without_rows_follow_the_columns_of_their_relation(board: Board) -> None:
    con = warehouse.connect(1)
    for table in ("gold_spans", "row_counts"):
        path = board.warehouse / table / warehouse.EMPTY
        con.execute(f"create table {table} as select * exclude (row_id) from read_parquet({warehouse.quoted(path)})")
        warehouse.write(con, f"select * from {table}", path, {})  # as an earlier version of the columns would have it
    boards.write_empty(con, board.warehouse)
    for table in ("gold_spans", "row_counts"):
        path = board.warehouse / table / warehouse.EMPTY
        assert "row_id" in con.sql(f"select * from read_parquet({warehouse.quoted(path)})").columns
    score_again(board)
    open_board(board)


def test_a_board_without_a_table_that_came_later_is_told_to_be_built_again(tmp_path: Path) -> None:
    board = copy_of_demo(tmp_path)
    shutil.rmtree(board.warehouse / "annotators")
    with pytest.raises(PiibenchError, match="of an older version, without annotators; build and score it again"):
        boards.open_to_read(board.warehouse, "demo", PROTOCOL)
