"""A run of one's own on a board: what it says of itself, shards, times, and combinations, as a shell sees them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import build, places, warehouse
from tests import built
from tests.conftest import Call
from tests.shell import SENTINEL, predictions, rows, run, write_lines

RUN_TOML = """
runner = "capitalised-words"
artefact = "the words"
publisher = "Example Ltd"
recipe = "none"
licence = "CC0-1.0"
conflict_of_interest = "We wrote it."

[steered]
corpus-1 = "its author read it"
"""


@pytest.fixture(scope="module")
def built_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of ten rows, built; whoever changes one takes a copy."""
    folder = tmp_path_factory.mktemp("built") / "board"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", rows(text=f"😀 Ana Fox saw {SENTINEL} in Lund"))
    build.build(places.Board("board", folder / "warehouse", folder / "results", folder), built.PROTOCOL)
    return folder


@pytest.fixture
def board(tmp_path: Path, built_board: Path) -> Path:
    """A board of one's own."""
    return Path(shutil.copytree(built_board, tmp_path / "board"))


def line(call: Call, board: Path, run: str) -> dict[str, Any]:
    said = call("sql", f"select * from contracts.runs where run_id = '{run}'", "--board", board, "--format", "json")
    assert said.code == 0, said.err
    [found] = json.loads(said.out)
    assert isinstance(found, dict)
    return found


