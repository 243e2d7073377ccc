"""Boards of which something is gone, or of another version: every command refuses them before it writes."""

import shutil
from pathlib import Path

import pytest

from piibench_duck import build, imports, warehouse
from piibench_duck.places import Board
from tests.built import PROTOCOL
from tests.conftest import Call
from tests.shell import write_lines
from tests.test_cli_typed import predictions, rows

COMMANDS = {
    "score": ["score", "m"],
    "typed": ["score", "m", "--typed"],
    "limit": ["score", "m", "--typed", "--limit", "2"],
    "sweep": ["sweep", "m", "--floors", "none"],
    "compare": ["compare", "--a", "m", "--b", "n"],
    "predict": ["predict", "rules"],
    "import": ["import", "preds.jsonl", "--as", "other"],
    "sql": ["sql", "select 1"],
}
READERS = ("score", "typed", "limit", "sweep", "compare", "sql")
OF_A_RUN = ("pred_spans", "run_rows", "timings")


@pytest.fixture(scope="module")
def shared_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own board with two imported runs, not scored."""
    folder = tmp_path_factory.mktemp("shared") / "own"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", rows())
    place = Board("own", folder / "warehouse", folder / "results", folder)
    build.build(place, PROTOCOL)
    path = write_lines(folder / "preds.jsonl", predictions())
    for name in ("m", "n"):
        imports.import_run(place, PROTOCOL, path, name, "jsonl")
    return folder


@pytest.fixture
def board(shared_board: Path, tmp_path: Path) -> Path:
    """A copy of it, and in the current folder its predictions."""
    shutil.copy(shared_board / "preds.jsonl", tmp_path)
    return Path(shutil.copytree(shared_board, tmp_path / "own"))


def refused(call: Call, board: Path, command: str, told: str) -> None:
    """It ends with one sentence and 1, and nothing was written."""
    before = {path: path.read_bytes() for path in board.rglob("*") if path.is_file()}
    ended = call(*COMMANDS[command], "--board", board)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("\n") == 1
    assert told in ended.err
    assert {path: path.read_bytes() for path in board.rglob("*") if path.is_file()} == before


def change(board: Path, name: str, select: str) -> None:
    """Rewrite a file of the board as a select of its table `there`, with what it said of itself."""
    path = board / "warehouse" / f"{name}.parquet"
    con = warehouse.connect(1)
    inputs = warehouse.about(con, board / "warehouse")[name]["inputs"]
    con.execute(f"create table there as select * from read_parquet({warehouse.quoted(path)})")
    warehouse.write(con, select, path, inputs)


def test_a_run_without_one_of_its_files_is_refused(call: Call, board: Path) -> None:
    assert call("score", "--board", board).code == 0
    for table in OF_A_RUN:
        path = board / "warehouse" / table / "m.parquet"
        kept = path.rename(board / "kept")
        for command in READERS:
            refused(call, board, command, f"{table}/m.parquet of the run 'm' is not there; predict or import that run")
        assert call("score", "n", "--board", board).code == 0, "another run is whole"
        kept.rename(path)
    assert call("score", "m", "--board", board).code == 0


def test_a_run_whose_files_are_of_two_attempts_is_refused(call: Call, board: Path) -> None:
    path = board / "warehouse" / "run_rows" / "m.parquet"
    con = warehouse.connect(1)
    con.execute(f"create table there as select * from read_parquet({warehouse.quoted(path)})")
    warehouse.write(con, "select * from there", path, {})
    refused(call, board, "score", "run_rows/m.parquet of the run 'm' answers other rows than its line in runs/ says")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_board_without_a_table_is_of_an_older_version(call: Call, board: Path, command: str) -> None:
    for table in ("annotators", "forgiven", "source_labels", "token_weights"):
        folder = board / "warehouse" / table
        kept = folder.rename(board / "kept")
        refused(call, board, command, f"board 'own' is of an older version, without {table}; build and score it again")
        kept.rename(folder)
    (board / "warehouse" / "forgiven" / "build.parquet").unlink()  # as if no character were forgiven
    refused(call, board, command, "board 'own' is of an older version, without forgiven; build and score it again")


def test_a_file_with_other_columns_than_its_table_is_named_with_how_to_make_it_again(call: Call, board: Path) -> None:
    assert call("score", "--board", board).code == 0
    cases = [
        ("source_labels/build", "select * exclude (n_spans) from there", "build", READERS),
        ("timings/m", "select *, 1 as more from there", "predict", READERS),
        ("typed_scores/m", "select * exclude (leak) from there", "score", ["sql"]),
    ]
    for name, select, step, commands in cases:
        path = board / "warehouse" / f"{name}.parquet"
        before = path.read_bytes()
        change(board, name, select)
        for command in commands:
            told = f"{name}.parquet has other columns than this version's; run `piibench-duck {step}` again"
            refused(call, board, command, told)
        path.write_bytes(before)
    assert call("sql", "select 1", "--board", board).code == 0


@pytest.mark.parametrize(
    "said", ['{"src": 5}', '{"src": {"corpus": 5}}', "[]", "null", '{"src": {"corpus": "near", "sha256": 1}}', "{"]
)
def test_what_no_build_says_of_its_sources_is_refused(call: Call, board: Path, said: str) -> None:
    (board / "warehouse" / "sources.json").write_text(said)
    for command in ("typed", "limit"):
        refused(call, board, command, "build the board again")


def test_only_reports_that_were_just_written_are_shown_and_stale_ones_go(call: Call, board: Path) -> None:
    folder = board / "results" / "m" / "reports"
    folder.mkdir(parents=True)
    (folder / "gone.limit-2.json").write_text("{")
    (folder / "gone.limit-3.json").write_text("{")
    ended = call(*COMMANDS["limit"], "--board", board)
    assert (ended.code, ended.err, ended.out.count("run=m")) == (0, "", 2)
    assert sorted(path.name for path in folder.iterdir()) == [
        *("far.limit-2.json", "gone.limit-3.json", "near.limit-2.json")
    ]


@pytest.mark.parametrize("command", ["typed", "limit"])
def test_an_unknown_column_is_refused_before_anything_is_written(call: Call, board: Path, command: str) -> None:
    told = "--slices: no column 'zz'; there are carrier, language, locale"
    before = {path: path.read_bytes() for path in board.rglob("*") if path.is_file()}
    ended = call(*COMMANDS[command], "--slices", "locale,zz", "--board", board)
    assert (ended.code, ended.out, ended.err) == (1, "", f"piibench-duck: {told}\n")
    assert {path: path.read_bytes() for path in board.rglob("*") if path.is_file()} == before
    files = ["--rows", board / "rows.jsonl", "--preds", "preds.jsonl", "--model", "m", "--out-dir", "out"]
    ended = call("score", *COMMANDS[command][2:], "--slices", "zz", *files)
    assert (ended.code, ended.out, ended.err) == (1, "", f"piibench-duck: {told}\n")
    assert not Path("out").exists()
