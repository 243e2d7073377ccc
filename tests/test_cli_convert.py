"""The commands `import` and `convert` for other tools' formats: in as runs and files, out of boards and files."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import piibench_duck
from piibench_duck import build, places, warehouse
from piibench_duck.door import Refused
from tests import built
from tests.conftest import Call
from tests.shell import SENTINEL, predictions, rows, write_lines

TEXT = f"😀 Ana Fox met {SENTINEL}"


@pytest.fixture(scope="module")
def built_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of four rows, built; whoever changes one takes a copy."""
    folder = tmp_path_factory.mktemp("built") / "board"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", rows(4, TEXT))
    build.build(places.Board("board", folder / "warehouse", folder / "results", folder), built.PROTOCOL)
    return folder


@pytest.fixture
def board(tmp_path: Path, built_board: Path) -> Path:
    """A board of one's own."""
    return Path(shutil.copytree(built_board, tmp_path / "board"))


def run_of(board: Path, name: str) -> tuple[dict[str, str], list[Any]]:
    """The settings of a run, and its spans."""
    con = warehouse.connect()
    warehouse.attach(con, board / "warehouse", [name])
    ((settings,),) = con.sql("select settings from contracts.runs").fetchall()
    spans = "select row_id, start_char, end_char, source_label from contracts.pred_spans order by all"
    return settings, con.sql(spans).fetchall()


ALL = [f"r00{index}" for index in range(4)]
INCLUSIVE = [[{"label": "PERSON", "start": 2, "end": 8}]] * 4


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("nervaluate", json.dumps(INCLUSIVE), {"ends": "inclusive", "matched_by": "position"}),
        ("presidio", json.dumps({name: [{"entity_type": "PERSON", "start": 2, "end": 9}] for name in ALL}), {}),
        (
            "conll",
            "".join(f"# id = {name}\n😀 O\nAna B-PERSON\nFox I-PERSON\nmet O\n{SENTINEL} O\n\n" for name in ALL),
            {},
        ),
        ("frame", "row_id,start,end,label\n" + "".join(f"{name},2,9,PERSON\n" for name in ALL), {}),
        (
            "redacted",
            "".join(json.dumps({"id": name, "text": TEXT.replace("Ana Fox", "[PERSON]")}) + "\n" for name in ALL),
            {"aligned": "true"},
        ),
    ],
)
def test_a_file_of_another_tool_is_a_run_that_says_how_it_was_read(
    call: Call, tmp_path: Path, board: Path, kind: str, content: str, said: dict[str, str]
) -> None:
    (tmp_path / "given").write_text(content, "utf-8")
    ended = call("import", "given", "--as", "theirs", "--board", board, "--format", kind)
    assert (ended.code, ended.out) == (0, "theirs: 4 rows with 4 spans\n"), ended.err
    settings, spans = run_of(board, "theirs")
    assert spans == [(name, 2, 9, "PERSON") for name in ALL]
    assert {key: value for key, value in settings.items() if key != "file_sha256"} == {"format": kind, **said}
    assert call("score", "--board", board, "--replicates", 5).code == 0
    result = json.loads((board / "results" / "theirs" / "result.json").read_bytes())
    assert result["scores"]["mean"]["f1"] == 1
    assert result["_provenance"]["settings"].items() >= {"format": kind, **said}.items()
    converted = call("convert", "given", "preds.jsonl", "--from", kind, "--rows", board / "rows.jsonl")
    told = "".join(f", {name.replace('_', ' ')}: {value}" for name, value in said.items())
    assert (converted.code, converted.out) == (0, f"4 rows with 4 spans in preds.jsonl{told}\n")
    lines = [json.loads(line) for line in (tmp_path / "preds.jsonl").read_text().splitlines()]
    assert lines == [{"id": name, "spans": [{"start": 2, "end": 9, "label": "PERSON"}]} for name in ALL]


def test_the_same_bytes_read_as_another_format_are_another_run(call: Call, tmp_path: Path, board: Path) -> None:
    by_id = {name: [{"label": "X", "start": 2, "end": 8}] for name in ALL}
    (tmp_path / "given").write_text(json.dumps(by_id))
    digests = []
    for kind in ("nervaluate", "presidio"):
        assert call("import", "given", "--as", kind, "--board", board, "--from", kind).code == 0
        con = warehouse.connect()
        warehouse.attach(con, board / "warehouse", [kind])
        digests += con.sql("select settings_digest from contracts.runs").fetchall()
    assert len({*digests}) == 2
    assert [spans[0][2] for spans in (run_of(board, "nervaluate")[1], run_of(board, "presidio")[1])] == [9, 8]


def test_a_frame_is_a_run(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"row_id": ["r000"], "start": [2], "end": [9], "label": ["PERSON"]})
    with pytest.raises(Refused, match="rows not answered: 3"):
        piibench_duck.import_frame(frame, str(board), "mine")
    done = piibench_duck.import_frame(frame, str(board), "mine", answered=ALL, note="by hand")
    assert (done.n_rows, done.n_spans, done.n_missing) == (4, 1, 0)
    settings, spans = run_of(board, "mine")
    assert (settings["format"], spans) == ("frame", [("r000", 2, 9, "PERSON")])


