"""The commands of typed scores: `score --typed` on a board and on files, and `sweep`."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import boards, build, imports
from piibench_duck.places import Board
from tests import tables
from tests.built import PROTOCOL
from tests.conftest import Call
from tests.shell import Ended, write_lines

TEXT = "Anna Bert 4111"
NAME, CARD = (0, 4, "PERSON"), (10, 14, "PAYMENT_CARD")
HEAD = "slice docs gold pred tp fp fn P R F1 F2 leak"


def span(start: int, end: int, label: str, **more: float) -> dict[str, Any]:
    return {"start": start, "end": end, "label": label, **more}


def rows() -> list[dict[str, Any]]:
    """Two corpora, six texts each, each a document, of two locales."""
    return [
        {
            **{"id": f"r{place:02}", "dataset": ("near", "far")[place % 2], "doc_id": f"d{place}", "text": TEXT},
            **{"spans": [span(*NAME)], "excluded": [span(*CARD)]},
            "slices": {"locale": "us" if place < 8 else "intl"},
        }
        for place in range(12)
    ]


def predictions() -> list[dict[str, Any]]:
    """All names are found near and none far; the card is touched in one text alone."""
    return [
        {
            "id": row["id"],
            "spans": [span(*(NAME if row["dataset"] == "near" else (5, 9, "PERSON")), score=0.3 + place / 20)]
            + ([span(10, 12, "PHONE")] if place == 0 else []),
        }
        for place, row in enumerate(rows())
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """What scores the predictions of a model `m` into `out`."""
    write_lines(tmp_path / "rows.jsonl", rows())
    write_lines(tmp_path / "preds.jsonl", predictions())
    return ["--rows", "rows.jsonl", "--preds", "preds.jsonl", "--model", "m", "--out-dir", "out"]


@pytest.fixture(scope="module")
def shared_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own board with the predictions as the run `m`, to read alone."""
    folder = tmp_path_factory.mktemp("shared") / "own"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", rows())
    place = Board("own", folder / "warehouse", folder / "results", folder)
    build.build(place, PROTOCOL)
    imports.import_run(place, PROTOCOL, write_lines(folder / "preds.jsonl", predictions()), "m", "jsonl")
    return folder


@pytest.fixture
def board(shared_board: Path, tmp_path: Path) -> Path:
    """A copy of it to write to."""
    return Path(shutil.copytree(shared_board, tmp_path / "own"))


def table(ended: Ended) -> list[str]:
    """The lines, with one blank between columns."""
    assert (ended.code, ended.err) == (0, "")
    return [" ".join(line.split()) for line in ended.out.splitlines()]


def figures(lines: list[str]) -> list[str]:
    """The lines of figures alone."""
    return [line for line in lines if line != HEAD and len(line.split()) == len(HEAD.split()) and "run=" not in line]


def test_the_table_of_a_rows_file_has_a_head_and_the_columns(call: Call, files: list[str]) -> None:
    assert [re.sub("[0-9a-f]{12}", "…", line) for line in table(call("score", "--typed", *files))] == [
        *("run=m revision=— corpus=far@… taxonomy=… design=—", "limit=none"),
        HEAD,
        "all 6 12 6 0 6 12 0.0000 0.0000 0.0000 0.0000 6",
        "",
        *("run=m revision=— corpus=near@… taxonomy=… design=—", "limit=none"),
        HEAD,
        "all 6 12 6 6 0 6 1.0000 0.5000 0.6667 0.5556 5",
        "Predicted and not counted: 1 of types that the corpus does not annotate.",
    ]


def test_slices_are_lines_of_the_columns_that_are_asked_for(call: Call, files: list[str]) -> None:
    lines = figures(table(call("score", "--typed", "--slices", "locale, language", *files)))
    assert [line.split()[0] for line in lines] == ["all", "locale=intl", "locale=us", "language=und"] * 2
    assert lines[5] == "locale=intl 2 4 2 2 0 2 1.0000 0.5000 0.6667 0.5556 2"


def test_json_is_what_the_reports_hold(call: Call, files: list[str], tmp_path: Path) -> None:
    printed = json.loads(call("score", "--typed", "--json", *files).out)
    written = [json.loads(path.read_text("utf-8")) for path in sorted((tmp_path / "out" / "reports").glob("*.json"))]
    assert printed == written
    assert [one["corpus"] for one in printed] == ["far", "near"]
    assert printed[0]["corpus_diagnostics"][0]["source_label"] == "PAYMENT_CARD"


