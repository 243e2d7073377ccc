"""Programs as detectors: what they are sent, what of their answers is taken, and how they are stopped."""

import json
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from piibench_duck import predict
from piibench_duck.errors import PiibenchError
from piibench_duck.quiet import no_collection
from piibench_duck.runners import Answer, Span, Text, _program, _reply
from piibench_duck.runners.command import shown
from piibench_duck.runners.registry import load_runner

TEXTS = [Text("r1", "Anna 😀 Smith left."), Text("r2", "Nobody \u2028 here"), Text("r3", "Call Bob")]
READ = "import json, os, sys, time\nrows = [json.loads(line) for line in sys.stdin]\n"


def program(folder: Path, script: str) -> str:
    """A program of Python as a command."""
    file = folder / "detect.py"
    file.write_text(script)
    return shlex.join([sys.executable, str(file)])


def write_all(spans: str) -> str:
    """A script that answers every row, once it has read all, with spans that are an expression in `row`."""
    return READ + f"for row in rows:\n    print(json.dumps({{'id': row['id'], 'spans': {spans}}}))\n"


def write_each(spans: str, before: str = "pass") -> str:
    """A script that answers each row as it comes."""
    return (
        "import json, os, sys, time\nfor line in sys.stdin:\n    row = json.loads(line)\n"
        f"    {before}\n    print(json.dumps({{'id': row['id'], 'spans': {spans}}}))\n"
    )


FIRST_WORD = "[{'start': 0, 'end': row['text'].index(' '), 'label': 'X', 'score': 1}]"


def refusal(command: str, **options: str) -> str:
    with pytest.raises(PiibenchError) as caught:
        load_runner("command", command, options=options)
    return str(caught.value)


@pytest.mark.parametrize("mode", ["once", "stream"])
def test_a_program_answers_in_any_order_and_under_any_usual_spelling(tmp_path: Path, mode: str) -> None:
    script = {
        "once": READ + "for row in reversed(rows):\n"
        "    print(json.dumps({'example_id': row['id'], 'entities': [{'begin': 0, 'stop': 4, 'tag': 'X'}]}))\n\n",
        "stream": write_each("[{'start_offset': 0, 'end_offset': 4, 'entity_type': 'X'}]"),
    }[mode]
    detector = load_runner("command", program(tmp_path, script), options={"mode": mode})
    for _ in range(2):
        assert detector(TEXTS) == [Answer((Span(0, 4, "X"),), len(text.text)) for text in TEXTS]


def test_a_stream_is_one_process_and_once_is_one_for_each_batch(tmp_path: Path) -> None:
    by_process = "[{'start': 0, 'end': 1, 'label': f'P{os.getpid()}'}]"
    for mode, n_processes in (("stream", 1), ("once", 3)):
        detector = load_runner("command", program(tmp_path, write_each(by_process)), options={"mode": mode})
        labels = {answer.spans[0].label for _ in range(3) for answer in detector(TEXTS)}
        assert len(labels) == n_processes, mode


