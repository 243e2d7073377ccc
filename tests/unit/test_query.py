"""Queries and slices as tables and files."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piibench_duck import boards, build, protocol, query, sandbox, selects, warehouse
from piibench_duck.errors import PiibenchError
from tests.built import PROTOCOL, demo_board
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


def test_what_json_has_no_number_for_is_null(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    select = """
        select 'nan'::double as "NaN", -'infinity'::float as b,
        ['infinity'::double, 1.5] as c, {'q': 'nan'::double} as d,
        map {'nan'::double: 1} as e, 'a "NaN" \\\\ Infinity, -Infinity' as f, 'infinity'::date as g, 'nan'::double as h
    """
    found = selects.run_one_select(warehouse.connect(), select)
    query.print_rows(found, "json")

    def no_constant(name: str) -> object:
        raise AssertionError(name)

    [line] = json.loads(capfdbinary.readouterr().out, parse_constant=no_constant)
    assert line == {
        **{"NaN": None, "b": None, "c": [None, 1.5], "d": {"q": None}, "e": {"nan": 1}},
        **{"f": found["f"][0].as_py(), "g": "infinity", "h": None},
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("select f2 from marts.scores", 'Referenced column "f2" not found in FROM clause; near it: f1'),
        ("select s.recal from marts.scores as s", 'does not have a column named "recal"; near it: recall'),
        ("from scores", "Table with name scores does not exist; near it: marts.scores, "),
        ("from marts.scor", "Table with name scor does not exist; near it: marts.scores"),
        ("select zzzzzz from marts.scores", 'Referenced column "zzzzzz" not found in FROM clause!'),
        ("select 1 as a, a.b.c from marts.scores", 'Referenced table "a.b" not found!'),
    ],
)
def test_the_names_nearest_to_a_wrong_one_are_told(text: str, told: str) -> None:
    place = demo_board()
    con = query.open_locked(place, PROTOCOL, wanted=())
    with pytest.raises(PiibenchError) as refused:
        query.select(con, text, board=place)
    assert told in str(refused.value)
    with pytest.raises(PiibenchError) as refused:
        query.plan(con, text, place)
    assert told in str(refused.value)


def test_names_of_columns_may_repeat() -> None:
    found = selects.run_one_select(warehouse.connect(), "select 1 as a, 2 as a", at_most=5)
    assert found.column_names == ["a", "a"]
    assert list(query.cells(found)) == [(1, 2)]


def test_of_a_huge_result_only_the_first_rows_are_made() -> None:
    found = selects.run_one_select(warehouse.connect(), "select range as n from range(1000000000000)", at_most=3)
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
        found = sandbox.is_one_expression(selects.parse_select(con, f"select ({written}\n)"))
    except PiibenchError:
        found = False
    assert found == is_one


def test_only_views_that_a_select_needs_are_made() -> None:
    board = demo_board()
    con = query.open_locked(board, PROTOCOL, wanted=())
    contracts = set(warehouse.relation_names(con))
    assert {name.split(".")[0] for name in contracts} == {"contracts"}
    select = "with x as (from STAGING.Runs) select count(*) from x, (select 1 where exists (from memory.staging.rows))"
    assert list(query.cells(query.select(con, select, board=board))) == [(2,)]
    made = set(warehouse.relation_names(con)) - contracts
    assert {"staging.runs", "staging.rows"} <= made
    assert {name.split(".")[0] for name in made} == {"staging"}
    with pytest.raises(PiibenchError, match="Catalog Error: Table with name scores does not exist"):
        query.select(con, "from scores", board=board)
    assert set(warehouse.relation_names(con)) - contracts == made


@pytest.mark.parametrize(
    "text",
    [
        "from information_schema.tables",
        "from pg_catalog.pg_views",
        "from duckdb_views()",
        "select (select count(*) from main.duckdb_columns)",
        "from (show all tables)",
        "show tables",
        "from pragma_table_info('marts.scores')",
        "from to_passage('marts.span_places')",
        "with x as (from DUCKDB_TABLES) from x, contracts.rows",
    ],
)
def test_whoever_asks_what_there_is_or_by_a_name_in_a_text_needs_all_views(text: str) -> None:
    con = warehouse.connect()
    of_system = {name for (name,) in con.sql("select view_name from duckdb_views() where internal").fetchall()}
    assert sandbox.relations(selects.parse_select(con, text), warehouse.readable_names(), of_system) is None


def test_views_that_are_made_one_by_one_are_those_of_a_board_that_is_opened_whole() -> None:
    board = demo_board()
    whole = query.open_locked(board, PROTOCOL)
    one_by_one = query.open_locked(board, PROTOCOL, wanted=())
    asked = "from duckdb_columns() select schema_name, table_name, column_name, data_type order by all"
    for name in reversed(warehouse.readable_names()):
        query.select(one_by_one, f"describe {name}", board=board)
    by_hand = one_by_one.sql(asked).fetchall()
    assert by_hand == whole.sql(asked).fetchall()
    assert warehouse.relation_names(whole) == warehouse.readable_names()


def test_a_board_opens_with_the_views_that_are_wanted_and_what_they_read() -> None:
    board = demo_board()
    con = boards.open_to_read(board.warehouse, "demo", PROTOCOL, wanted=["marts.mean_scores"])
    assert con.sql("select count(*) from marts.mean_scores").fetchall() == [(2,)]
    made = set(warehouse.relation_names(con))
    assert "marts.mean_scores" in made
    assert not {"marts.comparisons", "intermediate.tab_entities"} & made
    warehouse.derive_views(con, board.warehouse, ["marts.row_scores", "marts.mean_scores"])
    assert con.sql("select count(*) > 0 from marts.row_scores").fetchall() == [(True,)]


@pytest.mark.parametrize("text", ["select 7 ; -- the end;\n", "/* ; */ select 7;; /* x */", "select 7 -- ;\n"])
def test_a_select_may_end_in_a_semicolon_and_in_comments(text: str) -> None:
    con = warehouse.connect()
    for at_most in (None, 5):
        assert list(query.cells(query.select(con, text, at_most))) == [(7,)]
    assert "7" in query.plan(con, text)


def test_a_plan_is_of_a_checked_select_which_is_not_run() -> None:
    board = demo_board()
    con = query.open_locked(board, PROTOCOL, wanted=())
    assert "PARQUET" in query.plan(con, "select * from contracts.rows", board).upper()
    assert "error" in query.plan(con, "select error(text) from contracts.rows", board)
    for text in (
        "explain select 1",
        "analyze select 1",
        "(analyze) select 1",
        "copy contracts.rows to 'x'",
        "select 1; select 2",
        "from nosuch",
    ):
        with pytest.raises(PiibenchError):
            query.plan(con, text, board)


def test_a_plan_of_a_named_query_checks_its_parameters() -> None:
    board, params = demo_board(), {"run": "rules"}
    con = query.open_for(board, PROTOCOL, "worst_rows", params)
    assert "read_parquet" in query.plan_of_named(con, "worst_rows", params).lower()
    with pytest.raises(PiibenchError, match="no corpus 'x'; there are demo-de"):
        query.plan_of_named(con, "worst_rows", {**params, "corpus": "x"})
