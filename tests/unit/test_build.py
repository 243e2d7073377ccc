"""Building a board: rows once for all designs, the same bytes from any number of processes, refusals counted."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from piibench_duck import build, carriers, designs, protocol, warehouse, wrapped_rows
from piibench_duck.corpora import Gold
from piibench_duck.places import Board
from piibench_duck.wrapped_rows import Item
from tests.conftest import ROOT
from tests.shell import environment

CONSTANTS = {
    **{"corpus": "c", "source": "s", "split": "all", "doc_id": "s/d", "passage_start": 0},
    **{"language": "en", "licence": "MIT", "slices": [("kind", "letter")]},
}
ITEMS = [
    Item(
        "s/d#0", "Ana Fox left. Bo stayed.", [Gold(0, 7, "PER", "e1")], [(0, 14), (14, 24)], ["csv", "xml"], CONSTANTS
    ),
    Item("s/d#1", "A bell \x07 rang for Ana.", [Gold(18, 21, "PER")], [(0, 22)], ["csv", "xml"], CONSTANTS),
]


def written(folder: Path) -> Mapping[str, bytes]:
    """Bytes of every Parquet file."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Board, build.BuildReport]:
    """The whole demo board, every design."""
    folder = tmp_path_factory.mktemp("demo")
    board = Board("demo", folder / "warehouse", folder / "results", None)
    return board, build.build(board, protocol.load(), workers=1)


def test_the_same_bytes_come_from_any_number_of_processes_and_from_another_build(
    built: tuple[Board, build.BuildReport], tmp_path: Path
) -> None:
    board = Board("demo", tmp_path / "warehouse", tmp_path / "results", None)
    totals: list[int] = []
    parts: list[int] = []

    def start(n_rows: int) -> Callable[[int], None]:
        totals.append(n_rows)
        return parts.append

    report = build.build(board, protocol.load(), workers=3, start=start)
    assert report == built[1]
    assert written(tmp_path) == written(built[0].warehouse.parent)
    assert totals == [sum(parts)]
    assert sum(parts) == sum(one.n_rows + sum(one.refused.values()) for one in report.corpora)


def test_each_design_selects_rows_of_one_building_and_has_a_digest_of_its_own(
    built: tuple[Board, build.BuildReport],
) -> None:
    board, report = built
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse)
    shapes = dict(
        con.sql(
            "select design, (count(distinct passage_id), count(distinct carrier), count(*)) "
            "from contracts.designs join contracts.rows using (row_id) group by design"
        ).fetchall()
    )
    n_prose = con.sql(
        "select count(*) from contracts.designs where design = 'balanced' and row_id like '%@prose'"
    ).fetchall()[0][0]
    assert shapes == {
        "balanced": (245, 12, 245),
        "paired": (245, 12, 490 - n_prose),
        "full": (10, 12, 10 * 12),
        "documents": (245, 1, 245),
    }
    n_rows = con.sql("select count(*), count(distinct row_id) from contracts.rows").fetchall()
    assert n_rows == con.sql("select count(distinct row_id), count(distinct row_id) from contracts.designs").fetchall()
    assert [design["design"] for design in report.designs] == sorted(shapes)
    assert len({design["rows_digest"] for design in report.designs}) == 4


def test_carriers_are_spread_evenly_within_each_corpus(built: tuple[Board, build.BuildReport]) -> None:
    con = warehouse.connect()
    warehouse.attach(con, built[0].warehouse)
    uneven = con.sql(
        "select corpus, max(n) - min(n) as spread, count(*) as n_carriers from ("
        "  select corpus, carrier, count(*) as n from contracts.designs join contracts.rows using (row_id)"
        "  where design = 'balanced' group by all"
        ") group by corpus having spread > 1 or n_carriers != 12"
    ).fetchall()
    assert uneven == []


