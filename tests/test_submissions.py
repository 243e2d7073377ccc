"""The check of a run that a pull request brings: what it finds, and what it says that it skipped."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import (
    protocol,
    rederive,
    results,
    submissions,
    submitted_counts,
    submitted_json,
    submitted_reports,
    tab,
    warehouse,
)
from piibench_duck.beside import write_json
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.runners import registry
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


@pytest.fixture(scope="module")
def derived() -> rederive.Derived:
    """What the counts of the committed rules give."""
    return rederive.derived(COMMITTED / "rules", results.read_result(COMMITTED / "rules"))


def found_in(folder: Path, allow_unpinned: bool = False) -> list[str]:
    return submissions.check(folder, protocol.load(), None, allow_unpinned).findings


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    said = json.loads(path.read_text("utf-8"))
    change(said)
    write_json(path, said)


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
        "reports/demo-de.json: slices.all.leak is said to be 0; the counts give 4",
    ]


def test_a_run_that_was_not_run_needs_its_reason_alone(board: Path) -> None:
    folder = board / "slow"
    folder.mkdir()
    said = {"model": "slow", "kind": "model", "status": "not_run", "why": "no answer within 10 s"}
    write_json(folder / "result.json", {**said, "_provenance": {"board": "demo"}})
    write_json(folder / "meta.json", {})
    assert found_in(folder) == []
    shutil.copy(board / "rules" / "row_counts.parquet", folder)
    assert len(found_in(folder)) == 1


def test_what_is_no_folder_is_refused_in_a_sentence(board: Path, call: Call) -> None:
    ended = call("submit-check", board / "nobody")
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (1, "", 1)


def of_report(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    return lambda folder: edit(folder / "reports" / "demo-de.json", change)


def of_result(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    return lambda folder: edit(folder / "result.json", change)


def of_meta(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    return lambda folder: edit(folder / "meta.json", change)


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda folder: (folder / "reports" / "demo-de.json").unlink(), "demo-de.json is not there"),
        (lambda folder: shutil.rmtree(folder / "reports"), "demo-ru.json is not there"),
        (
            lambda folder: shutil.copy(folder / "reports" / "demo-de.json", folder / "reports" / "more.json"),
            "'more.json' is no report that the counts give",
        ),
        (of_report(lambda one: one["slices"]["carrier=prose"].update(tp=1)), "slices.carrier=prose.tp is said to be 1"),
        (of_report(lambda one: one["slices"]["all"]["per_type"]["PERSON"].update(f1=1.0)), "PERSON.f1 is said to be 1"),
        (
            of_report(lambda one: one["slices"]["domain=chat"].update(f1=1.0)),
            "domain=chat: f1 is not that of its counts",
        ),
        (of_report(lambda one: one["slices"]["domain=chat"].update(leak=99)), "leak is no count within the whole"),
        (of_report(lambda one: one["slices"].pop("domain=chat")), "other slices than the report of 'mask-nothing'"),
        (
            of_report(lambda one: one["slices"].update({"domain=Call Anna": one["slices"]["domain=chat"]})),
            "slices by domain add up to",
        ),
        (of_report(lambda one: one.update(text="Call Anna")), "text is said, and the counts give nothing"),
        (of_report(lambda one: one.update(documents_scored=99)), "documents_scored is said to be 99"),
        (of_report(lambda one: one.update(preset_revision="Call Anna")), "preset_revision is said to be a str"),
        (of_report(lambda one: one.update(corpus_revision="Call Anna")), "corpus_revision is no pin"),
        (of_report(lambda one: one.update(corpus_sha256="0" * 64)), "corpus_sha256 is not that of 'mask-nothing'"),
        (of_report(lambda one: one["environment"].update(duckdb="Call Anna")), "environment.duckdb is no version"),
        (of_report(lambda one: one["corpus_diagnostics"][0].update(text="x")), "a line that no label has"),
        (of_report(lambda one: one.pop("slices")), "is no report; score the run again"),
    ],
)
def test_a_report_says_what_the_counts_give_and_no_more(
    change: Callable[[Path], object], finding: str, board: Path, derived: rederive.Derived
) -> None:
    folder = board / "rules"
    change(folder)
    said = results.read_result(folder)
    found = list(submitted_reports.findings(folder, said, derived.reports, board / "mask-nothing"))
    assert any(finding in line for line in found)


@pytest.mark.parametrize("file", [*submitted_counts._FILES])
def test_bytes_between_pages_and_footer_are_found(file: str, board: Path) -> None:
    path = board / "rules" / f"{file}.parquet"
    if not path.is_file():
        pytest.skip("the demo board has none")
    content = path.read_bytes()
    at = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    path.write_bytes(content[:at] + b"Call Anna Smith" + content[at:])
    assert found_in(board / "rules") == [f"{path.name} holds bytes that its rows do not explain; score the run again"]


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (of_result(lambda said: said.update({"Call Anna " * 50: 1})), "is a key of 500 characters"),
        (of_meta(lambda said: said["scored_on"].update({"Call Anna " * 50: "1"})), "is a key of 500 characters"),
        (of_meta(lambda said: said["scored_on"].update(text="1")), "scored_on has a key 'text' that is not known"),
        (of_meta(lambda said: said["predicted_on"].update(lib="Call Anna Smith")), "predicted_on has a key 'lib'"),
        (of_meta(lambda said: said["predicted_on"].update(host={"a": 1})), "predicted_on has a key 'host'"),
        (of_meta(lambda said: said.update(scored_at="Call Anna")), "scored_at is no time"),
        (of_meta(lambda said: said.update(score_seconds="Call Anna")), "score_seconds is no number"),
        (
            of_result(lambda said: said["_provenance"]["settings"].update({f"k{n}": "x" for n in range(99)})),
            "64 and 10000 at most were expected",
        ),
        (
            of_result(lambda said: said["_provenance"]["settings"].update({f"k{n}": "x" * 1900 for n in range(9)})),
            "64 and 10000 at most were expected",
        ),
        (of_result(lambda said: said["_provenance"].update(settings=[1])), "_provenance.settings is no table of texts"),
        (of_result(lambda said: said["_provenance"].update(artefact="x" * 300)), "_provenance.artefact has 300"),
        (of_result(lambda said: said.update(speed={"reason": "Call Anna"})), "speed has a reason that `score`"),
        (of_result(lambda said: said.update(speed={"unit": "Call Anna"})), "speed.unit is of another kind"),
        (
            of_result(lambda said: said["tab"]["not_applicable"]["demo-de"].update(reason="Call Anna")),
            "tab.not_applicable has a reason that `score` does not write",
        ),
        (
            of_result(lambda said: said["tab"]["not_applicable"].update({"Call Anna": {"reason": tab._NO_GOLD}})),
            "1 names of corpora are none of this result",
        ),
        (of_result(lambda said: said.update(n_unmapped_gold_spans="Call Anna")), "n_unmapped_gold_spans is no count"),
    ],
)
def test_no_free_text_stands_where_nothing_is_computed(
    change: Callable[[Path], object], finding: str, board: Path
) -> None:
    change(board / "rules")
    assert any(finding in line for line in found_in(board / "rules"))


@pytest.mark.parametrize("name", ["result.json", "meta.json", "reports/demo-de.json"])
def test_json_is_the_bytes_that_score_writes(name: str, board: Path) -> None:
    path = board / "rules" / name
    content = path.read_text("utf-8")
    key = content.split('"')[1]
    for other in (content + " " * 100, "{" + f' "{key}": "Call Anna",' + content[1:], content.replace("  ", "    ")):
        path.write_text(other, "utf-8")
        told = f"{name} holds other bytes than `score` writes of what it says; score the run again"
        assert told in found_in(board / "rules")


def test_the_reasons_that_are_known_are_those_that_are_made() -> None:
    assert set(submitted_json.TAB_REASONS) == {tab._NO_GOLD, tab._NO_ANSWERS}


@pytest.mark.parametrize(("label", "is_taken"), [("Call Anna", False), ("call\u00a0anna", False), ("ANNA_X", True)])
def test_a_label_has_no_white_space_unless_the_label_map_knows_it(label: str, is_taken: bool, board: Path) -> None:
    folder = board / "rules"
    spans = f"[{{'start': 0, 'end': 1, 'label': '{label}', 'score': 1}}]"
    statement(folder, "predictions", f"update main.given set spans = {spans}")
    found = submitted_counts.findings(folder, results.read_result(folder), None)
    assert ("strings in unnest(spans).label are no label" in " ".join(found)) is not is_taken


@pytest.mark.parametrize(
    ("runner", "kind", "is_taken", "is_trusted"),
    [
        ("rules", "rules", True, False),
        ("rules", "model", False, False),
        ("mask-nothing", "model", False, False),
        ("onnx", "baseline", False, False),
        ("http", "pipeline", True, True),
        ("file", "model", False, False),
        ("file", "file", True, True),
        ("theirs", "alien", False, False),
        ("theirs", "model", True, True),
    ],
)
def test_the_kind_of_a_run_is_that_of_its_runner(runner: str, kind: str, is_taken: bool, is_trusted: bool) -> None:
    wrong, on_trust = submitted_json.kind({"kind": kind, "_provenance": {"runner": runner}})
    assert (not wrong, on_trust is not None) == (is_taken, is_trusted)


@pytest.mark.parametrize("name", ["mask-nothing", "mask-everything", "capitalised-words", "rules"])
def test_the_kinds_that_are_known_are_those_that_runners_say(name: str) -> None:
    assert registry.load_runner(name).description.kind in submitted_json.KINDS[name]


def test_each_runner_of_ours_has_a_known_kind_or_is_taken_on_trust() -> None:
    assert {*registry._own()} - submitted_json.KINDS.keys() == {"command", "http"}


def test_another_table_a_kind_that_is_none_or_half_a_character_is_one_sentence(board: Path, call: Call) -> None:
    folder = board / "rules"
    content = (folder / "result.json").read_text("utf-8")
    for change in (
        lambda said: said["_provenance"].update(settings=[1]),
        lambda said: said.update(kind="alien"),
        lambda said: said["_provenance"].update(note="\ud800"),
    ):
        said = json.loads(content)
        change(said)
        (folder / "result.json").write_text(json.dumps(said), "utf-8")
        ended = call("gate", "rules", "--baseline", "mask-nothing")
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == "piibench-duck: rules/result.json says of its run what no run is; score the run again\n"
    (folder / "result.json").write_text(content, "utf-8")
    shutil.copy(folder / "document_counts.parquet", folder / "row_counts.parquet")
    ended = call("gate", "rules", "--baseline", "mask-nothing")
    told = "rules/row_counts.parquet has other columns than `score` writes; score the run again"
    assert ended.err == f"piibench-duck: {told}\n"


def test_a_folder_of_a_board_is_called_as_its_run(board: Path, tmp_path: Path) -> None:
    shutil.copytree(board / "rules", board / "other")
    assert [one["model"] for one in results.read_board(board) if one["status"] == "broken"] == ["other"]
    with pytest.raises(PiibenchError, match=r"other/result\.json is of another run"):
        results.read_run(Board("demo", tmp_path, board, None), "other")
    assert results.read_result(board / "other")["model"] == "rules"