def test_whoever_scores_without_typed_gets_the_same_files(call: Call, files: list[str], tmp_path: Path) -> None:
    call("score", "--typed", *files)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert call("score", *files).code == 0
    after = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert before.keys() == after.keys()
    assert all(before[name] == after[name] for name in before if name != "meta.json")


def test_a_limit_makes_reports_of_its_own_and_touches_nothing_else(call: Call, board: Path) -> None:
    assert call("score", "--board", board).code == 0

    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in board.rglob("*") if path.is_file()}

    before = files()
    ended = call("score", "--typed", "--limit", 2, "--slices", "locale", "--board", board)
    lines = figures(table(ended))
    assert [line.split()[:2] for line in lines] == [["all", "2"], ["locale=intl", "2"], ["locale=us", "2"]] * 2
    assert " ".join(ended.out.split()).count("limit=2 (documents of each slice; not comparable)") == 2
    after = files()
    assert {name: after[name] for name in before} == before
    new = {Path(name).name: json.loads(text) for name, text in after.items() if name not in before}
    assert new.keys() == {"far.limit-2.json", "near.limit-2.json"}
    assert all((one["limit"], one["comparable"], one["documents_scored"]) == (2, False, 2) for one in new.values())


def test_a_limit_on_a_rows_file_makes_its_report_alone(call: Call, files: list[str], tmp_path: Path) -> None:
    printed = json.loads(call("score", "--typed", "--limit", 1, "--json", *files).out)
    assert [one["limit"] for one in printed] == [1, 1]
    made = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert made == {"far.limit-1.json", "near.limit-1.json"}


def test_nothing_that_is_printed_is_of_two_corpora(call: Call, board: Path) -> None:
    ended = call("score", "--typed", "--board", board)
    assert not re.search(r"\b(mean|average|overall|total)\b", ended.out, re.IGNORECASE)
    assert len([line for line in ended.out.splitlines() if line.startswith("all ")]) == 2
    ended = call("sweep", "m", "--floors", "none", "--board", board)
    assert not re.search(r"\b(mean|average|overall|total)\b", ended.out, re.IGNORECASE)


def test_a_run_that_was_not_run_has_no_report(call: Call, board: Path) -> None:
    line = {**tables.run_line(tables.Run("absent", status="not_run")), "why": "its weights are not here"}
    boards.write_run(board / "warehouse", line, {}, {})
    ended = call("score", "--typed", "--board", board)
    assert (ended.code, ended.err.count("absent has no report, since it was not run")) == (0, 1)
    assert ended.out.count("run=m") == 2
    ended = call("score", "--typed", "--limit", 2, "--board", board)
    assert (ended.code, ended.err.count("absent has no report, since it was not run")) == (0, 1)
    ended = call("sweep", "absent", "--floors", "none", "--board", board)
    assert (ended.code, ended.err) == (1, "piibench-duck: run 'absent' was not run: its weights are not here\n")


def test_texts_that_were_not_answered_are_refused_or_missed(call: Call, board: Path, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "some.jsonl", predictions()[:11])
    assert call("import", path, "--as", "some", "--board", board, "--allow-missing").code == 0
    for limit in ([], ["--limit", 100]):
        ended = call("score", "some", "--typed", "--board", board, *limit)
        assert (ended.code, ended.out) == (1, "")
        assert "missing_rows: rows not answered by 'some' (1)" in ended.err
        ended = call("score", "some", "--typed", "--board", board, "--allow-missing", *limit)
        assert "Not answered: 1 of 6 texts; all they hold is missed." in ended.out


def test_a_sweep_prints_a_table_for_each_corpus_and_level(call: Call, shared_board: Path) -> None:
    lines = table(call("sweep", "m", "--floors", "none,0.5,2", "--board", shared_board))
    assert lines[0] == "run=m corpus=far typed=—"
    assert lines[lines.index("run=m corpus=near typed=—") :] == [
        "run=m corpus=near typed=—",
        "floor docs gold pred tp fp fn P R F1 F2 leak",
        "none 6 12 6 6 0 6 1.0000 0.5000 0.6667 0.5556 5",
        "0.5 6 12 4 4 0 8 1.0000 0.3333 0.5000 0.3846 5",
        "2.0 6 12 0 0 0 12 — 0.0000 0.0000 0.0000 5",
        "Predicted spans without a score: 1, kept at every floor.",
        "Predicted and not counted: 1 of types that the corpus does not annotate.",
        "",
        "run=m corpus=near characters=—",
        "floor gold pred tp fp fn P R F1 F2",
        "none 24 24 24 0 0 1.0000 1.0000 1.0000 1.0000",
        "0.5 24 16 16 0 8 1.0000 0.6667 0.8000 0.7143",
        "2.0 24 0 0 0 24 — 0.0000 0.0000 0.0000",
        "Predicted spans without a score: 1, kept at every floor.",
    ]


