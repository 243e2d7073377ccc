"""The interactive prompt, typed into through prompt_toolkit's own pipe."""

import itertools
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from piibench_duck import prompt, query, questions, warehouse
from tests.built import PROTOCOL, demo_board
from tests.shell import SENTINEL

NAMES = prompt.Names()
ODD = ("", " ", ";", "worst_rows", "queries.", "WORST_ROWS", "--", "\n", ".schema", ".", "'", "é\ud800", "select")


def answered_to(typed: str) -> list[object]:
    """Type into a prompt and leave: what the answers hold."""
    board, found = demo_board(), list[object]()

    def answer(con: warehouse.Connection | None, question: questions.Question) -> None:
        _, rows = questions.rows(con, board, PROTOCOL, question, 5)
        found.append(list(query.cells(rows)))

    with create_pipe_input() as pipe:
        pipe.send_text(typed + "\x04")
        prompt.start(board, PROTOCOL, answer, pipe, DummyOutput())
    return found


def offered(before: str, after: str = "") -> list[str]:
    document = Document(before + after, len(before))
    return [one.text for one in NAMES.get_completions(document, CompleteEvent())]


def test_a_select_goes_on_until_its_semicolon() -> None:
    typed = "select 1 as a,\r  ';' as b -- not yet;\r;\rselect 2;\r"
    assert answered_to(typed) == [[(1, ";")], [(2,)]]


def test_views_are_made_when_they_are_asked_for() -> None:
    typed = (
        "select count(*) from marts.mean_scores where run_id = 'rules';\rfrom staging.runs select run_id order by 1;\r"
    )
    assert answered_to(typed) == [[(1,)], [("mask-everything",), ("rules",)]]


def test_a_query_is_asked_by_its_name() -> None:
    [found] = answered_to("worst_rows --run rules --n 1\r")
    assert found == [("demo-es/es-010#0@csv", 273, 293, 94, 0, 576, "demo-es", "csv")]


def test_a_semicolon_ends_a_query_and_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    [found] = answered_to("worst_rows;\rworst_rows --run rules --n 1;\r.help;\r.quit ;\rselect 6;\r")[-1:]
    assert found == [("demo-es/es-010#0@csv", 273, 293, 94, 0, 576, "demo-es", "csv")]
    out, err = capsys.readouterr()
    assert ".tables" in out
    assert len(err.splitlines()) == 2  # the greeting, and that the first of them needs a run


def test_names_of_tables_and_queries_are_found_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    answered_to(".schema marts.Scores\r.Schema WORST_ROWS;\r")
    out, err = capsys.readouterr()
    assert "worst_rows --run" in out
    assert "touch_rate" in out
    assert len(err.splitlines()) == 1


def test_completion_never_fails() -> None:
    for text in {"".join(parts) for parts in itertools.product(ODD, repeat=3)}:
        for before, after in ((text, ""), (text, " from marts.scores"), (text[:-1], text[-1:])):
            assert all(isinstance(one, str) for one in offered(before, after))


def test_an_error_is_one_sentence_and_the_prompt_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    typed = (
        "selec 1;\rcreate table x as select 1;\rfrom nosuch;\rworst_rows --run nosuch\rworst_rows --n\r"
        "select error(text) from contracts.rows;\r.nosuch\r.schema\r.schema nosuch\r\r;\rselect 3;\r"
    )
    assert answered_to(typed) == [[(3,)]]
    _, *said = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("piibench-duck: ")[:24] for line in said] == [
        "the query cannot be pars",
        "expected exactly one SEL",
        "the query is refused: Ca",
        "no run 'nosuch'; there a",
        "parameters of a query ar",
        "the query failed: Invali",
        "no command '.nosuch'; th",
        "no command '.schema'; th",
        "no table and no query 'n",
    ]


def test_ctrl_c_clears_the_line_and_ctrl_d_leaves() -> None:
    assert answered_to("select 'never\x03select 4;\r") == [[(4,)]]
    assert answered_to("select 5;\r.quit\rselect 6;\r") == [[(5,)]]


def test_the_handler_of_ctrl_c_is_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    answered_to("select 1;\r")
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_ends_an_answer_and_not_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    """As often as it is pressed."""
    board, found = demo_board(), list[object]()

    def answer(con: warehouse.Connection | None, question: questions.Question) -> None:
        ended = threading.Event()

        def press() -> None:
            while not ended.wait(0.01):
                os.kill(os.getpid(), signal.SIGINT)

        pressing = threading.Thread(target=press)
        pressing.start()
        try:
            found.append(list(query.cells(questions.rows(con, board, PROTOCOL, question, 5)[1])))
        finally:
            ended.set()
            pressing.join()

    with create_pipe_input() as pipe:
        pipe.send_text("select count(*) from range(1000000000000) a, range(1000000) b;\r\x04")
        prompt.start(board, PROTOCOL, answer, pipe, DummyOutput())
    assert found == []
    assert capsys.readouterr().err.splitlines()[1:] == ["piibench-duck: interrupted"]
    assert answered_to("select 2;\r") == [[(2,)]]


def test_commands_list_tables_columns_and_queries(capsys: pytest.CaptureFixture[str]) -> None:
    answered_to(".help\r.tables\r.schema marts.mean_scores\r.schema worst_rows\r.queries\r")
    out = capsys.readouterr().out
    assert all(command in out for command in prompt.COMMANDS)
    assert all(f"| {name} " in out for name in NAMES.relations)
    assert re.search(r"\| f1 +\| DOUBLE +\| mean F1, the ranked figure", out)
    assert "worst_rows --run [--carrier] [--corpus] [--n]" in out
    assert all(f"| {name} " in out for name in NAMES.queries)


def test_nothing_that_is_typed_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    histories = []
    with sessions(monkeypatch) as made:
        answered_to(f"select '{SENTINEL}';\r")
        histories = [session.history for session in made]
    assert [type(history) for history in histories] == [InMemoryHistory]
    assert histories[0].get_strings() == [f"select '{SENTINEL}';"]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and SENTINEL.encode() in path.read_bytes()] == []


@contextmanager
def sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[PromptSession[str]]]:
    """The sessions that are made meanwhile."""
    made: list[PromptSession[str]] = []

    class Kept(PromptSession[str]):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[arg-type]  # whatever it is made with
            made.append(self)

    monkeypatch.setattr(prompt, "PromptSession", Kept)
    yield made


def test_names_of_tables_columns_and_queries_are_offered() -> None:
    assert offered("mis") == ["missed_by_carrier", "missed_by_length", "missed_spans"]
    assert offered("sel") == ["select"]
    assert offered(".t") == [".tables"]
    assert offered(".schema marts.mean") == ["marts.mean_scores"]
    assert offered("worst_rows --c") == ["--carrier", "--corpus"]
    assert offered("select * from marts.mean") == ["marts.mean_scores"]
    assert offered("select tou", " from marts.mean_scores") == ["touch_rate"]
    assert offered("select metrics.f1") == ["metrics.f1(", "metrics.f1_of("]
    assert offered("select safe") == ["safe_ratio("]
    assert offered("") == []
    assert offered("select ") == []
