"""The check of a run that a pull request brings: what it finds, and what it says that it skipped."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import protocol, results, submissions, submitted_counts, warehouse
from tests.built import PROTOCOL, demo_board
from tests.conftest import Call

COMMITTED = Path(__file__).parent.parent / "results" / "demo"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Two results of the demo board, in the home of `call`."""
    folder = tmp_path / "home" / "results" / "demo"
    for run in ("rules", "mask-nothing"):
        shutil.copytree(COMMITTED / run, folder / run)
    return folder


def found_in(folder: Path, allow_unpinned: bool = False) -> list[str]:
    return submissions.check(folder, protocol.load(), None, allow_unpinned).findings


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    said = json.loads(path.read_text("utf-8"))
    change(said)
    path.write_text(json.dumps(said), "utf-8")


def statement(folder: Path, file: str, *changes: str) -> None:
    """A Parquet file after statements on its rows, `main.given`."""
    con = warehouse.connect()
    warehouse.create_from_parquet(con, "main.given", folder / f"{file}.parquet")
    for change in changes:
        con.execute(change)
    warehouse.copy_to(con, "from main.given", folder / f"{file}.parquet")


def test_a_committed_result_passes_and_what_was_skipped_is_said(board: Path, call: Call) -> None:
    ended = call("submit-check", board / "rules")
    assert (ended.code, ended.err) == (0, "")
    *skipped, last = ended.out.splitlines()
    assert all(line.startswith("skipped: ") for line in skipped)
    assert any("board 'demo' has not been built" in line for line in skipped)
    assert last.startswith("rules: ")
    assert last.endswith(" figures computed again from counts; 0 findings")


def test_with_the_board_at_hand_the_predictions_are_scored_again(board: Path) -> None:
    report = submissions.check(board / "rules", PROTOCOL, demo_board())
    assert (report.findings, report.is_scored_again) == ([], True)
    statement(board / "rules", "predictions", "update main.given set spans = [] where len(spans) > 3")
    report = submissions.check(board / "rules", PROTOCOL, demo_board())
    [line] = report.findings
    assert "rows have other counts than predictions.parquet gives" in line


def test_a_changed_figure_is_one_finding_with_both_values(board: Path, call: Call) -> None:
    edit(board / "rules" / "result.json", lambda said: said["scores"]["mean"].update(f1=0.9))
    ended = call("submit-check", board / "rules", "--json")
    assert ended.code == 1
    report = json.loads(ended.out)
    true = results.read_result(COMMITTED / "rules")["scores"]["mean"]["f1"]
    assert report["findings"] == [f"scores.mean.f1 is said to be 0.9; the counts give {true!r}"]
    assert report["n_figures"] > 3000


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda folder: (folder / "predictions.parquet").unlink(), "predictions.parquet is not there"),
        (lambda folder: (folder / "notes.txt").write_text("hello"), "'notes.txt' is no file of a result"),
        (lambda folder: (folder / "more").mkdir(), "'more' is neither a file nor a folder of its own"),
        (lambda folder: (folder / "reports" / "a.txt").write_text("x"), "'reports/a.txt' is no file of a result"),
        (lambda folder: (folder / "meta.json").write_text("[]"), "meta.json is no JSON object"),
        (lambda folder: edit(folder / "meta.json", lambda said: said.update(texts=[])), "meta.json: no key 'texts'"),
        (lambda folder: (folder / "result.json").write_text("{"), "rules/result.json is no result"),
        (lambda folder: edit(folder / "result.json", lambda said: said.update(model="other")), "one name of a run was"),
        (
            lambda folder: edit(folder / "result.json", lambda said: said["_provenance"].update(board="seven")),
            "the result is of board 'seven', and lies with those of 'demo'",
        ),
        (
            lambda folder: edit(folder / "result.json", lambda said: said["_provenance"].update(note="x" * 3000)),
            "result.json: _provenance: note is a text of 3000 characters",
        ),
        (
            lambda folder: edit(folder / "result.json", lambda said: said["intervals"].update(replicates=10**9)),
            "intervals.replicates is not a whole number from 1 to 100000",
        ),
        (
            lambda folder: edit(folder / "result.json", lambda said: said["_provenance"].update(rows_digest="'; x")),
            "_provenance.rows_digest is no SHA-256",
        ),
    ],
)
def test_a_folder_that_is_not_whole_is_one_finding(change: Callable[[Path], object], finding: str, board: Path) -> None:
    change(board / "rules")
    [line] = found_in(board / "rules")
    assert finding in line


