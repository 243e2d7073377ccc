"""What commands show on a terminal of 80 columns, through a pipe, as JSON, and while they work."""

import contextlib
import io
import json
import os
import pty
import re
import select
import shutil
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from piibench_duck import cli, console
from tests.built import demo_board
from tests.conftest import Call
from tests.shell import predictions, rows, write_lines
from tests.test_docs import command_options

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
SHOWN = [
    "score --replicates 10",
    "score rules --typed --slices carrier,language",
    "compare --a rules --b mask-everything --iterations 10",
    "sweep rules --floors none,0.5",
    "carriers rules",
    "compare --all",
    "doctor",
    *(f"list {what}" for what in ("corpora", "carriers", "metrics", "runners", "queries", "runs")),
]
OURS = SHOWN[:6]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the demo board in its place."""
    for name, built in (("warehouse", demo_board().warehouse), ("results", demo_board().results)):
        shutil.copytree(built, tmp_path / name / "demo")
    monkeypatch.setenv("PIIBENCH_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Terminal:
    """A terminal that remembers what was written on it."""

    def __init__(self) -> None:
        self._main, other = pty.openpty()
        self.screen = open(other, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # a descriptor, closed by `close`
        self._said = b""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # Linux says so where a terminal has closed
            while chunk := os.read(self._main, 65536):
                self._said += chunk

    def close(self) -> str:
        self.screen.close()
        self._reader.join()
        os.close(self._main)
        return self._said.decode()

    @property
    def said(self) -> str:
        return self._said.decode(errors="replace")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


@pytest.mark.parametrize("command", SHOWN)
def test_a_terminal_of_eighty_columns_is_wide_enough(command: str, home: Path, terminal: Terminal) -> None:
    with contextlib.redirect_stdout(terminal.screen), pytest.raises(SystemExit) as ended:
        cli.main(command.split())
    shown = SEQUENCE.sub("", terminal.close()).splitlines()
    assert ended.value.code == 0
    assert len(shown) > 1
    assert max(map(len, shown)) <= 80
    assert "…" not in "".join(shown)  # nothing is cut off


@pytest.mark.parametrize("command", OURS)
def test_no_figure_is_cut_on_a_narrow_terminal(command: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    wide = _shown(command, 300, monkeypatch)
    for columns in (60, 40, 20):
        narrow = _shown(command, columns, monkeypatch)
        figures = [re.findall(r"[-+]?\d+\.\d+", " ".join(shown)) for shown in (wide, narrow)]
        assert Counter(figures[0]) == Counter(figures[1])
        whole = {word for line in wide for word in line.split() if re.fullmatch(r"[-+]?\d+", word)}
        assert whole <= {word for line in narrow for word in line.split()}
        broken = [line for line in narrow if not line.startswith("The whole board: ")]  # a path is one word
        assert all(len(line) <= columns or len(line.split()) == 1 for line in broken)


def _shown(command: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal = Terminal()
    with contextlib.redirect_stdout(terminal.screen), pytest.raises(SystemExit):
        cli.main(command.split())
    return SEQUENCE.sub("", terminal.close()).splitlines()


@pytest.mark.parametrize("command", SHOWN)
def test_figures_and_words_through_a_pipe_are_plain_and_eighty_columns_wide(command: str, home: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as ended:
        cli.main(command.split())
    shown = out.buffer.getvalue().decode()  # type: ignore[attr-defined]  # the BytesIO that was put there
    assert ended.value.code == 0
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_every_command_gives_its_result_as_json() -> None:
    without = [name for name, known in command_options() if "--json" not in known]
    assert not without


def test_what_commands_do_is_told_as_json_alone(call: Call, tmp_path: Path) -> None:
    def told(*arguments: object) -> object:
        ended = call(*arguments, "--json")
        assert ended.code == 0, ended.err
        found: object = json.loads(ended.out)
        return found

    board = tmp_path / "board"
    board.mkdir()
    taken = rows()
    write_lines(board / "rows.jsonl", taken)
    write_lines(tmp_path / "preds.jsonl", predictions(taken))
    on = ("--board", board)
    built = told("build", *on)
    assert isinstance(built, dict)
    assert {one["corpus"]: one["n_rows"] for one in built["corpora"]} == {"corpus-0": 5, "corpus-1": 5}
    ran = [{"run": name, "state": "ran", "why": None, "errors": {}, "batch_check": None} for name in ("rules",)]
    assert told("predict", "rules", *on) == ran
    assert told("predict", "rules", *on) == [{**ran[0], "state": "kept"}]
    assert told("import", "preds.jsonl", "--as", "mine", *on) | {"designs": []} == {  # type: ignore[operator]
        **{"run": "mine", "n_rows": 10, "n_spans": 10, "n_missing": 0, "n_ranked": 10, "unused": []},
        **{"designs": [], "unexplained": {}},
    }
    both = told("combine", "rules", "mine", "--as", "both", *on)
    assert both == {"run": "both", "run_a": "rules", "run_b": "mine", "rule": "union", "n_rows": 10}
    told("score", *on, "--replicates", "5")
    exported = told("export", "marts.scores", "--where", "run_id = 'mine'", "--out", "scores.csv", *on)
    assert exported == {"table": "marts.scores", "n_rows": 4, "out": "scores.csv"}
    assert told("drop", "both", *on) == {"board": "board", "removed": ["both"]}
    files = ("--rows", board / "rows.jsonl")
    written = told("predict", *files, "--model", "rules", "--out", "found.jsonl")
    assert written == {"model": "rules", "errors": {}, "out": "found.jsonl"}
    wrapped = told("wrap", "--carrier", "json", "--in", board / "rows.jsonl", "--out", "json.jsonl")
    assert wrapped == {"carrier": "json", "n_rows": 10, "refused": {}, "out": "json.jsonl"}
    told("predict", "--rows", "json.jsonl", "--model", "rules", "--out", "there.jsonl")
    back = told("unwrap", "--in", "json.jsonl", "--preds", "there.jsonl", "--out", "back.jsonl")
    assert back == {"n_rows": 10, "n_rows_missing": 0, "n_spans_dropped": 10, "out": "back.jsonl"}
    made = told("convert", board / "rows.jsonl", "gold.conll", "--to", "conll")
    assert made == {"n_rows": 10, "runs": [], "n_spans_left_out": {}, "out": "gold.conll"}
    fetched = told("fetch", "demo-en")
    assert isinstance(fetched, dict)
    assert [one["source"] for one in fetched["sources"]] == ["demo-en"]
    assert fetched["failed"] == {}


@pytest.mark.parametrize("total", [1_000_000, None])
def test_a_long_step_shows_its_rate_and_the_time_left(
    total: int | None, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "PATIENCE", 0)
    monkeypatch.setattr(sys, "stderr", terminal.screen)
    wanted = re.compile(
        r"reading: rows .*\d+ of 1000000 rows, \d+/s, \d+:\d\d:\d\d left" if total else r"\d+ rows, \d+/s"
    )
    with console.steps("reading") as steps:
        steps.say("rows")
        done = steps.start(total)
        for _ in range(10_000):
            done(1)
            if wanted.search(SEQUENCE.sub("", terminal.said)):
                break
            select.select([], [], [], 0.01)
    assert wanted.search(SEQUENCE.sub("", terminal.close()))


def test_a_short_step_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PATIENCE", 3600)
    monkeypatch.setattr(sys, "stderr", terminal.screen)
    with console.steps("reading") as steps:
        steps.say("rows")
        steps.start(10)(10)
    assert SEQUENCE.sub("", terminal.close()).strip() == ""


def test_a_log_gets_no_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PATIENCE", 0)
    with console.steps("reading") as steps:
        steps.say("rows")
        steps.start(10)(10)
    assert capsys.readouterr() == ("", "")
