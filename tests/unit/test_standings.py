"""`board.json`: what it holds of seeds, interests and other protocols, and when it is refused."""

import json
import re
from pathlib import Path

import pytest

from piibench_duck import protocol, results, standings
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests import counted_runs
from tests.conftest import Call
from tests.counted_runs import Row

ROWS = [Row(f"r{number}", "notes", f"d{number}", 10) for number in range(20)]
PLAN = protocol.load()


def found(tp: int, fp: int = 0) -> list[tuple[int, int]]:
    """The same counts in each row: F1 is 2tp / (10 + tp + fp), whatever is drawn."""
    return [(tp, fp)] * len(ROWS)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    monkeypatch.setenv("PIIBENCH_CACHE", str(tmp_path / "cache"))
    return Board("notes", tmp_path / "warehouse", tmp_path / "results", None)


def made(board: Board, replicates: int = 20) -> dict:
    return standings.write(board, PLAN, [path.name for path in board.results.iterdir()], replicates)


def test_seed_runs_are_listed_with_their_spread_and_never_ranked(board: Board) -> None:
    encoder = {"recipe": "encoder"}
    about = {
        "released": encoder,
        "seed-1": {**encoder, "training_seed": "1"},
        "seed-2": {**encoder, "training_seed": "2"},
        "capitals": {"kind": "baseline"},
    }
    counts = {"released": found(6), "seed-1": found(8), "seed-2": found(4), "rival": found(5), "capitals": found(9)}
    counted_runs.write(board.results, ROWS, counts, about)
    said = made(board)
    assert said["runs"] == ["capitals", "released", "rival"]
    assert said["seed_runs"] == ["seed-1", "seed-2"]
    assert set(said["statistics"]["row"]["runs"]) == {"capitals", "released", "rival"}
    one, two = 16 / 18, 8 / 14  # F1 with 8 and with 4 characters of 10
    spread = said["seed_spread"]["encoder"]
    assert spread["seeds"] == {"seed-1": "1", "seed-2": "2"}
    assert spread["mean"] == pytest.approx((one + two) / 2)
    assert (spread["low"], spread["high"]) == pytest.approx((two, one))
    assert spread["spread"] == pytest.approx(abs(one - two) / 2**0.5)
    assert spread["released"] == "released"
    ahead = 12 / 16 - 10 / 15
    assert spread["margin"]["against"] == "rival"
    assert spread["margin"]["difference"] == pytest.approx(ahead)
    assert spread["margin"]["in_spreads"] == pytest.approx(ahead / spread["spread"])
    assert spread["to_reference"]["seed-2"]["difference"] == pytest.approx(two - 10 / 15)


def test_one_seed_has_no_spread(board: Board) -> None:
    about = {"seed-1": {"recipe": "encoder", "training_seed": "1"}}
    counted_runs.write(board.results, ROWS, {"seed-1": found(8), "rival": found(5)}, about)
    spread = made(board)["seed_spread"]["encoder"]
    assert (spread["n_runs"], spread["spread"], spread["released"], spread["margin"]) == (1, None, None, None)


def test_a_publisher_with_an_interest_is_set_against_the_strongest_independent_run(board: Board) -> None:
    ours = {"publisher": "Us", "conflict_of_interest": "We wrote the board."}
    about = {"ours-b": ours, "ours-a": ours, "capitals": {"kind": "baseline"}, "friend": {"publisher": "Us"}}
    counts = {"ours-b": found(9), "ours-a": found(7), "capitals": found(8), "friend": found(6), "rival": found(5)}
    counted_runs.write(board.results, ROWS, counts, about)
    [interest] = made(board)["interests"]
    assert interest["publisher"] == "Us"
    assert interest["runs"] == ["ours-b", "ours-a"]
    assert (interest["run"], interest["against"], interest["unit"]) == ("ours-b", "rival", "row")
    ahead = 18 / 19 - 10 / 15
    assert interest["difference"] == pytest.approx(ahead)
    assert (interest["difference_low"], interest["difference_high"]) == pytest.approx((ahead, ahead))


def test_an_interest_without_an_independent_run_has_no_figure(board: Board) -> None:
    about = {"ours": {"conflict_of_interest": "We wrote the board."}, "capitals": {"kind": "baseline"}}
    counted_runs.write(board.results, ROWS, {"ours": found(9), "capitals": found(8)}, about)
    [interest] = made(board)["interests"]
    assert (interest["publisher"], interest["against"], interest["difference"]) == (None, None, None)


def test_every_pair_is_there_once_the_better_run_first(board: Board) -> None:
    counted_runs.write(board.results, ROWS, {"a": found(3), "b": found(5), "c": found(9)})
    pairs = made(board)["statistics"]["document"]["pairs"]
    assert [(pair["run_a"], pair["run_b"]) for pair in pairs] == [("c", "b"), ("c", "a"), ("b", "a")]
    assert all(pair["difference"] > 0 for pair in pairs)


def test_a_run_without_a_mean_stands_last_and_has_no_rank(board: Board) -> None:
    rows = [Row("r0", "notes", "d0", 0)]
    counted_runs.write(board.results, rows, {"a": [(0, 0)], "b": [(0, 3)]})
    said = made(board)
    assert said["runs"] == ["b", "a"]
    assert set(said["statistics"]["row"]["runs"]) == {"b"}


def test_results_of_other_rows_are_named_and_left_out_by_score_and_refused_by_compare(board: Board) -> None:
    counted_runs.write(board.results, ROWS, {"a": found(3), "b": found(5)})
    counted_runs.write(board.results, ROWS, {"old": found(9)}, {"old": {"rows_digest": "other", "protocol": "1"}})
    said = standings.write(board, PLAN, ["a", "b"], 20)
    assert (said["runs"], said["apart"]) == (["b", "a"], {"old": "its protocol and rows_digest differs"})
    folders = {run: board.results / run for run in ("a", "old")}
    with pytest.raises(
        PiibenchError, match="differ from 'a' and cannot be compared with it: 'old' in protocol and rows_digest"
    ):
        standings.compare_results(folders, "row", 0, 20)