def test_a_program_is_sent_id_and_text_and_nothing_else_in_ascii_lines(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = f"import sys\nlines = sys.stdin.buffer.read()\nopen({str(seen)!r}, 'ab').write(lines)\n"
    script += "import json\nfor line in lines.splitlines():\n"
    script += "    print(json.dumps({'id': json.loads(line)['id'], 'spans': []}))\n"
    load_runner("command", program(tmp_path, script))(TEXTS)
    sent = seen.read_bytes()
    assert sent.isascii()
    rows = [json.loads(line) for line in sent.splitlines()]
    assert rows == [{"id": text.row_id, "text": text.text} for text in [_reply.PROBE, *TEXTS]]


def test_what_the_run_records_names_files_without_their_folders_and_no_arguments(tmp_path: Path) -> None:
    command = program(tmp_path, write_all("[]"))
    described = load_runner("command", f"{command} --key geheim").description
    assert described.model == shown(f"{command} --key geheim") == f"{Path(sys.executable).name} detect.py"
    assert str(tmp_path) not in repr(described)
    assert "geheim" not in repr(described)
    assert (described.kind, described.is_pinned, described.settings["mode"]) == ("pipeline", False, "once")
    others = [load_runner("command", command).description]
    program(tmp_path, write_all("[]") + "# changed\n")
    others.append(load_runner("command", f"{command} --key geheim").description)
    assert len({one.settings["command_sha256"] for one in [described, *others]}) == 3
    (tmp_path / "elsewhere").mkdir()
    moved = program(tmp_path / "elsewhere", write_all("[]") + "# changed\n")
    assert load_runner("command", f"{moved} --key geheim").description == others[1]


def test_the_program_may_come_as_an_option_and_no_shell_reads_it(tmp_path: Path) -> None:
    command = program(tmp_path, write_all("[]") + f"open({str(tmp_path / 'seen')!r}, 'w').write(repr(sys.argv[1:]))\n")
    load_runner("command", options={"command": f"{command} '; touch' $HOME `id`"})
    assert (tmp_path / "seen").read_text() == repr(["; touch", "$HOME", "`id`"])


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        (None, {}, "runner 'command' needs a program with its arguments, as its model or as option 'command'"),
        ("a", {"command": "b"}, "runner 'command' needs a program with its arguments, as its model or as option"),
        ("", {}, "runner 'command' needs a program"),
        ("a 'b", {}, "has a quote without its end"),
        ("/nowhere/no-such-program -x", {}, "there is no program 'no-such-program' that may be run"),
        ("true", {"mode": "twice"}, "option 'mode' of runner 'command' is 'twice'; there are once, stream"),
        ("true", {"timeout": "0"}, "option 'timeout' of runner 'command' is '0'; expected an integer from 1"),
        ("true", {"offset_unit": "char"}, "option 'offset_unit' of runner 'command' is 'char'; there are codepoint"),
        ("true", {"shell": "yes"}, "runner 'command' has no option 'shell'"),
    ],
)
def test_what_cannot_be_a_program_is_refused(command: str | None, options: dict[str, str], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        load_runner("command", command, options=options)
    assert str(caught.value).startswith(said) or said in str(caught.value)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import sys; sys.exit(3)", "does not answer as it should: it ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 11)", "does not answer as it should: it was ended by signal 11"),
        (write_all("[]") + "sys.exit(4)", "does not answer as it should: it ended with exit code 4"),
        ("print('Loading model')", "does not answer as it should: not JSON at character 0"),
        ("", "does not answer as it should: missing_rows, it was not answered"),
        (write_all("[{'start': 0, 'end': 999, 'label': 'X'}]"), "out_of_range, spans[0] is [0, 999) of a text of 30"),
        (write_all("[{'start': 0, 'end': 4.0, 'label': 'X'}]"), "bad_schema, spans[0]: 'end' is a number"),
        (write_all("[{'start': 0, 'end': 4, 'label': 'X', 'score': float('nan')}]"), "NaN or Infinity"),
        (write_all("[{'start': 0, 'end': 4, 'label': 'X', 'text': 'Bert'}]"), "surface_mismatch"),
        (write_all("[{'start': 0, 'begin': 0, 'end': 4, 'label': 'X'}]"), "both 'start' and 'begin'"),
        (write_all("None"), "bad_schema, 'spans' is null, an array was expected"),
        (READ + 'print(\'{"id": "other", "spans": []}\')', "an answer to a row that was not asked"),
        (write_all("[]") + "print(json.dumps({'id': 'probe', 'spans': []}))", "duplicate_row, it was answered twice"),
        (write_all("[{'word': 'Anna', 'label': 'X'}]"), "gives no offsets with what it finds"),
        (write_all("['Anna']"), "gives no offsets with what it finds"),
        (write_all("[{'word': 'Anna', 'start': None, 'end': None, 'label': 'X'}]"), "gives no offsets"),
        (READ + "sys.stdout.buffer.write(b'\\xff\\n')", "not UTF-8"),
        (READ + 'print(\'{"id": "probe", "id": "probe", "spans": []}\')', "a key stands twice"),
        (READ + 'print(\'{"id": "probe", "spans": [{"label": "\\\\ud83d"}]}\')', "surrogate"),
    ],
)
def test_a_program_that_cannot_answer_the_probe_stops_before_any_row(tmp_path: Path, script: str, said: str) -> None:
    told = refusal(program(tmp_path, script))
    assert said in told
    assert told.startswith(f"the program '{Path(sys.executable).name} detect.py' ")
    assert "Anna" not in told
    assert str(tmp_path) not in told


