"""The error explorer on the command line, and text around spans, which goes to a terminal and nowhere else."""

import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.conftest import Call
from tests.shell import SENTINEL, Ended, command, environment, rows, run, write_lines

if sys.platform != "win32":
    import fcntl
    import termios

HOSTILE = f"😀 Ana Fox\x1b[31m\x1b]0;x\x07\u202e\u2066\u200b\n\tof {SENTINEL}\r\x9b2J on 3 May 2020"
CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
WITH_TEXT = ["sql", "missed_spans", "--run", "mask-nothing", "--with-text"]
PLACES = "select row_id, start_char, end_char from contracts.gold_spans"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten texts that a terminal would obey, two runs that are scored and one that is not."""
    folder = tmp_path_factory.mktemp("board")
    write_lines(folder / "rows.jsonl", rows(text=HOSTILE))
    for arguments in (["build"], ["predict", "mask-nothing", "mask-everything"], ["score"], ["predict", "rules"]):
        ended = run(*arguments, "--board", folder, home=folder)
        assert ended.code == 0, ended.err
    return folder


def on_terminal(
    *arguments: object, home: Path, columns: int = 200, more: Mapping[str, str] = MappingProxyType({})
) -> Ended:
    """Run a command whose stdout alone is a terminal."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    variables = {"PYTHONPATH": str(Path(__file__).parent.parent), "TERM": "xterm", **more}
    with subprocess.Popen(
        command(*arguments), stdout=other, stderr=subprocess.PIPE, cwd=home, env=environment(home, **variables)
    ) as process:
        os.close(other)
        out = b""
        while chunk := _read(main):
            out += chunk
        os.close(main)
        assert process.stderr
        err = process.stderr.read().decode()
    return Ended(process.returncode, out.decode(), err)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says so where a terminal has closed
        return b""


def asked(call: Call, board: Path, *arguments: object) -> list[dict[str, object]]:
    ended = call("sql", *arguments, "--board", board, "--format", "json")
    assert ended.code == 0, ended.err
    found: list[dict[str, object]] = json.loads(ended.out)
    return found


def test_parameters_are_written_in_three_ways(call: Call, board: Path) -> None:
    expected = asked(call, board, "missed_spans", "--run", "mask-nothing", "--min_chars", "7")
    assert [(line["row_id"], line["start_char"], line["end_char"]) for line in expected] == [
        (f"r{index:03d}", 2, 9) for index in range(10)
    ]
    assert asked(call, board, "missed_spans", "--run=mask-nothing", "--min-chars=7") == expected
    assert asked(call, board, "queries.missed_spans", "--run", "mask-nothing", "--min-chars", "7") == expected
    assert asked(call, board, "missed_spans", "--run", "mask-nothing", "--min-chars", "8") == []
    assert (
        len(asked(call, board, "disagreements", "--run-a", "mask-nothing", "--run-b", "mask-everything", "--n", 3)) == 3
    )


def test_a_select_comes_from_a_file_or_a_pipe(board: Path, tmp_path: Path) -> None:
    asked = b"select '\xc3\xa9' as e, count(*) as n from contracts.rows; -- the end\n"
    (tmp_path / "question.sql").write_bytes(asked)
    (tmp_path / "two.sql").write_bytes(b"select 1; select 2")
    for arguments, given in ((["question.sql"], b""), ([], asked)):
        ended = piped(*arguments, "--json", "--board", board, home=board, cwd=tmp_path, given=given)
        assert (ended.code, json.loads(ended.out), ended.err) == (0, [{"e": "é", "n": 10}], "")
    for arguments, given, code, said in (
        (["two.sql"], b"", 1, "expected exactly one SELECT, found SELECT, SELECT"),
        (["none.sql"], b"", 1, "no file 'none.sql'; a file with one SELECT was expected"),
        ([], b"copy contracts.rows to 'x.csv'", 1, "expected exactly one SELECT, found COPY"),
        ([], b"select '\xe9'", 1, "stdin is not UTF-8, which was expected"),
        ([], b" \n", 2, "nothing was asked: expected a SELECT, a file of one, or the name of a query"),
    ):
        ended = piped(*arguments, "--board", board, home=board, cwd=tmp_path, given=given)
        assert (ended.code, ended.out, ended.err) == (code, "", f"piibench-duck: {said}\n")