def test_answers_in_an_order_are_those_of_the_rows_that_a_board_asks_for(tmp_path: Path) -> None:
    """On the demo board there are more rows than rank: as many answers as there are of either are matched."""
    from piibench_duck import imports

    board = built.copy_of_demo(tmp_path / "copy")
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, [])
    ranked = con.sql("select row_id from contracts.designs where design = 'balanced' order by 1").fetchall()
    path = tmp_path / "given.json"
    path.write_text(json.dumps([[] for _ in ranked]))
    done = imports.import_run(board, built.PROTOCOL, path, "theirs", "nervaluate")
    assert (done.n_rows, done.n_missing) == (len(ranked), 0)
    path.write_text(json.dumps([[] for _ in ranked[1:]]))
    with pytest.raises(Refused) as caught:
        imports.import_run(board, built.PROTOCOL, path, "theirs", "nervaluate")
    assert "by position there must be one for each" in caught.value.findings[0].detail


def test_a_board_is_written_with_its_gold_or_with_a_run(call: Call, tmp_path: Path, board: Path) -> None:
    write_lines(tmp_path / "preds.jsonl", predictions(rows(4), 2, 5))
    assert call("import", "preds.jsonl", "--as", "theirs", "--board", board).code == 0
    on_board = ["convert", "--board", board, "--to"]
    said = [
        call(*on_board, "brat", "--out", "gold"),
        call(*on_board, "brat", "--run", "theirs", "--out", "found"),
        call(*on_board, "conll", "--run", "theirs", "--out", "x.conll"),
        call(*on_board, "jsonl", "--out", "rows.jsonl"),
        call(*on_board, "jsonl", "--run", "theirs", "--out", "again.jsonl"),
        call(*on_board, "hub-folder", "--run", "theirs", "--out", "hub"),
    ]
    assert [ended.code for ended in said] == [0] * 6, [ended.err for ended in said]
    assert said[0].out == "4 rows in gold\n"
    assert said[1].out == "4 rows with theirs in found\n"
    assert (tmp_path / "gold" / "r000.ann").read_text("utf-8") == "T1\tPERSON 2 9\tAna Fox\n"
    assert (tmp_path / "found" / "r000.ann").read_text("utf-8") == "T1\tNAME 2 5\tAna\n"
    assert (tmp_path / "gold" / "r000.txt").read_text("utf-8") == TEXT
    assert "Ana\tB-PERSON\tB-NAME\nFox\tI-PERSON\tO\n" in (tmp_path / "x.conll").read_text("utf-8")
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "preds.jsonl").read_text()
    assert call("validate", "again.jsonl", "--rows", "rows.jsonl").code == 0
    assert "may be shared: not known" in said[5].err
    assert SENTINEL not in "".join(ended.out + ended.err for ended in said)
    for kind, file in (("brat", "found"), ("conll", "x.conll")):
        assert call("import", file, "--as", kind, "--board", board, "--from", kind).code == 0
        assert run_of(board, kind)[1] == [(name, 2, 5, "NAME") for name in ALL]
    assert call("convert", "gold", "back.jsonl", "--from", "brat").out == "4 rows in back.jsonl\n"