def test_a_reply_that_is_nested_too_deeply_is_no_answer() -> None:
    with no_collection(), pytest.raises(_reply.BadReplyError, match="nested too deeply"):  # as the command line does
        _reply.decoded(b"[" * 10**6)


def test_a_program_that_writes_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_program, "MOST_BYTES", 1 << 20)
    answer = '{"id": "probe", "spans": []}'
    assert "far more answers than rows" in refusal(program(tmp_path, f"while True:\n    print({answer!r})"))
    assert "more than 1048576 bytes" in refusal(program(tmp_path, "while True:\n    print('\\n' * 1000, end='')"))
    assert "more than 1048576 bytes" in refusal(program(tmp_path, "while True:\n    print('x' * 1000, end='')"))


@pytest.mark.parametrize(("mode", "line"), [("once", ""), ("stream", ""), ("once", '{"id": "r1", "spans": []}')])
def test_a_program_that_always_writes_another_line_has_its_time_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, line: str
) -> None:
    monkeypatch.setattr("piibench_duck.runners.command._MORE", 10**9)
    script = write_each("[]", f"while row['id'] != 'probe': print({line!r})")
    detector = load_runner("command", program(tmp_path, script), options={"mode": mode, "timeout": "2"})
    began = time.monotonic()
    with pytest.raises(TimeoutError, match="gave no whole answer in 2 s"):
        detector([Text("r1", "a"), Text("r2", "b")])
    assert time.monotonic() - began < 20


def test_no_more_lines_are_kept_than_are_asked_for_soon(tmp_path: Path) -> None:
    running = _program.Program([sys.executable, "-c", "while True: print('x')"], "it")
    deadline = time.monotonic() + 20
    while running._lines.qsize() < _program._AHEAD and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    assert running._lines.qsize() == _program._AHEAD
    running.kill()
    assert not any(thread.is_alive() for thread in running._threads)
    idle = _program.Program([sys.executable, "-c", "while True: print()"], "it")
    time.sleep(0.5)
    assert idle._lines.qsize() == 0
    idle.kill()


def test_failures_of_every_kind_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = load_runner("command", program(tmp_path, write_all("[]")))

    def fail(*_: object) -> None:
        raise KeyError("Anna")

    monkeypatch.setattr("piibench_duck.runners.command.answers", fail)
    monkeypatch.setattr(_reply, "PATIENCE", 2)
    with pytest.raises(KeyError):
        detector(TEXTS)
    with pytest.raises(PiibenchError, match="failed 2 times in a row, at last so: KeyError"):
        detector(TEXTS)


def test_a_program_that_waits_for_the_end_of_its_input_is_told_of_the_other_mode(tmp_path: Path) -> None:
    command = program(tmp_path, write_all("[]"))
    told = refusal(command, mode="stream", timeout="1")
    assert told.endswith(
        "gave no whole answer in 1 s; a program that writes only at the end of its input needs the option mode=once"
    )
    assert load_runner("command", command, options={"timeout": "20"})(TEXTS[:1]) == [Answer((), len(TEXTS[0].text))]