def piped(*arguments: object, home: Path, cwd: Path, given: bytes) -> Ended:
    """Ask with something on stdin."""
    variables = environment(home, PYTHONPATH=str(Path(__file__).parent.parent))
    ended = subprocess.run(
        command("sql", *arguments), input=given, capture_output=True, cwd=cwd, env=variables, check=False
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def test_a_plan_is_printed_and_nothing_is_run(call: Call, board: Path) -> None:
    ended = call("sql", "select error(text) as never from contracts.rows", "--explain", "--board", board)
    assert (ended.code, ended.err) == (0, "")
    assert "PARQUET" in ended.out.upper()
    ended = call("sql", "worst_rows", "--run", "mask-nothing", "--explain", "--board", board)
    assert (ended.code, ended.err) == (0, "")
    assert "PARQUET" in ended.out.upper()
    for asked, said in (
        ("explain analyze select 1", "expected exactly one SELECT, found EXPLAIN"),
        ("copy contracts.rows to 'x.csv'", "expected exactly one SELECT, found COPY"),
    ):
        ended = call("sql", asked, "--explain", "--board", board)
        assert (ended.code, ended.out, ended.err) == (1, "", f"piibench-duck: {said}\n")


def test_a_prompt_on_a_terminal_answers_until_ctrl_d(board: Path) -> None:
    """Ctrl-C clears what is typed, and ends an answer that would take for ever."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    root = str(Path(__file__).parent.parent)
    variables = environment(board, PYTHONPATH=root, TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
    arguments = command("sql", "--board", board)
    shown = b""

    def type_and_wait(typed: bytes, awaited: str) -> None:
        """Type, then read on until that is shown; what is typed where no prompt stands may get lost."""
        nonlocal shown
        before = len(shown)
        os.write(main, typed)
        while not re.search(awaited, CODES.sub("", shown[before:].decode(errors="replace")), re.DOTALL):
            chunk = _read(main) if select.select([main], [], [], 60)[0] else b""
            assert chunk, f"{awaited!r} is not shown: {shown[before:].decode(errors='replace')!r}"
            shown += chunk

    with (
        subprocess.Popen(
            arguments,
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=board,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        ) as process,
        killed_where_a_test_fails(process),
    ):
        os.close(other)
        prompt = r".*board\d+>"
        type_and_wait(b"", "Ctrl-D ends" + prompt)
        type_and_wait(b"select 40 + 2 as n\r, 'x' as x;\r", "│ 42 │ x │" + prompt)
        type_and_wait(b"selec 1;\r", "the query cannot be parsed" + prompt)
        type_and_wait(b"select 'never", "never")
        type_and_wait(b"\x03missed_spans --run mask-nothing\r", "│ r009 " + prompt)
        type_and_wait(b"select count(*) from range(1000000000000) a, range(1000000) b;\r", "b;")
        while b"interrupted" not in shown:  # it is heard once the answer has begun
            os.write(main, b"\x03")
            while select.select([main], [], [], 1)[0]:
                shown += _read(main) or pytest.fail(shown.decode(errors="replace"))
        type_and_wait(b"\r", prompt)
        type_and_wait(b"select 43 as n;\r", "│ 43 │" + prompt)
        os.write(main, b"\x04")
        while _read(main):
            pass
        os.close(main)
    assert process.returncode == 0


@contextmanager
def killed_where_a_test_fails(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Nobody waits for a process that goes on after its test."""
    try:
        yield
    except BaseException:
        process.kill()
        raise


def test_the_text_around_a_span_is_shown_on_a_terminal_and_harmless(board: Path) -> None:
    ended = on_terminal(*WITH_TEXT, "--board", board, home=board, columns=100)
    assert (ended.code, ended.err) == (0, "")
    header, *lines = CODES.sub("", ended.out).split("\r\n")[:-1]
    assert header.split()[:4] == ["row_id", "start_char", "end_char", "label"]
    assert lines[0].split()[:4] == ["r000", "2", "9", "PERSON"]
    assert lines[1].rstrip() == r"    😀 ⟦Ana Fox⟧\x1b[31m\x1b]0;x\x07\u202e\u2066\u200b\n\tof Zzyzx-Quuxl…"
    assert len(lines) == 20
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\u2066\u200b]", "".join(lines))
    assert set(CODES.findall(ended.out)) <= {"\x1b[0m", "\x1b[1m", "\x1b[1;7m"}
    assert ended.out.count("\x1b[1;7m⟦Ana Fox⟧\x1b[0m") == 10


