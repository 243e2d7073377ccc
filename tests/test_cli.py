"""The command line: exit codes, stdout and stderr apart, and nothing of any row where it does not belong."""

import json
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import cli
from tests.conftest import Call
from tests.shell import SENTINEL, Ended, predictions, rows, run, write_lines


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A rows file and predictions that are all right."""
    return write_lines(tmp_path / "rows.jsonl", rows()), write_lines(tmp_path / "preds.jsonl", predictions(rows()))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder board that is built and predicted."""
    folder = tmp_path_factory.mktemp("a 'b' [c] é*")
    write_lines(folder / "rows.jsonl", rows(text=f"😀 Ana Fox [red]{SENTINEL}[/red] left"))
    assert run("build", "--board", folder, home=folder).code == 0
    assert run("predict", "--board", folder, "rules", "mask-everything", home=folder).code == 0
    return folder


WRONG_USES = [
    ["nosuch"],
    ["--nosuch"],
    ["build", "--nosuch"],
    ["build", "surplus"],
    ["build", "--board"],
    ["list"],
    ["list", "nosuch"],
    ["sql"],
    ["sql", "select 1", "--format", "xml"],
    ["score", "--seed", "x"],
    ["score", "--seed", "-1"],
    ["score", "--replicates", "0"],
    ["score", "--threads", "0"],
    ["score", "--offset-unit", "nibble"],
    ["score", "--rows", "rows.jsonl"],
    ["score", "--preds", "preds.jsonl"],
    ["score", "--rows", "r", "--preds", "p", "--model", "", "--out-dir", "o"],
    ["score", "run", "--rows", "r", "--preds", "p", "--model", "m", "--out-dir", "o"],
    ["predict", "--rows", "rows.jsonl"],
    ["predict", "rules", "--model", "rules"],
    ["predict", "rules", "--threshold", "0.5"],
    ["predict", "rules", "--as", "mine"],
    ["predict", "--shard", "3/2"],
    ["predict", "--shard", "1/2", "--merge", "2"],
    ["predict", "--shard", "1/2", "--time", "5"],
    ["predict", "--merge", "2", "--check-batch", "5"],
    ["predict", "--model", "rules", "--option", "batch"],
    ["predict", "--model", "rules", "--option", "a=1", "--option", "a=2"],
    ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "preds.jsonl", "--time", "3"],
    ["predict", "--out", "preds.jsonl"],
    ["combine", "rules"],
    ["combine", "rules", "rampart"],
    ["combine", "rules", "rampart", "--as", "both", "--rule", "sum"],
    ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "preds.txt"],
    ["compare"],
    ["compare", "--a", "a"],
    ["compare", "--a", "a", "--b", "b", "--map", "start=from"],
    ["compare", "--rows", "r", "--a", "a", "--b", "b", "--unit", "word"],
    ["compare", "--rows", "r", "--a", "a", "--b", "b", "--map", "start"],
    ["compare", "--rows", "r", "--a", "a", "--b", "b", "--map", "start=a", "--map", "start=b"],
    ["export"],
    ["export", "--out", "x.txt"],
    ["validate"],
]


def test_wrong_usage_is_one_sentence_on_stderr_and_exit_code_2(call: Call) -> None:
    for arguments in WRONG_USES:
        ended = call(*arguments)
        assert (ended.code, ended.out) == (2, ""), arguments
        assert ended.err.startswith("piibench-duck: "), arguments
        assert ended.err.count("\n") == 1, arguments


FAULTS = [
    ["build", "--board", "nosuch"],
    ["predict", "--board", "nosuch"],
    ["predict", "nosuch"],
    ["predict", "rules"],
    ["score"],
    ["score", "nosuch"],
    ["compare", "--a", "rules", "--b", "rules"],
    ["sql", "select 1"],
    ["export", "--out", "x.csv"],
    ["list", "runs"],
    ["fetch", "nosuch"],
    ["fetch", "tab", "--mirror", "nosuch"],
    ["validate", "nosuch.jsonl"],
    ["validate", "."],
    ["validate", "preds.jsonl", "--map", "colour=x"],
    ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "nosuch/p.jsonl"],
    ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "folder.jsonl"],
    ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "p.jsonl", "--pipeline", "nosuch"],
    ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "p.jsonl", "--revision", "x"],
    ["predict", "--rows", "nosuch.jsonl", "--model", "rules", "--out", "p.jsonl"],
    ["score", "--rows", "rows.jsonl", "--preds", "preds.jsonl", "--model", "m", "--out-dir", "rows.jsonl"],
    ["score", "--rows", "rows.jsonl", "--preds", "preds.jsonl", "--model", "m", "--out-dir", "rows.jsonl/x"],
    ["score", "--rows", "rows.jsonl", "--preds", "nosuch.jsonl", "--model", "m", "--out-dir", "o"],
]


