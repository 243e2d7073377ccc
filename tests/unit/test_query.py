"""Queries and slices as tables and files."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piibench_duck import build, protocol, query, sandbox, warehouse
from piibench_duck.errors import PiibenchError
from tests.shell import rows, write_lines


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    write_lines(folder / "rows.jsonl", rows())
    plan = protocol.load()
    build.build(protocol.find_board(str(folder), plan), plan)
    return folder


def test_rows_are_printed_as_csv_json_and_parquet(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    found = pa.table({"a": [1, None], "b": [['x"', None], []], "c": ["é,\n", "NULL"]})
    query.print_rows(found, "json")
    assert json.loads(capfdbinary.readouterr().out) == [
        {"a": 1, "b": ['x"', None], "c": "é,\n"},
        {"a": None, "b": [], "c": "NULL"},
    ]
    query.print_rows(found, "csv")
    assert capfdbinary.readouterr().out.decode().startswith("a,b,c\n1,")
    query.print_rows(found, "parquet")
    assert pq.read_table(io.BytesIO(capfdbinary.readouterr().out)).to_pylist() == found.to_pylist()
    query.print_rows(found.slice(0, 0), "json")
    assert json.loads(capfdbinary.readouterr().out) == []
    query.print_rows(found.slice(0, 0), "csv")
    assert capfdbinary.readouterr().out == b"a,b,c\n"


def test_names_of_columns_may_repeat() -> None:
    found = warehouse.run_one_select(warehouse.connect(), "select 1 as a, 2 as a", at_most=5)
    assert found.column_names == ["a", "a"]
    assert list(query.cells(found)) == [(1, 2)]


def test_of_a_huge_result_only_the_first_rows_are_made() -> None:
    found = warehouse.run_one_select(warehouse.connect(), "select range as n from range(1000000000000)", at_most=3)
    assert found["n"].to_pylist() == [0, 1, 2]


def test_an_export_replaces_its_file_whole_and_in_order(board: Path, tmp_path: Path) -> None:
    plan = protocol.load()
    place = protocol.find_board(str(board), plan)
    out = tmp_path / "out.parquet"
    for where, n_rows in (("corpus = 'corpus-1'", 5), (None, 10), ("false", 0)):
        assert query.export(place, plan, out, "contracts.rows", where, ["row_id", "n_chars"]) == n_rows
        found = pq.read_table(out)
        assert found.column_names == ["row_id", "n_chars"]
        assert found["row_id"].to_pylist() == sorted(found["row_id"].to_pylist())
        assert found.num_rows == n_rows
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


@pytest.mark.parametrize(
    ("written", "is_one"),
    [
        ("true", True),
        ("a = 1 or b in (select 1)", True),
        ("a = ')' -- )", True),
        ("1) union (select 1", False),
        ("1), (2", False),
        ("1) from x where (1", False),
        ("1) order by (1", False),
        ("1) limit (1", False),
        ("1) group by (1", False),
        ("1) as (x", False),
        ("true) x, (1", False),
    ],
)
def test_a_condition_is_one_expression(written: str, is_one: bool) -> None:
    con = warehouse.connect()
    try:
        found = sandbox.is_one_expression(warehouse.parse_select(con, f"select ({written}\n)"))
    except PiibenchError:
        found = False
    assert found == is_one