def result(board: Path, run: str) -> dict[str, Any]:
    found = json.loads((board / "results" / run / "result.json").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def test_a_run_says_of_itself_what_nobody_else_can(call: Call, board: Path) -> None:
    (board / "run.toml").write_text(RUN_TOML, "utf-8")
    ended = call("predict", "--about", board / "run.toml", "--as", "mine", "--board", board)
    assert (ended.code, ended.err) == (0, "mine: answered\n")
    assert call("score", "--board", board).code == 0
    said = result(board, "mine")["_provenance"]
    assert {key: said[key] for key in ("artefact", "publisher", "recipe", "licence", "conflict_of_interest")} == {
        "artefact": "the words",
        "publisher": "Example Ltd",
        "recipe": "none",
        "licence": "CC0-1.0",
        "conflict_of_interest": "We wrote it.",
    }
    assert said["steered"] == {"corpus-1": "its author read it"}
    assert said["is_pinned"] is True
    assert said["runner_version"].startswith("piibench-duck ")
    assert said["settings"].keys() >= {
        *("aggregation", "labels_asked", "threshold", "window", "stride", "batch", "precision", "seed"),
    }
    meta = json.loads((board / "results" / "mine" / "meta.json").read_text("utf-8"))
    assert meta["predicted_on"].keys() >= {
        *("host", "processor", "cores", "python", "device", "provider", "threads", "accelerators_unused"),
    }


def test_times_are_in_the_result(call: Call, board: Path) -> None:
    assert call("predict", "rules", "--board", board).code == 0
    assert call("score", "rules", "--board", board).code == 0
    assert result(board, "rules")["speed"] == {"reason": "no rows were timed one at a time"}
    assert call("predict", "rules", "--board", board, "--time", "6", "--check-batch", "5").out == (
        "rules: 0 of 5 rows change when they are batched\n"
    )
    assert call("score", "rules", "--board", board).code == 0
    speed = result(board, "rules")["speed"]
    assert (speed["n_rows"], speed["unit"], speed["device"]) == (6, "ms", "cpu")
    low, high = speed["median_interval"]
    assert 0 < low <= speed["median"] <= high <= speed["p95_interval"][1]
    assert line(call, board, "rules")["machine"]["rows_changed_by_batching"] == "0 of 5"
    # Kept as they are, since what was answered is kept.
    assert call("predict", "rules", "--board", board).code == 0
    assert call("score", "rules", "--board", board).code == 0
    assert result(board, "rules")["speed"] == speed


def test_shards_are_put_together_when_all_are_there(call: Call, board: Path) -> None:
    first = call("predict", "rules", "--board", board, "--shard", "1/2")
    assert first.err == "rules: shard 1/2 answered; once all are, --merge 2 puts them together\n"
    ended = call("predict", "rules", "--board", board, "--merge", "2")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == ("piibench-duck: shard 2/2 of run 'rules' is not there; answer it, or copy its folder here\n")
    assert call("predict", "rules", "--board", board, "--shard", "2/2").code == 0
    assert call("predict", "rules", "--board", board, "--merge", "2").err == "rules: answered\n"
    assert line(call, board, "rules")["status"] == "ran"


def test_two_runs_are_one_without_running_anything(call: Call, board: Path) -> None:
    assert call("predict", "rules", "capitalised-words", "--board", board).code == 0
    ended = call("combine", "rules", "capitalised-words", "--as", "both", "--board", board)
    assert (ended.code, ended.out) == (0, "both: 10 rows that both rules and capitalised-words answered\n")
    scored = call("score", "--board", board)
    assert scored.code == 0
    assert "both is rules and capitalised-words together, by the rule union." in scored.out.splitlines()
    assert call("combine", "rules", "both", "--as", "three", "--rule", "a-then-b", "--board", board).code == 0


def test_a_run_that_cannot_run_is_on_the_board_with_its_reason(call: Call, board: Path) -> None:
    ended = call("predict", "--model", "package:no-such-model", "--as", "gone", "--board", board)
    assert ended.code == 1
    assert ended.err.startswith("piibench-duck: gone was not run: model package 'no-such-model' is not installed")
    scored = call("score", "--board", board)
    assert any(said.startswith("not run: gone, model package") for said in scored.out.splitlines())


@pytest.mark.parametrize(
    ("pipeline", "model", "called"),
    [
        ("http", "http://127.0.0.1:9/analyze?key=hidden", "127.0.0.1:9/analyze"),
        ("onnx", "secret/folder", "folder"),
        ("command", "no-such-program --key hidden", "no-such-program"),
    ],
)
def test_no_address_or_path_of_this_machine_is_on_the_board(
    call: Call, board: Path, tmp_path: Path, pipeline: str, model: str, called: str
) -> None:
    (tmp_path / "secret" / "folder").mkdir(parents=True)
    arguments = ["--pipeline", pipeline, "--model", model, "--as", "gone", "--option", "retries=0"]
    arguments = arguments if pipeline == "http" else arguments[:-2]
    ended = call("predict", *arguments, "--board", board)
    assert ended.code == 1
    assert "was not run" in ended.err
    assert call("score", "--board", board).code == 0
    said = (board / "results" / "gone" / "result.json").read_text("utf-8")
    assert json.loads(said)["_provenance"]["model_id"] == called
    assert "hidden" not in said + ended.err
    assert "secret" not in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--model", "rules"], "run 'rules' is one that protocol.toml defines"),
        (["--model", "rules", "--as", "a/b"], "run name 'a/b'"),
        (["--model", "nowhere/nothing", "--as", "x"], "a model of the hub needs --revision with its commit"),
        (["--model", "rules", "--as", "x", "--revision", "r"], "runner 'rules' takes no revision"),
        (["--model", "rules", "--as", "x", "--pipeline", "nosuch"], "no pipeline 'nosuch'; there are auto, "),
        (["--about", "missing.toml"], "missing.toml: cannot be read"),
    ],
)
def test_a_run_of_ones_own_that_cannot_be_is_refused(call: Call, board: Path, arguments: list[str], told: str) -> None:
    ended = call("predict", "--board", board, *arguments)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("\n") == 1
    assert told in ended.err


@pytest.mark.parametrize(
    ("pipeline", "model"),
    [
        ("auto", "http://127.0.0.1:9/analyze%20x?key=hidden"),
        ("http", "http://hidden@127.0.0.1:9/"),
        ("command", "python BOARD/rows.jsonl --key hidden"),
        ("onnx", "detect --key hidden"),
        ("auto", "detect --key hidden"),
    ],
)
def test_what_gives_a_run_no_name_is_not_repeated(call: Call, board: Path, pipeline: str, model: str) -> None:
    ended = call("predict", "--model", model.replace("BOARD", str(board)), "--pipeline", pipeline, "--board", board)
    assert (ended.code in (1, 2), ended.out) == (True, "")
    assert "hidden" not in ended.err
    assert ended.err.count("\n") == 1
    assert ("--as with one was expected" in ended.err) == (pipeline != "auto" or model.startswith("http"))


