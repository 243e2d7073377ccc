"""Tables on a terminal and through a pipe."""

from typing import Any

import pytest

from piibench_duck.around import Window
from piibench_duck.board import terminal


def result(name: str, f1: float | None, kind: str = "model") -> dict[str, Any]:
    row = {"f1": [None if f1 is None else 0.1, f1], "share_incomplete": 0.25 if f1 is None else 0.0}
    return {
        **{"model": name, "kind": kind, "status": "ran", "n_rows": 10, "n_rows_missing": 3},
        "scores": {
            "mean": {"f1": f1, "precision": 0.5, "recall": 0.25, "touch_rate": None},
            "by_corpus": {"[red]c[/red]": {"n_rows": 10}},
        },
        "intervals": {"row": row, "replicates": 1000, "seed": 0},
        "_provenance": {},
    }


NOT_RUN = {"model": "absent", "kind": "model", "status": "not_run", "why": "no\nmodel"}


def test_a_board_fits_eighty_columns_and_is_plain_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    found = [result("capitalised-words", 0.5, "baseline"), result("[red]:+1:", None), NOT_RUN]
    terminal.board("[bold]A board", found, undated=["other", "[red]c[/red]"])
    out = capsys.readouterr().out
    assert out.replace(terminal.DASH, "").isascii()
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert out.splitlines() == [
        "[bold]A board",
        "run                      F1     95 % interval       P       R  touch  missing",
        "capitalised-words *  0.5000  0.1000 to 0.5000  0.5000  0.2500      —        3",
        "[red]:+1:                 —            — to —  0.5000  0.2500      —        3",
        r"not run: absent, no\nmodel",
        "* a baseline, there to be beaten",
        "10 rows: [red]c[/red] 10",
        *("No dates are annotated in [red]c[/red]: a date found there counts against every", "run."),
        "Mean over corpora; intervals by row, 1000 bootstrap replicates, seed 0.",
        *("Where rows of a document are alike, believe the interval by document, in", "result.json."),
        "[red]:+1:: 25.0% of the replicates left out a corpus that had no value.",
    ]


def test_a_reader_is_told_where_an_interval_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    alone = result("raw", 0.5)
    alone["intervals"]["document"] = {"n_units_fewest": 1}
    terminal.board("A board", [alone])
    told = capsys.readouterr().out
    assert "A corpus has one document alone: intervals, ranks and p by document say nothing" in told
    assert "believe the interval by document" not in told
    assert "one row alone" not in told


def test_a_board_says_what_a_reader_has_to_know_of_its_runs(capsys: pytest.CaptureFixture[str]) -> None:
    def said(name: str, kind: str = "model", **provenance: object) -> dict[str, Any]:
        return {**result(name, 0.5, kind), "_provenance": provenance}

    together = {"run_a": "raw", "run_b": "rules", "rule": "union"}
    terminal.board(
        "A board",
        [
            said("raw", artefact="m@1", steered={"[red]c[/red]": "its authors read it", "tab": "x"}, is_pinned=True),
            said("shipped", artefact="m@1", is_pinned=False, conflict_of_interest="We made it."),
            said("both", "combined", artefact="both", settings=together, is_pinned=None),
            said("redacted", "file", settings={"format": "redacted", "aligned": "true"}),
        ],
    )
    told = capsys.readouterr().out.splitlines()
    assert told[6:13] == [
        "raw, shipped are one artefact, m@1, scored in 2 ways.",
        "raw was steered by [red]c[/red]: its authors read it",  # of tab, which is not measured here, nothing
        "shipped is not pinned: what ran cannot be had again exactly.",
        "Conflict of interest, shipped: We made it.",
        "both is raw and rules together, by the rule union.",
        *("redacted was read from redacted text: where its spans lie was found by", "alignment."),
    ]


def test_a_board_without_runs_says_what_was_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.board("Empty", [NOT_RUN])
    assert capsys.readouterr().out.splitlines()[-1] == r"not run: absent, no\nmodel"