@pytest.mark.parametrize(
    ("pins", "is_taken"),
    [
        ({"is_pinned": True}, True),
        ({"is_pinned": False}, False),
        ({"is_pinned": None}, False),
        ({"is_pinned": None, "model_id": "a/b", "model_revision": "0123456789" * 4}, True),
        ({"is_pinned": None, "model_id": "a/b", "model_revision": "main"}, False),
        ({"is_pinned": None, "model_id": None, "model_revision": "0123456789" * 4}, False),
    ],
)
def test_a_run_has_to_be_pinned_unless_it_is_said_that_it_need_not(
    pins: dict[str, Any], is_taken: bool, board: Path
) -> None:
    (board / "rules" / "pair_counts.parquet").unlink()  # so that nothing is computed
    edit(board / "rules" / "result.json", lambda said: said["_provenance"].update(pins))
    lines = [line for line in found_in(board / "rules") if "not pinned" in line]
    assert (not lines) == is_taken
    assert not [line for line in found_in(board / "rules", allow_unpinned=True) if "not pinned" in line]


@pytest.mark.parametrize(
    ("file", "changes", "finding"),
    [
        ("row_counts", ["alter table main.given add column text varchar"], "row_counts.parquet has other columns"),
        ("row_counts", ["alter table main.given alter tp type varchar"], "row_counts.parquet has other columns"),
        (
            "typed_counts",
            ["update main.given set label = 'Call Anna Smith; she said so' where row_id like '%001%'"],
            "strings in label are no label",
        ),
        (
            "document_counts",
            ["update main.given set doc_id = 'Anna Smith' where doc_id like '%de-001'"],
            "document_counts.parquet: 1 strings in doc_id are no id",
        ),
        ("pair_counts", ["update main.given set carrier = 'Anna'"], "strings in carrier are no carrier"),
        ("row_counts", ["update main.given set fp = -1"], "row_counts.parquet: 245 rows have a count that is negative"),
        (
            "entity_counts",
            ["delete from main.given where row_id like '%001%'"],
            "entity_counts.parquet has the rows of",
        ),
        ("predictions", ["delete from main.given where id like '%001%'"], "predictions.parquet has the rows of"),
        (
            "row_counts",
            ["update main.given set fn = fn + 1, by_type = [{type: 'PERSON', tp: 999, fn: 999}] where carrier = 'xml'"],
            "lines are of other rows or gold than mask-nothing/row_counts.parquet",
        ),
        ("document_counts", ["insert into main.given from main.given limit 1"], "stand there once"),
    ],
)
def test_counts_that_cannot_be_are_found(file: str, changes: list[str], finding: str, board: Path) -> None:
    folder = board / "rules"
    said = results.read_result(folder)
    assert submitted_counts.findings(folder, said, board / "mask-nothing") == []
    statement(folder, file, *changes)
    found = submitted_counts.findings(folder, said, board / "mask-nothing")
    assert any(finding in line for line in found)


def test_a_file_that_breaks_off_is_a_finding(board: Path) -> None:
    path = board / "rules" / "row_counts.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    [line] = found_in(board / "rules")
    assert line == "row_counts.parquet is not a whole Parquet file"


def test_a_result_of_other_rows_than_those_beside_it_is_refused_by_name(board: Path) -> None:
    edit(board / "rules" / "result.json", lambda said: said["_provenance"].update(rows_digest="0" * 64, protocol="1"))
    assert "it cannot be ranked with 'mask-nothing': its protocol and rows_digest differs" in found_in(board / "rules")


def test_keys_that_no_result_has_are_found(board: Path) -> None:
    edit(board / "rules" / "result.json", lambda said: said.update(text="Call Anna"))
    edit(board / "rules" / "result.json", lambda said: said["_provenance"].update(rows="Call Anna"))
    edit(board / "rules" / "reports" / "demo-de.json", lambda said: said["slices"]["all"].update(leak=0))
    lines = found_in(board / "rules")
    assert lines == [
        "text is said, and the counts give nothing",
        "_provenance.rows is said, and no result says it",
        "reports/demo-de.json says other figures than result.json",
    ]


def test_a_run_that_was_not_run_needs_its_reason_alone(board: Path) -> None:
    folder = board / "slow"
    folder.mkdir()
    said = {"model": "slow", "kind": "model", "status": "not_run", "why": "no answer within 10 s"}
    (folder / "result.json").write_text(json.dumps({**said, "_provenance": {"board": "demo"}}))
    (folder / "meta.json").write_text("{}")
    assert found_in(folder) == []
    shutil.copy(board / "rules" / "row_counts.parquet", folder)
    assert len(found_in(folder)) == 1


def test_what_is_no_folder_is_refused_in_a_sentence(board: Path, call: Call) -> None:
    ended = call("submit-check", board / "nobody")
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (1, "", 1)