def test_a_fault_that_a_user_can_mend_is_one_sentence_and_exit_code_1(
    call: Call, files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for arguments in FAULTS:
        ended = call(*arguments)
        assert (ended.code, ended.out) == (1, ""), (arguments, ended)
        assert ended.err.startswith("piibench-duck: "), (arguments, ended.err)
        assert ended.err.count("\n") == 1, (arguments, ended.err)
    left = [path for path in sorted(tmp_path.rglob("*")) if path not in before and path.suffix != ".lock"]
    assert left == []


def test_no_arguments_show_the_help_and_version_the_version(call: Call) -> None:
    assert call().out.startswith("Usage: piibench-duck")
    assert call().code == 0
    assert call("--version") == Ended(0, "piibench-duck 0.1.0\n", "")


def test_listings_name_what_there_is(call: Call, built: Path) -> None:
    assert {line["corpus"] for line in json.loads(call("list", "corpora", "--json").out)} >= {"tab", "demo-he"}
    assert {line["carrier"] for line in json.loads(call("list", "carriers", "--json").out)} >= {"json", "prose"}
    assert {line["runner"] for line in json.loads(call("list", "runners", "--json").out)} >= {"rules", "onnx"}
    runs = json.loads(call("list", "runs", "--board", built, "--json").out)
    assert [(line["run_id"], line["status"]) for line in runs] == [("mask-everything", "ran"), ("rules", "ran")]
    assert "mask-everything" in call("list", "runs", "--board", built).out


def test_files_are_predicted_scored_and_compared_without_any_warehouse(tmp_path: Path) -> None:
    folder = tmp_path / "my [files] 'é' 日本 #1"
    elsewhere = tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    rows_file = write_lines(folder / "rows [1].jsonl", rows())
    ended = [
        run("predict", "--rows", rows_file, "--model", "rules", "--out", folder / "p 'q'.jsonl", home=elsewhere),
        run(
            "predict", "--rows", rows_file, "--model", "mask-everything", "--out", folder / "m.parquet", home=elsewhere
        ),
        run(
            *("score", "--rows", rows_file, "--preds", folder / "p 'q'.jsonl", "--model", "x"),
            *("--out-dir", folder / "out" / "x"),
            home=elsewhere,
            PIIBENCH_CACHE="/dev/null/nowhere",
        ),
        run(
            *("compare", "--rows", rows_file, "--a", folder / "m.parquet"),
            *("--b", folder / "out" / "x" / "predictions.parquet", "--iterations", 200, "--unit", "document", "--json"),
            home=elsewhere,
        ),
    ]
    assert [(one.code, one.err) for one in ended] == [(0, "")] * 4
    assert [one.out for one in ended[:2]] == ["", ""]
    found = json.loads((folder / "out" / "x" / "result.json").read_text("utf-8"))
    assert (found["n_rows"], found["model"], found["_provenance"]["board"]) == (10, "x", None)
    compared = json.loads(ended[3].out)
    assert (compared["unit"], compared["n_replicates"], compared["seed"]) == ("document", 200, 0)
    assert list(elsewhere.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["m.parquet", "out", "p 'q'.jsonl", "rows [1].jsonl"]


def test_score_and_compare_take_other_keys_units_and_missing_rows_when_told(
    call: Call, files: tuple[Path, Path], tmp_path: Path
) -> None:
    odd = write_lines(
        tmp_path / "odd.jsonl",
        [{"id": row["id"], "spans": [{"from": 3, "to": 10, "what": "NAME"}]} for row in rows()],
    )
    few = write_lines(tmp_path / "few.jsonl", predictions(rows()[:7]))
    keys = ["--map", "start=from", "--map", "end=to", "--map", "label=what"]
    common = ["score", "--rows", files[0], "--model", "m", "--out-dir", tmp_path / "o", "--json"]
    assert call(*common, "--preds", odd).code == 1
    in_utf16 = call(*common, "--preds", odd, *keys, "--offset-unit", "utf16")
    assert json.loads(in_utf16.out)["scores"]["mean"]["f1"] == 1
    refused = call(*common, "--preds", few)
    assert refused.code == 1
    assert [line["reason"] for line in json.loads(refused.out)] == ["missing_rows"] * 3
    allowed = call(*common, "--preds", few, "--allow-missing")
    assert json.loads(allowed.out)["n_rows_missing"] == 3
    compare = ["compare", "--rows", files[0], "--iterations", 50, "--json"]
    assert json.loads(call(*compare, "--a", odd, "--b", files[1], *keys).out)["difference"] < 0
    assert json.loads(call(*compare, "--a", few, "--b", files[1], "--allow-missing").out)["difference"] < 0
    assert call(*compare, "--a", few, "--b", files[1]).code == 1


def test_a_key_map_that_no_file_follows_is_refused(call: Call, files: tuple[Path, Path], tmp_path: Path) -> None:
    ended = call(
        *("score", "--rows", files[0], "--preds", files[1], "--model", "m", "--out-dir", tmp_path / "o"),
        *("--map", "start=frm"),
    )
    assert ended.code == 1
    assert "no 'start'" in ended.err


def test_validate_says_all_that_is_wrong_also_as_json(call: Call, files: tuple[Path, Path], tmp_path: Path) -> None:
    bad = write_lines(tmp_path / "bad.jsonl", predictions(rows(30), 2, 900))
    write_lines(files[0], rows(30))
    assert call("validate", files[0]) == Ended(0, "rows.jsonl: nothing wrong\n", "")
    assert call("validate", bad, "--rows", files[0]).out.count("out_of_range") == 30
    found = json.loads(call("validate", bad, "--rows", files[0], "--json").out)
    assert {(one["reason"], one["line"] is None) for one in found} == {("out_of_range", False)}
    assert len(found) == 30
    refused = call("score", "--rows", files[0], "--preds", bad, "--model", "m", "--out-dir", tmp_path / "o")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.count("out_of_range: spans") == cli.FINDINGS_SHOWN
    assert "10 more" in refused.err
    assert not (tmp_path / "o").exists()


HOSTILE = {
    "not_json.jsonl": f'{{"id": "r000", "text": "{SENTINEL}"',
    "not_object.jsonl": f'"{SENTINEL}"',
    "surface.jsonl": '{"id": "r000", "spans": [{"start": 2, "end": 9, "label": "A", "text": "' + SENTINEL + '"}]}',
    "types.jsonl": '{"id": "r000", "spans": [{"start": "'
    + SENTINEL
    + '", "end": 1.5, "label": ["'
    + SENTINEL
    + '"]}]}',
    "spans.jsonl": '{"id": "r000", "spans": "' + SENTINEL + '"}',
    "keys.jsonl": '{"id": "r000", "spans": [{"start": 1, "begin": 2, "' + SENTINEL + '": "' + SENTINEL + '"}]}',
    "label.jsonl": '{"id": "r000", "spans": [{"start": 900, "end": 901, "label": "' + SENTINEL + '"}]}',
    "latin.jsonl": f'{{"id": "r000", "text": "{SENTINEL}\udce9"}}',
    "fake.parquet": f"PAR1{SENTINEL}PAR1",
}


def test_no_text_of_any_row_is_in_what_a_failing_command_says(call: Call, built: Path, tmp_path: Path) -> None:
    rows_file = built / "rows.jsonl"
    ended = {}
    for name, content in HOSTILE.items():
        bad = tmp_path / name
        bad.write_bytes(content.encode("utf-8", "surrogateescape"))
        ended[name, "validate"] = call("validate", bad)
        ended[name, "validate rows"] = call("validate", bad, "--rows", rows_file, "--json")
        ended[name, "score"] = call(
            *("score", "--rows", rows_file, "--preds", bad, "--model", "m", "--out-dir", tmp_path / "o", "--json")
        )
        ended[name, "compare"] = call("compare", "--rows", rows_file, "--a", bad, "--b", bad)
        ended[name, "predict"] = call("predict", "--rows", bad, "--model", "rules", "--out", tmp_path / "p.jsonl")
        own = tmp_path / f"{name}-board"
        own.mkdir()
        (own / f"rows{bad.suffix}").write_bytes(bad.read_bytes())
        ended[name, "build"] = call("build", "--board", own)
    for query in (
        "select text::int from contracts.rows",
        "select error(text) from contracts.rows",
        "select text::date from contracts.rows",
        "select strptime(text, '%Y') from contracts.rows",
        "select json_extract(text, '$') from contracts.rows",
        "select regexp_matches('a', text || '(') from contracts.rows",
        "select ('\\x' || text)::blob from contracts.rows",
        "select date_part(text, date '2020-01-01') from contracts.rows",
        "select text::struct(a int) from contracts.rows",
        "select from_base64(text) from contracts.rows",
        "select a::int from (select min(text) as a from contracts.rows)",
    ):
        ended[query, "sql"] = call("sql", query, "--board", built)
    ended["where", "export"] = call(
        *("export", "contracts.rows", "--board", built, "--out", tmp_path / "e.csv", "--where", "text::int = 1")
    )
    for name, one in ended.items():
        if name[1] == "validate" and one.code == 0:  # without its rows a label is only a label
            continue
        assert one.code == 1, (name, one)
        assert "Traceback" not in one.err, name
        assert " a bug: " not in one.err, (name, one.err)
        assert SENTINEL not in one.out + one.err, name


def test_the_message_of_a_bug_is_kept_back(
    call: Call, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError(SENTINEL)

    monkeypatch.setattr("piibench_duck.score.score_files", broken)
    arguments = ["score", "--rows", files[0], "--preds", files[1], "--model", "m", "--out-dir", "o"]
    ended = call(*arguments)
    assert ended.code == 1
    assert "a bug: RuntimeError" in ended.err
    assert "commands.py" in ended.err
    assert SENTINEL not in ended.err
    monkeypatch.setenv("PIIBENCH_DEBUG", "1")
    assert SENTINEL in call(*arguments).err


def test_what_cannot_be_written_is_one_sentence_and_leaves_nothing_half_written(built: Path, tmp_path: Path) -> None:
    import resource
    import subprocess

    from tests.shell import command, environment

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))  # what result.json needs is more

    out = tmp_path / "out"
    ended = subprocess.run(
        command(
            "score", "--rows", built / "rows.jsonl", "--preds", tmp_path / "p.jsonl", "--model", "m", "--out-dir", out
        ),
        capture_output=True,
        env=environment(tmp_path),
        preexec_fn=no_room,
        check=False,
        input=b"",
        cwd=write_lines(tmp_path / "p.jsonl", predictions(rows())).parent,
    )
    assert ended.returncode == 1
    assert ended.stderr.count(b"\n") == 1, ended.stderr
    assert not (out / "result.json").exists()
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []
    with Path("/dev/full").open("wb") as full:
        for arguments in (["sql", "select 1", "--board", built], ["list", "carriers", "--json"]):
            filled = subprocess.run(
                command(*arguments), stdout=full, stderr=subprocess.PIPE, env=environment(tmp_path), check=False
            )
            assert (filled.returncode, filled.stderr.count(b"\n")) == (1, 1), filled.stderr


def test_a_reader_that_goes_away_ends_the_command_quietly(built: Path, tmp_path: Path) -> None:
    import subprocess

    from tests.shell import command, environment

    with subprocess.Popen(
        command("sql", "from range(3000000)", "--board", built, "--format", "csv"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() in (0, 1)  # 0 where the system had taken all of it before


@pytest.mark.parametrize(
    "arguments", ["sql 'select 1'", "list carriers", "doctor --json", "--help", "nosuch", "drop x"]
)
def test_without_stdout_or_stderr_a_command_ends_quietly(arguments: str, built: Path, tmp_path: Path) -> None:
    import shlex
    import subprocess

    from tests.shell import command, environment

    for closing, n_said in ((">&-", 1), ("2>&-", 0), (">&- 2>&-", 0), ("<&- >&-", 1), ("<&- >&- 2>&-", 0)):
        ended = subprocess.run(
            ["sh", "-c", f"{shlex.join(command())} {arguments} {closing}"],
            capture_output=True,
            env=environment(tmp_path, PYTHONPATH=str(Path(__file__).parent.parent)),
            cwd=tmp_path,
            check=False,
        )
        assert (ended.returncode, ended.stdout, ended.stderr.count(b"\n")) == (1, b"", n_said), (closing, ended)
        assert n_said == 0 or ended.stderr == b"piibench-duck: stdout is closed; an open one was expected\n"


def test_a_long_answer_is_whole_though_the_process_ends_at_once(built: Path, tmp_path: Path) -> None:
    ended = run("sql", "select * from range(30000)", "--format", "csv", "--board", built, home=tmp_path)
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 30001)
    assert ended.out.endswith("\n29999\n")


def test_a_source_that_cannot_be_had_is_named_and_the_rest_goes_on(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from piibench_duck import sources

    there = sources.fetch

    def fetch(source: sources.Source, *where: Any) -> Path:
        if source.name == "demo-ru":
            raise cli.PiibenchError("source 'demo-ru': the disk has gone")
        return there(source, *where)

    monkeypatch.setattr(sources, "fetch", fetch)
    ended = call("build", "--board", "demo")
    assert ended.code == 0
    assert ended.err == "piibench-duck: demo-ru is left out: source 'demo-ru': the disk has gone\n"
    assert ended.out.count(" rows of ") == 4
    fetched = call("fetch", "demo-en", "demo-ru", "demo-he")
    assert fetched.code == 1
    assert [line.split(":")[0] for line in fetched.out.splitlines()] == ["demo-en", "demo-he"]
    assert fetched.err.count("\n") == 1


def test_a_mirror_with_other_bytes_is_refused_for_every_source(call: Call, tmp_path: Path) -> None:
    from piibench_duck.sources import load_sources

    for source in load_sources().values():
        for path in source.paths:
            (tmp_path / "mirror" / source.name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "mirror" / source.name / path).write_text("other bytes")
    ended = call("build", "--board", "seven", "--mirror", tmp_path / "mirror")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("the mirror holds 11 bytes") + ended.err.count("the mirror holds 22 bytes") >= 7
    assert not (tmp_path / "home" / "warehouse").exists()


def test_export_writes_a_slice_in_each_format(call: Call, built: Path, tmp_path: Path) -> None:
    assert call("score", "--board", built, "--replicates", 20).code == 0
    common = ["export", "--board", built, "--where", "run_id = 'rules' and corpus = 'corpus-0' -- only", "--columns"]
    for kind in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"a [b] 'c'.{kind}"
        ended = call(*common, "row_id, tp", "--out", out)
        assert (ended.code, ended.err) == (0, ""), ended
        assert ended.out.startswith("5 rows of marts.row_scores")
    assert (tmp_path / "a [b] 'c'.csv").read_text().splitlines()[:2] == ["row_id,tp", "r000,0"]
    assert json.loads((tmp_path / "a [b] 'c'.jsonl").read_text().splitlines()[0]) == {"row_id": "r000", "tp": 0}
    for where in (
        "1=1) union (select 1, 2",
        "true; drop table x",
        "true) order by (1",
        "true), (1",
        "",
        "--",
        "tp =",
        "(1",
    ):
        ended = call("export", "--board", built, "--out", tmp_path / "x.csv", "--where", where)
        assert ended.code == 1, where
        assert ended.err.count("\n") == 1, ended.err
    for columns in ("nosuch", '"tp"', "tp, tp -- x", ""):
        assert call("export", "--board", built, "--out", tmp_path / "x.csv", "--columns", columns).code == 1, columns
    for table in ("nosuch", "marts.row_scores; select 1", "read_text('/etc/passwd')"):
        assert call("export", table, "--board", built, "--out", tmp_path / "x.csv").code == 1, table
    assert not (tmp_path / "x.csv").exists()