@pytest.mark.parametrize("n_words", [1, 100])
def test_cells_show_what_they_hold(n_words: int, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "[red]x[/red] :smile: a\tb\nc\x1b[31m\u202e\x85 http://127.0.0.1 'q' 12"
    terminal.lines(["[b]name", ""], [(hostile, None), ({"a": [1, None]}, "wide " * n_words)])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert r"[red]x[/red] :smile: a\tb\nc\x1b[31m\u202e\x85 http://127.0.0.1 'q' 12" in out
    assert "NULL" in out
    assert "{'a': [1, None]}" in out
    assert ("wide " * n_words).rstrip() in out
    assert out.startswith("-[ 1 ]---" if n_words > 1 else "+---")


def test_no_rows_are_a_header(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.lines(["a"], [])
    assert capsys.readouterr().out.splitlines() == ["+---+", "| a |", "+===+", "+---+"]
    terminal.lines(["a" * 100, "b" * 100], [])
    assert capsys.readouterr().out.splitlines() == [f"{'a' * 100} | {'b' * 100}"]


@pytest.mark.parametrize("columns", ["5", "80", "1000"])
def test_a_table_that_does_not_fit_is_records(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)  # of the window that a pipe happens to come from
    room = terminal.PIPED_WIDTH - 7 - len("name")
    terminal.lines(["name", "א"], [("a b", "x" * room), ("שלום", "漢字")])
    assert {len(line) for line in capsys.readouterr().out.splitlines()} == {terminal.PIPED_WIDTH, 198}
    terminal.lines(["name", "א"], [("a b", "x" * (room + 1)), ("שלום", "漢字")])
    assert capsys.readouterr().out.splitlines() == [
        *("-[ 1 ]-", "name | a b", f"א    | {'x' * (room + 1)}"),
        *("-[ 2 ]-", "name | שלום", "א    | 漢字"),
    ]


def test_cells_of_words_are_broken_between_their_words_alone(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("a-name-of-some-length", "said " * 60), ("b", "x" * 50)]
    terminal.lines(["name", "what"], rows, of_words=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= terminal.NARROW
    assert rows[0][0] in lines[3]
    assert "".join(lines).count("said") == 60
    terminal.lines(["name", "what"], [*rows, ("c" * 30, "d")], of_words=True)
    assert capsys.readouterr().out.startswith("-[ 1 ]-\nname | a-name-of-some-length\nwhat | said said")
    terminal.lines(["name", "what"], [("c" * 78, "d e")], of_words=True)
    assert capsys.readouterr().out.splitlines() == ["-[ 1 ]-", "name", f"  {'c' * 78}", "what", "  d e"]


def test_records_have_the_text_of_their_spans_below(capsys: pytest.CaptureFixture[str]) -> None:
    window = Window("…ll ", "Anna", " no…")
    terminal.lines_with_text(["row_id", "a"], [(("r", 1), window), (("s", None), None)])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        *("row_id  a", "r       1", "    …ll ⟦Anna⟧ no…", "s       NULL", "    NULL"),
    ]
    terminal.lines_with_text(["row_id", "a"], [(("r" * 200, 1), window), (("s", None), None)])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        *("-[ 1 ]---", f"row_id | {'r' * 200}", "a      | 1", "    …ll ⟦Anna⟧ no…"),
        *("-[ 2 ]---", "row_id | s", "a      | NULL", "    NULL"),
    ]


def test_an_undefined_comparison_is_printed_with_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    undefined = dict.fromkeys(("difference", "difference_low", "difference_high", "p_value", "smallest_detectable"))
    terminal.comparison("a\nb", "c", {**undefined, "unit": "row", "n_replicates": 5, "share_incomplete": 0.5})
    assert capsys.readouterr().out.splitlines() == [
        r"mean F1 of a\nb minus c",
        "difference  95 % interval  p  detectable",
        "         —         — to —  —           —",
        "By row, 5 bootstrap replicates, paired; p is two-sided.",
        "detectable: the smallest difference that these rows could tell apart.",
        "Replicates that left a corpus out: 50.0%",
    ]