def test_a_passage_that_a_format_cannot_hold_is_refused_with_the_reason_and_without_its_text() -> None:
    made = wrapped_rows.make(ITEMS)
    assert list(made.refused) == [("s/d#1", "xml")]
    assert "U+0007" in made.refused["s/d#1", "xml"]
    assert "bell" not in made.refused["s/d#1", "xml"]
    assert made.tables["rows"]["row_id"].to_pylist() == ["s/d#0@csv", "s/d#0@xml", "s/d#1@csv"]
    assert designs.kept([[("s/d#1", "prose"), ("s/d#1", "xml")]], made.refused) == []


def test_what_is_made_fits_the_contracts_and_agrees_with_the_carrier() -> None:
    con = warehouse.connect()
    made = wrapped_rows.make(ITEMS)
    for table, rows in made.tables.items():
        warehouse.fill_arrow(con, table, rows)
    warehouse.check(con, ["gold_surfaces_are_what_substring_gives", "alignments_cover_their_passage"])
    key = carriers.row_key("s/d#0", "csv")
    wrapped = carriers.wrap("csv", ITEMS[0].text, [(0, 7)], ITEMS[0].values, key)
    found = warehouse.rows_of(
        con, "select * from contracts.gold_spans join contracts.rows using (row_id) where row_id = 's/d#0@csv'"
    )
    assert [(line["start_char"], line["end_char"]) for line in found] == wrapped.spans
    assert (found[0]["text"], found[0]["surface"], found[0]["entity_id"]) == (wrapped.text, "Ana Fox", "e1")
    lines = con.sql(
        "select * exclude (row_id) from contracts.alignments where row_id = 's/d#0@csv' order by interval_index"
    )
    assert [tuple(line) for line in lines.fetchall()] == [tuple(line) for line in wrapped.alignments]


def test_rows_that_leave_as_json_lines_have_the_same_surfaces_under_their_offsets(
    built: tuple[Board, build.BuildReport], tmp_path: Path
) -> None:
    con = warehouse.connect()
    warehouse.attach(con, built[0].warehouse)
    warehouse.fill(con, "settings", {"seed": [0], "replicates": [1]})
    warehouse.derive(con, ["marts.bench_rows"])
    warehouse.save(con.sql("select * from marts.bench_rows").to_arrow_table(), tmp_path / "rows.jsonl", "jsonl")
    sliced = set()
    for line in (tmp_path / "rows.jsonl").read_text("utf-8").split("\n")[:-1]:
        row = json.loads(line)
        for span in [*row["spans"], *row["excluded"]]:
            sliced.add((row["id"], span["start"], span["end"], row["text"][span["start"] : span["end"]]))
    there = con.sql("select row_id, start_char, end_char, surface from contracts.gold_spans").fetchall()
    assert sliced == set(there)
    assert {row_id.rpartition("@")[2] for row_id, *_ in sliced} == set(designs.default_carriers())


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, signal\n"
        "from piibench_duck import wrapped_rows\n"
        "if __name__ == '__main__':\n"
        "    with wrapped_rows.maker(0, 2) as make:\n"
        "        list(make([]))\n"
        "        from concurrent.futures import ProcessPoolExecutor\n"
        "        executor = next(o for o in __import__('gc').get_objects() if isinstance(o, ProcessPoolExecutor))\n"
        "        print(*{executor.submit(os.getpid).result() for _ in range(20)}, flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    script = tmp_path / "killed.py"
    script.write_text(code)
    ended = subprocess.run(
        [sys.executable, script],
        env=environment(tmp_path, PYTHONPATH=str(ROOT)),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    workers = [int(pid) for pid in ended.stdout.split()]
    assert workers
    for _ in range(100):
        alive = [pid for pid in workers if Path(f"/proc/{pid}").exists()]
        if not alive:
            return
        time.sleep(0.1)
    pytest.fail(f"workers are still there: {alive}")


def test_an_offset_that_means_something_else_to_duckdb_is_found() -> None:
    con = warehouse.connect()
    for table, rows in wrapped_rows.make(ITEMS).tables.items():
        warehouse.fill_arrow(con, table, rows)
    con.execute("update contracts.gold_spans set start_char = start_char + 1 where row_id = 's/d#0@csv'")
    with pytest.raises(Exception, match="gold surfaces are what substring gives, but 1 do not"):
        warehouse.check(con, ["gold_surfaces_are_what_substring_gives"])