def test_the_doctor_says_what_is_missing_for_what(call: Call) -> None:
    found = {one["what"]: one for one in json.loads(call("doctor", "--json").out)}
    assert found["duckdb"]["is_there"]
    assert found["board demo"] == {
        **{"what": "board demo", "is_there": False, "for_what": "score, sql, compare"},
        "found": "not built; piibench-duck build --board demo",
    }
    assert found["mirror"]["is_there"] is False
    assert {
        "extra gliner",
        "extra presidio",
        "extra spacy",
        "extra transformers",
        "disk of cache",
        "hub",
    } <= found.keys()
    assert "duckdb" in call("doctor").out


def test_metrics_are_listed_with_what_they_say(call: Call) -> None:
    found = {one["name"]: one["what it says"] for one in json.loads(call("list", "metrics", "--json").out)}
    assert found["metrics.f1"].startswith("Harmonic mean of precision and recall")
    assert "marts.speeds" in found


def test_what_people_say_of_a_run_may_change_without_running_it_again(call: Call, board: Path) -> None:
    about = board / "run.toml"
    about.write_text(RUN_TOML, "utf-8")
    asked = ["predict", "--about", about, "--as", "mine", "--board", board]
    assert call(*asked).code == 0
    about.write_text(RUN_TOML.replace("its author read it", "it was read twice"), "utf-8")
    assert call(*asked).code == 0
    assert line(call, board, "mine")["steered"] == {"corpus-1": "it was read twice"}
    before = (board / "warehouse" / "pred_spans" / "mine.parquet").stat().st_mtime_ns
    assert call(*asked).code == 0
    assert (board / "warehouse" / "pred_spans" / "mine.parquet").stat().st_mtime_ns == before


def test_a_run_that_was_imported_is_not_lost_to_one_of_the_same_name(call: Call, board: Path, tmp_path: Path) -> None:
    preds = write_lines(tmp_path / "preds.jsonl", predictions(rows()))
    assert call("import", preds, "--as", "mine", "--board", board).code == 0
    ended = call("predict", "--model", "rules", "--as", "mine", "--board", board)
    assert (ended.code, ended.out) == (1, "")
    assert "run 'mine' of board 'board' was not made by a runner; another name was expected" in ended.err
    assert line(call, board, "mine")["kind"] == "file"


def test_a_hub_model_that_cannot_be_had_is_on_the_board_too(board: Path) -> None:
    asked = ["predict", "--model", "o/n", "--revision", "0" * 40, "--as", "gone", "--board", board]
    ended = run(*asked, home=board, HF_HUB_OFFLINE="1", HF_HOME=str(board / "hub"))
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert ended.err.startswith("piibench-duck: gone was not run: ")
    ended = run("score", "--board", board, home=board)
    assert "not run: gone, " in ended.out


def test_two_folders_of_one_name_are_two_artefacts() -> None:
    con = warehouse.connect()
    warehouse.fill(
        con,
        "runs",
        {
            **{"run_id": ["a", "b", "c"], "status": ["ran"] * 3, "kind": ["model"] * 3, "runner": ["onnx"] * 3},
            **{"model": ["wp"] * 3, "weights_sha256": ["0" * 64, "1" * 64, "0" * 64], "label_namespace": ["*"] * 3},
            **{"settings": [[]] * 3, "settings_digest": [""] * 3, "machine": [[]] * 3},
        },
    )
    warehouse.derive(con, ["staging.runs"])
    found = con.sql("select artefact from staging.runs order by run_id").fetchall()
    assert found == [("wp@" + "0" * 12,), ("wp@" + "1" * 12,), ("wp@" + "0" * 12,)]