def test_counts_of_other_gold_are_refused_whatever_the_result_says(board: Board) -> None:
    counted_runs.write(board.results, ROWS, {"a": found(3)})
    counted_runs.write(board.results, [*ROWS[:-1], ROWS[-1]._replace(gold=11)], {"b": found(3)})
    with pytest.raises(PiibenchError, match=r"b/row_counts.parquet is of other rows or other gold than a/"):
        made(board)


@pytest.mark.parametrize("damage", ["missing", "no Parquet", "a row twice"])
def test_counts_that_are_none_are_refused_by_name(board: Board, damage: str) -> None:
    counted_runs.write(board.results, ROWS, {"a": found(3), "b": found(5)})
    path = board.results / "b" / "row_counts.parquet"
    if damage == "missing":
        path.unlink()
    elif damage == "no Parquet":
        path.write_bytes(b"PAR1")
    else:
        counted_runs.write(board.results, [*ROWS, ROWS[0]], {"b": [*found(5), (5, 0)]})
    with pytest.raises(PiibenchError, match=r"row_counts\.parquet"):
        made(board)


def test_statistics_are_refused_where_a_result_has_changed_since(board: Board) -> None:
    counted_runs.write(board.results, ROWS, {"a": found(3), "b": found(5)})
    with pytest.raises(PiibenchError, match=r"has no board\.json"):
        standings.read(board)
    said = made(board)
    assert standings.read(board) == json.loads(json.dumps(said))
    counted_runs.write(board.results, ROWS, {"c": found(6)})
    with pytest.raises(PiibenchError, match="older than the results of c; run `piibench-duck compare --all"):
        standings.read(board)
    (board.results / standings.FILE).write_text("[]", "utf-8")
    with pytest.raises(PiibenchError, match=r"board\.json of board 'notes' is none"):
        standings.read(board)


def test_the_same_results_make_the_same_bytes(board: Board) -> None:
    counted_runs.write(board.results, ROWS, {"b": found(5), "a": found(5), "c": found(4)})
    made(board)
    first = (board.results / standings.FILE).read_bytes()
    made(board)
    assert (board.results / standings.FILE).read_bytes() == first


def test_a_board_of_the_command_line_is_compared_whole(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIIBENCH_CACHE", str(tmp_path / "cache"))
    assert call("compare", "--all", "--board", "demo").code == 1
    folder = tmp_path / "home" / "results" / "demo"
    counted_runs.write(folder, ROWS, {"a": found(3), "b": found(5)})
    ended = call("compare", "--all", "--iterations", "200", "--unit", "document")
    assert (ended.code, ended.err) == (0, "")
    assert re.search(r"^b +1 +1 to 1 +—", ended.out, re.MULTILINE)
    assert re.search(r"^a +2 +2 to 2 +-0\.\d{4} +-0\.\d{4} to -0\.\d{4} +0\.\d{4} +yes$", ended.out, re.MULTILINE)
    assert max(map(len, ended.out.splitlines())) <= 80
    redrawn = json.loads((folder / "a" / "result.json").read_text("utf-8"))
    redrawn["intervals"]["replicates"] = 99
    (folder / "a" / "result.json").write_text(json.dumps(redrawn), "utf-8")
    refused = call("compare", "--all")
    assert (refused.code, refused.out) == (1, "")
    assert "in replicates" in refused.err
    redrawn["intervals"]["replicates"] = 10
    (folder / "a" / "result.json").write_text(json.dumps(redrawn), "utf-8")
    too_few = call("compare", "--all", "--iterations", "99")
    assert (too_few.code, "at least 100 were expected" in too_few.err) == (1, True)
    as_json = call("compare", "--all", "--iterations", "200", "--json")
    assert json.loads(as_json.out) == json.loads((folder / "board.json").read_text("utf-8"))
    counted_runs.write(folder, ROWS, {"old": found(9)}, {"old": {"rows_digest": "other"}})
    before = (folder / "board.json").read_bytes()
    refused = call("compare", "--all")
    assert refused.code == 1
    assert re.search("differ from 'old' .* 'b' in rows_digest, 'a' in rows_digest", refused.err)
    assert (folder / "board.json").read_bytes() == before
    (folder / "old" / "result.json").write_text("{}", "utf-8")
    assert "old/result.json is no result" in call("compare", "--all").err
    assert call("compare", "--all", "--a", "x").code == 2
    assert call("compare", "--a", "x").code == 2


def test_results_of_a_board_keep_counts_that_are_as_their_figures_say() -> None:
    """The committed boards: what `board.json` would say of them is what it says."""
    for name in ("demo", "seven"):
        place = protocol.find_board(name, PLAN)
        said = standings.read(place)
        names = [*said["runs"], *said["seed_runs"], *said["not_run"]]
        whole, apart = results.comparable(results.read_board(place.results), names)
        statistics = said["statistics"]
        again = standings.of_board(place, PLAN, whole, apart, statistics["seed"], statistics["replicates"])
        assert again == said, name


def test_many_runs_get_as_many_replicates_as_holm_needs(board: Board) -> None:
    counted_runs.write(board.results, ROWS, {f"run{number:02d}": found(9 if number else 8) for number in range(12)})
    said = made(board, replicates=20)["statistics"]
    assert said["replicates"] == 600
    assert said["row"]["runs"]["run00"]["to_first"]["is_separable"] is True