def test_a_select_of_places_has_text_too(board: Path) -> None:
    select = "select 'r001' as row_id, 0 as start_char, 1 as end_char union all values ('r001', 9, 9), ('no', 0, 1)"
    ended = on_terminal("sql", select, "--with-text", "--window", 2, "--board", board, home=board)
    assert (ended.code, ended.err) == (0, "")
    assert [line.split() for line in CODES.sub("", ended.out).splitlines()] == [
        ["row_id", "start_char", "end_char"],
        *(["r001", "0", "1"], ["⟦😀⟧", "A…"]),
        *(["r001", "9", "9"], [r"…ox⟦⟧\x1b[…"]),
        *(["no", "0", "1"], ["NULL"]),
    ]


def test_a_select_of_no_rows_is_a_header(board: Path) -> None:
    ended = on_terminal("sql", f"{PLACES} limit 0", "--with-text", "--board", board, home=board)
    assert (ended.code, CODES.sub("", ended.out).split()) == (0, ["row_id", "start_char", "end_char"])


@pytest.mark.parametrize("more", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}])
def test_a_plain_terminal_shows_where_the_span_is(board: Path, more: dict[str, str]) -> None:
    ended = on_terminal("sql", f"{PLACES} limit 1", "--with-text", "--board", board, home=board, more=more)
    assert (ended.code, ended.err) == (0, "")
    assert re.search(r"(⟦|\\u27e6)Ana Fox(⟧|\\u27e7)", CODES.sub("", ended.out))


def test_on_a_narrow_terminal_the_text_goes_on_below(board: Path) -> None:
    for columns in (1, 20):
        ended = on_terminal("sql", f"{PLACES} limit 1", "--with-text", "--board", board, home=board, columns=columns)
        assert (ended.code, ended.err) == (0, "")
    _, *record = CODES.sub("", ended.out).split("\r\n")
    assert record[:3] == ["row_id     | r000", "start_char | 2", "end_char   | 9"]
    text = record[3:]
    assert "".join(line.strip() for line in text).startswith(r"😀 ⟦AnaFox⟧\x1b[31m")
    assert max(map(len, text)) <= 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (WITH_TEXT, "--with-text shows text on a screen alone, and stdout is no terminal"),
        ([*WITH_TEXT, "--format", "csv"], "--with-text shows text on a screen alone, never as csv"),
        ([*WITH_TEXT, "--format", "json"], "--with-text shows text on a screen alone, never as json"),
        ([*WITH_TEXT, "--format", "parquet"], "--with-text shows text on a screen alone, never as parquet"),
        (["sql", PLACES, "--with-text"], "--with-text shows text on a screen alone, and stdout is no terminal"),
        (["sql", PLACES, "--window", "5"], "--window says how much text --with-text shows, which was not asked for"),
        (["sql", PLACES, "--with-text", "--window", "-1"], "'--window'"),
        (["sql", PLACES, "--with-text", "--window", "x"], "'--window'"),
        (["sql", PLACES, "--json", "--format", "csv"], "--json and --format csv do not go together"),
        (["sql", PLACES, "--explain", "--json"], "--explain prints a plan, which has no text and no other format"),
        ([*WITH_TEXT, "--json"], "--with-text shows text on a screen alone, never as json"),
        (["sql", "question.sql", "--run", "rules"], "no such option: --run; a file takes no parameters"),
        (["sql", "worst_rows", "--run", "rules", "--run", "rules"], "--run is given twice"),
        (["sql", "worst_rows", "--run", "mask-nothing", "--n", "few"], "--n 'few' is no whole number"),
        (["sql", "worst_rows", "--run"], "parameters of a query are given as --name value"),
        (["sql", "worst_rows", "-r", "rules"], "parameters of a query are given as --name value"),
        (["sql", "worst_rows", "extra"], "parameters of a query are given as --name value"),
    ],
)
def test_wrong_usage_is_one_sentence_and_shows_nothing(
    call: Call, board: Path, arguments: list[str], said: str
) -> None:
    ended = call(*arguments, "--board", board)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("piibench-duck: ")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("columns", "more", "is_table"),
    [(110, {}, True), (60, {}, False), (60, {"COLUMNS": "110"}, True), (110, {"COLUMNS": "60"}, False)],
)
@pytest.mark.parametrize("with_text", [(), ("--with-text",)])
def test_a_row_that_is_wider_than_the_terminal_is_a_record(
    board: Path, columns: int, more: dict[str, str], is_table: bool, with_text: tuple[str, ...]
) -> None:
    ended = on_terminal(*WITH_TEXT[:4], *with_text, "--board", board, home=board, columns=columns, more=more)
    assert (ended.code, ended.err) == (0, "")
    lines = CODES.sub("", ended.out).splitlines()
    if is_table:
        assert any({"row_id", "start_char", "exposed_chars", "carrier"} < set(line.split()) for line in lines)
    else:
        assert lines[:3] == ["-[ 1 ]----------", "row_id        | r000", "start_char    | 2"]
        assert sum(line.startswith("row_id ") for line in lines) == 10