def test_files_are_written_as_another_format_and_what_is_lost_is_counted(call: Call, tmp_path: Path) -> None:
    lines = rows(2)
    lines[0]["spans"] += [{"start": 2, "end": 5, "label": "X"}, {"start": 6, "end": 9, "label": "a\tb"}]
    lines[0]["excluded"] = [{"start": 2, "end": 9, "label": "Y"}]
    write_lines(tmp_path / "rows.jsonl", lines)
    ended = call("convert", "rows.jsonl", "--out", "x.conll", "--to", "conll")
    assert (ended.code, ended.out) == (0, "2 rows in x.conll\n")
    assert "1 span left out, excluded from scores: conll cannot carry that" in ended.err
    assert "1 span left out, overlapping another: conll cannot carry that" in ended.err
    assert "1 span left out, whose label is no word" in ended.err
    write_lines(tmp_path / "preds.jsonl", predictions(lines))
    assert call("convert", "rows.jsonl", "found", "--to", "brat", "--preds", "preds.jsonl").code == 0
    write_lines(tmp_path / "preds.jsonl", predictions(lines)[:1])
    arguments = ("convert", "rows.jsonl", "some", "--to", "brat", "--preds", "preds.jsonl")
    assert "missing_rows" in call(*arguments).err
    assert not (tmp_path / "some").exists()
    assert call(*arguments, "--allow-missing").code == 0
    assert sorted(path.name for path in (tmp_path / "some").iterdir()) == ["r000.ann", "r000.txt"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["given", "out.jsonl", "--from", "x"], "'x' is no format of gold; there are brat, conll, doccano, jsonl"),
        (["given", "out.jsonl", "--from", "x", "--rows", "rows.jsonl"], "'x' is no format of predictions; there are"),
        (
            ["rows.jsonl", "out", "--to", "x"],
            "'x' is no format of what to write; there are brat, conll, hub-folder, jsonl",
        ),
        (["given"], "one place to write to was expected"),
        (["given", "a.jsonl", "--out", "b.jsonl"], "one place to write to was expected"),
        ([], "a file to convert, or --board, was expected"),
        (["--board", "demo", "--out", "x"], "--board needs --to"),
        (["rows.jsonl", "out", "--to", "brat", "--run", "rules"], "--run goes with --board"),
        (["rows.jsonl", "out", "--to", "brat", "--from", "tab"], "--from and --rows say what is read"),
        (["given", "out.jsonl", "--preds", "x"], "--preds and --run go with --to"),
        (["given", "out.txt", "--rows", "rows.jsonl", "--from", "conll"], "ends in neither .jsonl nor .parquet"),
        (
            ["given", "o.jsonl", "--rows", "rows.jsonl", "--from", "redacted", "--offset-unit", "byte"],
            "--offset-unit goes",
        ),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(call: Call, tmp_path: Path, arguments: list[str], said: str) -> None:
    write_lines(tmp_path / "rows.jsonl", rows(1))
    (tmp_path / "given").write_text("")
    ended = call("convert", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["given", "rows.jsonl"]


def test_a_map_of_keys_goes_with_no_other_format(call: Call, tmp_path: Path, board: Path) -> None:
    (tmp_path / "given").write_text("{}")
    ended = call("import", "given", "--as", "x", "--board", board, "--from", "presidio", "--map", "start=from")
    assert ended.code == 2
    assert "not with a file of the format presidio" in ended.err


def test_a_run_that_is_not_there_is_named_with_those_that_are(call: Call, board: Path) -> None:
    arguments = ("convert", "--board", board, "--to", "brat", "--out", "x")
    assert "no run 'y' on board 'board'; there are none" in call(*arguments, "--run", "y").err


def test_a_file_of_another_tool_is_validated_without_being_written(call: Call, tmp_path: Path, board: Path) -> None:
    (tmp_path / "given").write_text(json.dumps(INCLUSIVE))
    before = sorted(tmp_path.rglob("*"))
    for answered in (["--rows", board / "rows.jsonl"], ["--board", board]):
        ended = call("validate", "given", "--from", "nervaluate", *answered)
        told = "4 rows with 4 spans, ends: inclusive, matched by: position"
        assert (ended.code, ended.out) == (0, f"given: nothing wrong: {told}\n"), ended.err
        assert call("validate", "given", "--from", "nervaluate", *answered, "--json").out == "[]\n"
    (tmp_path / "given").write_text(json.dumps({"r000": [{"label": "X", "start": 2, "end": 900}]}))
    for answered in (["--rows", board / "rows.jsonl"], ["--board", board]):
        ended = call("validate", "given", "--from", "nervaluate", *answered, "--json")
        assert (ended.code, [one["reason"] for one in json.loads(ended.out)]) == (1, ["out_of_range"])
    (tmp_path / "given").write_text(json.dumps({"r000": []}))
    for answered in (["--rows", board / "rows.jsonl"], ["--board", board]):
        ended = call("validate", "given", "--from", "presidio", *answered)
        assert (ended.code, ended.out.count("missing_rows"), ended.out[-9:]) == (1, 3, "3 faults\n")
    (tmp_path / "given").write_text(json.dumps({"id": 4, "text": "Bo", "label": [[0, 2, "P"]]}))
    assert call("validate", "given", "--from", "doccano").out == "given: nothing wrong\n"
    assert "'presidio' is no format of gold" in call("validate", "given", "--from", "presidio").err
    assert call("validate", "given", "--rows", "x", "--board", "y").code == 2
    assert sorted(path for path in tmp_path.rglob("*") if path.suffix != ".lock") == before


def test_a_file_whose_format_nobody_said_is_refused_with_the_formats(call: Call, tmp_path: Path, board: Path) -> None:
    (tmp_path / "given").write_text(json.dumps(INCLUSIVE))
    for command in (
        ["convert", "given", "x.jsonl", "--rows", board / "rows.jsonl"],
        ["convert", "given", "x.jsonl", "--rows", board / "rows.jsonl", "--from", "auto"],
        ["import", "given", "--as", "x", "--board", board],
        ["validate", "given", "--rows", board / "rows.jsonl"],
    ):
        ended = call(*command)
        assert ended.code == 1
        assert "--from says whose: brat, conll, doccano, frame, jsonl, label-studio, nervaluate, " in ended.err
    (tmp_path / "given").write_text("# id = r000\nAna B-X\n")
    assert (
        "--from says whose: brat, conll, doccano, jsonl, label-studio, tab" in call("convert", "given", "x.jsonl").err
    )
    write_lines(tmp_path / "preds.jsonl", predictions(rows(4)))
    assert call("convert", "preds.jsonl", "x.jsonl", "--rows", board / "rows.jsonl", "--from", "auto").code == 0
    assert call("convert", board / "rows.jsonl", "y.jsonl").out == "4 rows in y.jsonl\n"