def test_a_sweep_says_where_a_floor_moves_what_is_not_counted(call: Call, board: Path, tmp_path: Path) -> None:
    lines = predictions()
    lines[0]["spans"][1]["score"] = 0.4
    path = write_lines(tmp_path / "sure.jsonl", lines)
    assert call("import", path, "--as", "sure", "--board", board).code == 0
    ended = call("sweep", "sure", "--floors", "none,0.5", "--corpus", "near", "--board", board)
    said = "Floor none: predicted and not counted: 1 of types that the corpus does not annotate."
    assert said in " ".join(table(ended))
    assert "Floor 0.5" not in ended.out


def test_a_sweep_of_a_run_without_any_score_says_so(call: Call, board: Path, tmp_path: Path) -> None:
    lines = [{**line, "spans": [span(*NAME)]} for line in predictions()]
    path = write_lines(tmp_path / "unsure.jsonl", lines)
    assert call("import", path, "--as", "unsure", "--board", board).code == 0
    told = "piibench-duck: no prediction of run 'unsure' has a score: "
    for how, left in (("keep", "all of them stay"), ("drop", "none is left")):
        ended = call("sweep", "unsure", "--floors", "1.5", "--unscored", how, "--board", board)
        assert (ended.code, ended.err) == (0, f"{told}{left} at every floor\n")


def test_a_sweep_finds_the_floor_of_a_recall(call: Call, shared_board: Path) -> None:
    ended = call("sweep", "m", "--at-recall", 0.5, "--board", shared_board, "--json")
    found = {(line["corpus"], line["level"]): line for line in json.loads(ended.out)}
    assert (found["near", "characters"]["floor"], found["near", "characters"]["recall"]) == (0.6, 0.5)
    assert (found["near", "typed"]["floor"], found["near", "typed"]["precision"]) == (0.3, 1.0)
    assert (found["far", "typed"]["floor"], found["far", "typed"]["is_reached"]) == (None, False)
    shown = call("sweep", "m", "--at-recall", 0.5, "--board", shared_board, "--corpus", "far")
    assert "Not reached: even without a floor, the recall is lower or undefined." in shown.out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["score", "--slices", "locale"], 2, "--slices and --limit go with --typed"),
        (["score", "--limit", "3"], 2, "--slices and --limit go with --typed"),
        (["score", "--typed", "--limit", "0"], 2, "--limit"),
        (["score", "--typed", "--limit", "9" * 20], 2, "--limit"),
        (["sweep", "m"], 2, "sweep needs either --floors or --at-recall"),
        (["sweep", "m", "--floors", "none", "--at-recall", "0.5"], 2, "sweep needs either --floors or --at-recall"),
        (["sweep", "m", "--floors", "low"], 2, "--floors names 'low'; a number or none was expected"),
        (["sweep", "m", "--floors", "nan"], 2, "--floors names 'nan'; a number or none was expected"),
        (["sweep", "m", "--floors", ""], 2, "--floors names ''; a number or none was expected"),
        (["sweep", "m", "--floors", "1_0"], 2, "--floors names '1_0'; a number or none was expected"),
        (["sweep", "m", "--at-recall", "0_1"], 2, "--at-recall names '0_1'; a number was expected"),
        (["sweep", "m", "--at-recall", "95"], 1, "a recall of 95.0 cannot be; a number from 0 to 1 was expected"),
        (["sweep", "nobody", "--floors", "none"], 1, "no run 'nobody'; there are m"),
        (["sweep", "m", "--floors", "none", "--corpus", "x"], 1, "no corpus 'x' on board 'own'; there are far, near"),
        (["score", "--typed", "--slices", "colour"], 1, "no column 'colour'; there are carrier, language, locale"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    call: Call, shared_board: Path, arguments: list[str], code: int, told: str
) -> None:
    ended = call(*arguments, "--board", shared_board)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err
    assert "Traceback" not in ended.err