def test_through_a_pipe_a_table_depends_on_no_window(board: Path) -> None:
    said = {run("sql", *WITH_TEXT[1:4], "--board", board, home=board, COLUMNS=columns).out for columns in ("20", "999")}
    assert len(said) == 1
    assert said.pop().startswith("+-----")
    ended = run("sql", "select repeat('x', 180) as a, 1 as name_of_some_length", "--board", board, home=board)
    assert ended.out.splitlines()[1:] == [f"a                   | {'x' * 180}", "name_of_some_length | 1"]


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_a_format_for_programs_holds_no_text_on_a_terminal_either(board: Path, format: str) -> None:
    ended = on_terminal(*WITH_TEXT, "--format", format, "--board", board, home=board)
    assert (ended.code, ended.out) == (2, "")


def test_a_select_without_places_has_no_text(board: Path) -> None:
    ended = on_terminal("sql", "select 1 as row_id", "--with-text", "--board", board, home=board)
    assert (ended.code, ended.out) == (2, "")
    assert "needs the columns row_id, start_char, end_char; start_char, end_char not found" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["worst_rows", "--run", "nosuch"], "no run 'nosuch'; there are mask-everything, mask-nothing, rules"),
        (["worst_rows", "--run", "rules"], "run 'rules' has not been scored; run `piibench-duck score rules --board "),
        (["disagreements", "--run_a", "mask-nothing", "--run_b", "nosuch"], "no run 'nosuch'; there are "),
        (["disagreements", "--run_a", "mask-nothing"], "found --run-a"),
        (["worst_rows", "--run", "mask-nothing", "--nosuch", "1"], "found --nosuch --run"),
        (["worst_row", "--run", "mask-nothing"], "no query 'worst_row'; there are agreement, boundary_errors, "),
        (
            ["queries.worst_row", "--run", "mask-nothing"],
            "no query 'worst_row'; there are agreement, boundary_errors, ",
        ),
        (["missed_spans", "--run", "mask-nothing", "--label", "PERSONS"], "no label 'PERSONS'; there are PERSON"),
        (
            ["missed_spans", "--run", "mask-nothing", "--corpus", "nope"],
            "no corpus 'nope'; there are corpus-0, corpus-1",
        ),
        (["spurious_spans", "--run", "mask-nothing", "--source-label", "X"], "no source label 'X'; none is there in "),
        (["boundary_errors", "--run", "mask-nothing", "--kind", "long"], "no kind 'long'; there are too_long, "),
    ],
)
def test_what_is_not_there_is_one_sentence(call: Call, board: Path, arguments: list[str], said: str) -> None:
    ended = call("sql", *arguments, "--board", board)
    assert (ended.code, ended.out) == (1, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_queries_are_listed_with_their_parameters(call: Call) -> None:
    found = {line["query"]: line for line in json.loads(call("list", "queries", "--json").out)}
    assert found["boundary_errors"]["parameters"] == "--run [--carrier] [--corpus] [--kind] [--label]"
    assert found["disagreements"]["parameters"] == "--run-a --run-b [--carrier] [--corpus] [--n]"
    assert found["missed_spans"]["what it answers"].startswith("Gold spans of which a run left characters readable, ")
    assert not re.search("Grain|Parameters", "".join(line["what it answers"] for line in found.values()))
    assert "boundary_errors" in call("list", "queries").out
