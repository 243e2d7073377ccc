"""Every committed result says what its counts say, and its counts what its predictions say where the rows are there."""

import copy
import json
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import build, protocol, rederive, rescored, results, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests.built import PROTOCOL, demo_board
from tests.conftest import NOT_MEASURED

ROOT = Path(__file__).parent.parent / "results"
COMMITTED = {board: sorted(path.parent for path in (ROOT / board).glob("*/result.json")) for board in ("demo", "seven")}
RAN = {
    board: [one for one in folders if results.read_result(one)["status"] == "ran"]
    for board, folders in COMMITTED.items()
}
ALL = [folder for folders in RAN.values() for folder in folders]


def called(folder: object) -> str:
    return f"{folder.parent.name}/{folder.name}" if isinstance(folder, Path) else str(folder)


@cache
def rederived(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a result says, and what its counts say."""
    said = results.read_result(folder)
    return said, rederive.figures(folder, said)


@pytest.mark.parametrize("folder", ALL, ids=called)
def test_every_figure_of_a_committed_result_comes_out_of_its_counts(
    folder: Path, record_property: Callable[[str, object], None]
) -> None:
    said, found = rederived(folder)
    for key, why in rederive.SKIPPED.items():
        record_property(NOT_MEASURED, f"{key} of committed results: {why}")
    assert rederive.differences(said, found) == []
    assert rederive.n_figures(found) > 3000


def test_there_are_committed_results_of_both_boards() -> None:
    assert all(len(folders) >= 5 for folders in RAN.values())


@pytest.mark.parametrize("folder", RAN["demo"], ids=called)
def test_the_row_counts_of_a_committed_demo_result_come_out_of_its_spans(folder: Path) -> None:
    assert rescored.differences(demo_board(), PROTOCOL, folder, results.read_result(folder)) == []


@pytest.fixture(scope="module")
def seven(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Board, protocol.Protocol]]:
    """The board of the real corpora with the rows that rank alone."""
    whole = protocol.load()
    design = whole.boards["seven"].ranked
    plan = whole.boards["seven"]._replace(designs=(design,), predict=(design,), pairs=design, documents=None)
    ranked_alone = whole._replace(boards={**whole.boards, "seven": plan})
    folder = tmp_path_factory.mktemp("seven")
    board = Board("seven", folder / "warehouse", folder / "results", None)
    build.build(board, ranked_alone, mirror)
    yield board, ranked_alone
    shutil.rmtree(folder)  # texts of real people stay no longer than they are needed


@pytest.mark.corpora
def test_the_row_counts_of_the_committed_results_on_real_corpora_come_out_of_their_spans(
    seven: tuple[Board, protocol.Protocol],
) -> None:
    for folder in RAN["seven"]:
        assert rescored.differences(*seven, folder, results.read_result(folder)) == [], folder.name


def figures_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from figures_of(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from figures_of(inner, (*path, place))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def test_no_figure_can_be_changed_unseen_but_those_that_are_said_to_be_skipped() -> None:
    said, found = rederived(ROOT / "demo" / "rules")
    said = copy.deepcopy(said)
    paths = list(figures_of(said))
    assert len(paths) > 3000
    for path in paths:
        inner: Any = said
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] += 1 if isinstance(inner[path[-1]], int) else 1e-9
    seen = {line.split(" is said to be ")[0] for line in rederive.differences(said, found)}
    expected = {re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", ".".join(map(str, path))) for path in paths}
    assert seen == {
        key for key in expected if key not in rederive.SKIPPED and key.split(".")[0] not in rederive.SKIPPED
    }


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("scores", "mean", "f1"), None),
        (("scores", "by_corpus", "demo-de", "tp"), "1"),
        (("intervals", "row", "f1"), [float("nan"), 1.0]),
        (("scores", "by_type", "PERSON"), {}),
        (("scores", "by_type", "INVENTED"), {"tp": 1, "fn": 0, "recall": 1.0}),
        (("entity", "overall"), None),
        (("documents", "by_corpus", "demo-de", "share_protected"), True),
    ],
)
def test_what_is_of_another_kind_or_not_there_is_named_with_its_key(path: tuple[str, ...], value: object) -> None:
    said, found = rederived(ROOT / "demo" / "rules")
    changed = copy.deepcopy(said)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    lines = rederive.differences(changed, found)
    assert lines
    assert all(line.startswith(".".join(path)) for line in lines)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("row_counts", "fn = fn + 1 where row_id = "),
        ("row_counts", "n_rows_missing = 1 where row_id = "),
        ("pair_counts", "lost_chars = lost_chars + 1 where row_id = "),
        ("entity_counts", "n_exact_same = n_exact_same + 1 where row_id = "),
        ("typed_counts", "leaked = leaked + 1 where row_id = "),
        ("document_counts", "exposed_chars = exposed_chars + 1 where doc_id = "),
    ],
)
def test_a_count_that_is_changed_is_seen_in_the_figures(file: str, change: str, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(ROOT / "demo" / "rules", folder)
    key = change.split()[-2]
    changed(folder, file, f"update main.given set {change}(select min({key}) from main.given)")
    said = results.read_result(folder)
    assert rederive.differences(said, rederive.figures(folder, said))


def changed(folder: Path, file: str, change: str) -> None:
    """A Parquet file after a statement on its rows, `main.given`."""
    con = warehouse.connect()
    warehouse.create_from_parquet(con, "main.given", folder / f"{file}.parquet")
    con.execute(change)
    warehouse.copy_to(con, "from main.given", folder / f"{file}.parquet")


def test_predictions_of_others_are_seen_in_the_counts_of_rows(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(ROOT / "demo" / "rules", folder)
    changed(folder, "predictions", "update main.given set spans = [] where id = (select min(id) from main.given)")
    [line] = rescored.differences(demo_board(), PROTOCOL, folder, results.read_result(folder))
    assert line.startswith("row_counts.parquet: 1 rows have other counts than predictions.parquet gives")


def test_counts_of_other_rows_have_another_digest(tmp_path: Path) -> None:
    said = results.read_result(ROOT / "demo" / "rules")
    said["_provenance"]["rows_digest"] = "0" * 64
    found = rescored.differences(demo_board(), PROTOCOL, ROOT / "demo" / "rules", said)
    assert found == ["_provenance.rows_digest is not that of the board's rows"]


def test_a_result_without_its_counts_is_refused_in_a_sentence(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "demo" / "rules", tmp_path / "rules")
    (tmp_path / "rules" / "pair_counts.parquet").unlink()
    with pytest.raises(PiibenchError, match=r"rules/pair_counts\.parquet is not there"):
        rederive.figures(tmp_path / "rules", results.read_result(tmp_path / "rules"))


def test_a_result_of_a_rows_file_comes_out_of_its_counts_too(tmp_path: Path, call: Any) -> None:
    from tests.shell import predictions, rows, write_lines

    lines = rows()
    write_lines(tmp_path / "rows.jsonl", lines)
    write_lines(tmp_path / "preds.jsonl", predictions(lines[1:], end=6))
    files = ("--rows", tmp_path / "rows.jsonl", "--preds", tmp_path / "preds.jsonl", "--replicates", 50)
    ended = call("score", *files, "--model", "m", "--out-dir", tmp_path / "out", "--allow-missing", "--json")
    assert json.loads(ended.out)["n_rows_missing"] == 1
    said = results.read_result(tmp_path / "out")
    assert rederive.differences(said, rederive.figures(tmp_path / "out", said)) == []
