"""What carriers do, through the command line: a folder board of texts in prose and in two carriers."""

import json
from pathlib import Path

import pytest

from tests.shell import SENTINEL, rows, run, write_lines


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten texts in prose, in csv and in form, predicted by rules and by mask-everything, and scored."""
    folder = tmp_path_factory.mktemp("board")
    texts = rows(text=f"Dr. Ana Fox came to {SENTINEL}. She left, said “he”.")
    plain = write_lines(
        folder / "plain.jsonl",
        ({**line, "spans": [{"start": 4, "end": 11, "label": "PERSON"}]} for line in texts),
    )
    lines = plain.read_text("utf-8")
    for carrier in ("csv", "form"):
        out = folder / f"{carrier}.jsonl"
        assert run("wrap", "--carrier", carrier, "--in", plain, "--out", out, home=folder).code == 0
        lines += out.read_text("utf-8")
    (folder / "rows.jsonl").write_text(lines, "utf-8")
    for command in (["build"], ["predict", "rules", "mask-everything", "mask-nothing"], ["score"]):
        ended = run(*command, "--board", folder, home=folder)
        assert ended.code == 0, ended.err
    return folder


def effects(board: Path, name: str) -> dict[str, dict[str, float]]:
    ended = run("carriers", name, "--board", board, "--json", home=board)
    assert ended.code == 0, ended.err
    found: dict[str, dict[str, float]] = json.loads(ended.out)["by_carrier"]
    return found


def test_effects_of_gaming_runs_are_what_they_must_be(board: Path) -> None:
    everything = effects(board, "mask-everything")
    assert sorted(everything) == ["csv", "form"]
    for one in everything.values():
        assert one["n_passages"] == 10
        assert one["f1_carrier"] < one["f1_prose"]  # the syntax is marked, too
        assert (one["recall_prose"], one["recall_carrier"], one["lost_chars"]) == (1, 1, 0)
        assert one["scaffold_fp"] > 0
        assert one["lookalike_touched"] == one["lookalike"] > 0
        assert (one["field_recall"], one["field_tn"]) == (1, 0)
    for one in effects(board, "mask-nothing").values():
        assert (one["difference"], one["difference_low"], one["difference_high"]) == (0, 0, 0)
        assert (one["field_precision"], one["field_recall"], one["scaffold_fp"]) == (None, 0, 0)


def test_the_table_says_what_the_result_says(board: Path) -> None:
    ended = run("carriers", "rules", "--board", board, home=board)
    found = effects(board, "rules")
    assert ended.code == 0
    for name, one in found.items():
        lines = [line.split() for line in ended.out.splitlines() if line.startswith(f"{name} ")]
        assert len(lines) == 5
        assert lines[0][1:5] == [
            "10",
            f"{one['f1_prose']:.4f}",
            f"{one['f1_carrier']:.4f}",
            f"{one['difference']:+.4f}",
        ]
        assert lines[1][-2:] == [f"{one['lost_chars']}", f"{one['gained_chars']}"]
    assert "paired" in ended.out


def test_what_was_lost_is_listed_by_ids_and_offsets(board: Path) -> None:
    for asked, carriers in (([], {"csv", "form"}), (["--carrier", "form"], {"form"})):
        query = ["sql", "lost_in_carrier", "--board", board, "--run", "rules", *asked, "--format", "json"]
        ended = run(*query, home=board)
        found = json.loads(ended.out)
        assert {line["carrier"] for line in found} <= carriers
        for carrier in carriers:
            lost = sum(line["passage_end"] - line["passage_start"] for line in found if line["carrier"] == carrier)
            assert lost == effects(board, "rules")[carrier]["lost_chars"]
    assert effects(board, "rules")["form"]["lost_chars"] > 0


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["carriers", "nosuch"], 1, "no result of a run 'nosuch' on board "),
        (["carriers"], 2, ""),
        (["sql", "lost_in_carrier", "--run", "nosuch"], 1, "no run 'nosuch'; there are mask-everything"),
        (
            ["sql", "lost_in_carrier"],
            1,
            "query 'lost_in_carrier' takes --run [--carrier], found none",
        ),
        (["sql", "lost_in_carrier", "--run"], 2, "parameters of a query are given as --name value"),
        (["sql", "lost", "--run", "rules"], 1, "no query 'lost'; there are agreement, boundary_errors, "),
        (["sql", "select 1", "--run", "rules"], 2, "no such option: --run; a SELECT takes no parameters"),
        (["predict", "rules", "--design", "full"], 1, "no design 'full' on board "),
    ],
)
def test_what_cannot_be_is_one_sentence(board: Path, command: list[str], code: int, said: str) -> None:
    ended = run(*command, "--board", board, home=board) if command[-1] != "--run" else run(*command, home=board)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("piibench-duck: ")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_run_without_pairs_says_so(tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", rows())
    for command in (["build"], ["predict", "rules"], ["score"]):
        assert run(*command, "--board", tmp_path, home=tmp_path).code == 0
    ended = run("carriers", "rules", "--board", tmp_path, home=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("rules has answered no passage both in prose and in another carrier; ")


def test_no_result_holds_a_text(board: Path) -> None:
    for path in (board / "results").rglob("*"):
        if path.is_file():
            assert SENTINEL.encode() not in path.read_bytes()