def test_a_wrong_option_is_wrong_usage_and_leaves_no_run(call: Call, board: Path) -> None:
    ended = call("predict", "--model", "rules", "--as", "mine", "--option", "flavour=1", "--board", board)
    assert (ended.code, ended.out) == (2, "")
    assert "runner 'rules' has no option 'flavour'" in ended.err
    assert not (board / "warehouse" / "runs" / "mine.parquet").exists()


def test_a_run_of_ones_own_is_not_lost_to_another_of_its_name(call: Call, board: Path) -> None:
    assert call("predict", "--model", "rules", "--as", "mine", "--board", board).code == 0
    again = ["predict", "--model", "mask-nothing", "--as", "mine", "--board", board]
    ended = call(*again)
    assert ended.code == 1
    assert "run 'mine' is there already, made by rules with other settings" in ended.err
    assert line(call, board, "mine")["runner"] == "rules"
    assert call(*again, "--restart").code == 0
    assert line(call, board, "mine")["runner"] == "mask-nothing"


def test_shards_are_not_put_together_under_another_runner_or_option(call: Call, board: Path) -> None:
    for part in ("1/2", "2/2"):
        assert call("predict", "--model", "rules", "--as", "mine", "--board", board, "--shard", part).code == 0
    ended = call("predict", "--model", "mask-nothing", "--as", "mine", "--board", board, "--merge", "2")
    assert ended.code == 1
    assert "the shards of run 'mine' were made by rules, not by mask-nothing" in ended.err
    assert call("predict", "--model", "rules", "--as", "mine", "--board", board, "--merge", "2").code == 0
    ended = call("predict", "--model", "rules", "--as", "mine", "--board", board, "--merge", "2")
    assert "run 'mine' has no shards; it is there already" in ended.err


@pytest.mark.parametrize("damage", ["{}", "[1]", '{"a": 1}', '{"n_rows": "x"}', "no JSON"])
def test_a_damaged_shard_is_named(call: Call, board: Path, damage: str) -> None:
    for part in ("1/2", "2/2"):
        assert call("predict", "rules", "--board", board, "--shard", part).code == 0
    folder = next(path for path in (board / "warehouse" / "chunks").glob("*-1-of-2") if path.is_dir())
    (folder / "run.json").write_text(damage)
    ended = call("predict", "rules", "--board", board, "--merge", "2")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "run.json of " in ended.err


def test_a_damaged_chunk_of_a_shard_is_named(call: Call, board: Path) -> None:
    for part in ("1/2", "2/2"):
        assert call("predict", "rules", "--board", board, "--shard", part).code == 0
    chunk = next((board / "warehouse" / "chunks").glob("*-2-of-2/000000.parquet"))
    chunk.write_bytes(chunk.read_bytes()[:500])
    ended = call("predict", "rules", "--board", board, "--merge", "2")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "shard 2/2 of run 'rules': 000000.parquet is damaged" in ended.err


def test_runs_can_be_removed_but_for_parts_of_others(call: Call, board: Path) -> None:
    assert call("predict", "rules", "mask-everything", "--board", board).code == 0
    assert call("combine", "rules", "mask-everything", "--as", "both", "--board", board).code == 0
    assert call("score", "--board", board).code == 0
    ended = call("drop", "rules", "--board", board)
    assert (ended.code, ended.err) == (1, "piibench-duck: run 'rules' is a part of 'both'; remove that first\n")
    assert (
        call("drop", "both", "rules", "--board", board).out == "both: removed from board\nrules: removed from board\n"
    )
    assert not (board / "results" / "both").exists()
    assert [*(board / "warehouse").glob("*/both.parquet")] == []
    assert call("score", "--board", board).code == 0
    assert call("drop", "rules", "--board", board).code == 1


def test_a_folder_of_the_users_is_never_taken_for_ours(call: Call, board: Path, tmp_path: Path) -> None:
    precious = tmp_path / "out.jsonl.partial" / "mine.txt"
    precious.parent.mkdir()
    precious.write_text("precious")
    ended = call("predict", "--rows", board / "rows.jsonl", "--model", "rules", "--out", tmp_path / "out.jsonl")
    assert ended.code == 1
    assert "'out.jsonl.partial' is in the way" in ended.err
    assert precious.read_text() == "precious"