def is_there(pid: int) -> bool:
    """Whether a process is there and not only waits to be asked for its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_a_program_that_hangs_is_killed_with_what_it_started_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    script = (
        "import os, signal, subprocess, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(file)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\ntime.sleep(60)\n"
    )
    bystander = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    try:
        began = time.monotonic()
        assert "gave no whole answer in 2 s" in refusal(program(tmp_path, script), timeout="2")
        assert time.monotonic() - began < 15
        deadline = time.monotonic() + 5
        pids = [int(pid) for pid in file.read_text().split()]
        while any(map(is_there, pids)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [is_there(pid) for pid in [*pids, bystander]] == [False, False, True]
    finally:
        os.kill(bystander, 9)
        os.waitpid(bystander, 0)


def answered(folder: Path, command: str, texts: list[Text], **options: str) -> tuple[list[str], dict[str, int]]:
    """Status of each row, and the kinds of errors, as a run has them."""
    detector = load_runner("command", command, options=options)
    predict.predict(texts, detector, folder / "run", "digest")
    found = predict.answers(folder / "run")
    by_id = dict(zip(found.run_rows["row_id"].to_pylist(), found.run_rows["status"].to_pylist(), strict=True))
    return [by_id[text.row_id] for text in texts], dict(found.errors)


@pytest.mark.parametrize("mode", ["once", "stream"])
def test_a_row_that_kills_the_program_fails_alone_and_the_program_starts_again(tmp_path: Path, mode: str) -> None:
    dies = "os._exit(7) if 'Bob' in row['text'] else None"
    command = program(tmp_path, write_each(FIRST_WORD, dies))
    texts = [Text(f"r{place}", f"Anna Smith {place}") for place in range(8)] + [Text("bad", "Call Bob")]
    status, errors = answered(tmp_path, command, texts, mode=mode)
    assert status == ["ok"] * 8 + ["error"]
    assert errors == {"ExitError": 1}


def test_rows_with_faults_fail_alone_within_their_batch(tmp_path: Path) -> None:
    spans = "{'r1': [{'start': 5, 'end': 2, 'label': 'X'}], 'r3': [{'start': 0, 'end': 4, 'label': 'X'}]}"
    script = READ + f"spans = {spans}\nfor row in rows:\n    if row['id'] != 'r2':\n"
    script += "        print(json.dumps({'id': row['id'], 'spans': spans.get(row['id'], []), 'chars_seen': 7}))\n"
    answers = load_runner("command", program(tmp_path, script))(TEXTS)
    assert [answer.status for answer in answers] == ["error", "error", "truncated"]
    assert answers[2] == Answer((Span(0, 4, "X"),), 7, "truncated")


def test_a_program_that_fails_at_every_row_ends_the_run_instead_of_failing_for_hours(tmp_path: Path) -> None:
    command = program(tmp_path, write_each("[]", "os._exit(1) if row['id'] != 'probe' else None"))
    with pytest.raises(PiibenchError, match=r"failed 20 times in a row, at last so: it ended with exit code 1"):
        answered(tmp_path, command, [Text(f"r{place:02d}", "x") for place in range(40)])


def test_offsets_in_other_units_are_code_points_afterwards(tmp_path: Path) -> None:
    text = Text("r", "😀 Anna")
    script = write_all("[{'start': %d, 'end': %d, 'label': 'X'}] if row['id'] == 'r' else []")
    for unit, interval in (("codepoint", (2, 6)), ("utf16", (3, 7)), ("byte", (5, 9))):
        detector = load_runner("command", program(tmp_path, script % interval), options={"offset_unit": unit})
        assert detector([text]) == [Answer((Span(2, 6, "X"),), 6)], unit


def test_many_large_texts_go_through_while_the_program_writes_as_it_reads(tmp_path: Path) -> None:
    texts = [Text(f"r{place}", "Anna Smith " * 10_000) for place in range(4)]  # more than any pipe holds
    spans = "[{'start': at * 11, 'end': at * 11 + 4, 'label': 'X'} for at in range(len(row['text']) // 11)]"
    answers = load_runner("command", program(tmp_path, write_each(spans)))(texts)
    assert [len(answer.spans) for answer in answers] == [10_000] * 4


def test_what_is_running_can_be_killed_at_once(tmp_path: Path) -> None:
    load_runner("command", program(tmp_path, write_each("[]")), options={"mode": "stream"})
    running = list(_program._RUNNING)
    assert running
    _program.kill_all()
    assert all(program._process.wait(5) == -9 for program in running)
