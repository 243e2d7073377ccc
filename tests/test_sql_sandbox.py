"""A query from outside: one SELECT that only reads, and only the board."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from piibench_duck import build, protocol, query, warehouse
from piibench_duck.errors import PiibenchError
from tests.shell import SENTINEL, rows, write_lines


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder board with a name that patterns would take apart, and things beside it that are out of bounds."""
    outside = tmp_path_factory.mktemp("outside")
    folder = outside / "it's [a] b*ard"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", rows(text=f"😀 Ana Fox {SENTINEL}"))
    plan = protocol.load()
    build.build(protocol.find_board(str(folder), plan), plan)
    (outside / "secret.csv").write_text("word\nsecret\n")
    con = duckdb.connect()
    con.execute(f"copy (select 'secret' as word) to {warehouse.quoted(outside / 'secret.parquet')} (format parquet)")
    (folder / "warehouse" / "link.parquet").symlink_to(outside / "secret.parquet")
    (folder / "warehouse" / "linked").symlink_to(outside)
    return folder


@pytest.fixture(scope="module")
def con(board: Path) -> Iterator[warehouse.Connection]:
    """The board, locked."""
    plan = protocol.load()
    opened = query.open_locked(protocol.find_board(str(board), plan), plan)
    yield opened
    opened.close()


REFUSED = """
copy contracts.rows to '{w}/x.csv'
copy (select 1) to '{w}/x.parquet' (format parquet)
with x as (copy contracts.rows to '{w}/x.csv') select 1
with x as materialized (copy (select 1) to '{w}/x.csv') from x
select 1 where exists (with y as (copy contracts.rows to '{w}/x.csv') select 1)
select (with y as (copy contracts.rows to '{w}/x.csv') select 1)
with a as (with b as (copy contracts.rows to '{w}/x.csv') select 1) select * from a
select 1 union all (with y as (copy contracts.rows to '{w}/x.csv') select 1)
with x as (insert into contracts.settings values (null, 1, 1) returning *) select * from x
with x as (delete from contracts.settings) select 1
with x as (update contracts.settings set seed = 2) select 1
export database '{w}/e'
import database '{w}/e'
attach '{w}/x.db' as x
attach ':memory:' as x
detach memory
use memory
install httpfs
load httpfs
load '{w}/x.duckdb_extension'
set threads = 1
reset threads
set variable x = 1
pragma threads = 1
pragma database_list
call pragma_version()
call duckdb_settings()
checkpoint
vacuum
analyze
begin
create table x as select 1
create view x as select 1
create macro x() as 1
drop view contracts.rows
alter view contracts.rows rename to x
insert into contracts.settings values (null, 1, 1)
delete from contracts.rows
truncate contracts.rows
comment on view contracts.rows is 'x'
explain select 1
explain analyze select 1
explain analyze copy contracts.rows to '{w}/x.csv'
explain copy contracts.rows to '{w}/x.csv'
prepare x as select 1
execute x
deallocate x
select 1; select 2
select 1; copy contracts.rows to '{w}/x.csv'
pivot contracts.rows on corpus using count(*)
select $1
select $name
select ?
selec 1
select
select 'unfinished

;
-- only a comment
from query('select 1')
from main.query('select 1')
from "QUERY"('with x as (copy contracts.rows to ''{w}/x.csv'') select 1')
select (select count(*) from query('select 1'))
with x as (from query('select 1')) select 1
from query_table('contracts.rows')
from query_table(['contracts.rows'])
from json_execute_serialized_sql(json_serialize_sql('select 1'))
from read_text('/etc/passwd')
from read_blob('/etc/passwd')
from read_csv('/etc/passwd')
from read_csv_auto('/etc/passwd')
from read_json('/etc/passwd')
from read_ndjson_objects('/etc/passwd')
from read_duckdb('{o}/x')
from sniff_csv('/etc/passwd')
from glob('/etc/*')
from glob('{w}/*/*')
from read_text('{w}/rows/*')
from read_csv('{w}/rows/*')
from read_parquet('{o}/secret.parquet')
from parquet_scan('{o}/secret.parquet')
from parquet_schema('{o}/secret.parquet')
from parquet_metadata('{o}/secret.parquet')
from parquet_kv_metadata('{o}/secret.parquet')
from read_parquet('{w}/../../secret.parquet')
from read_parquet('{w}/rows/../../../secret.parquet')
from read_parquet('{w}/link.parquet')
from read_parquet('{w}/linked/secret.parquet')
from read_parquet(['{w}/link.parquet'])
from read_parquet('{w}x/secret.parquet')
from read_parquet('secret.parquet')
from read_parquet('file://{o}/secret.parquet')
from read_parquet('https://127.0.0.1:9/x.parquet')
from read_parquet('s3://bucket/x.parquet')
from '/etc/passwd'
from '{o}/secret.csv'
from '{o}/secret.parquet'
from "{o}/secret.parquet"
from 'https://127.0.0.1:9/x.parquet'
from sqlite_scan('x', 'y')
from postgres_scan('x', 'y', 'z')
from delta_scan('x')
from st_read('x')
from sql_auto_complete('x')
from checkpoint()
from force_checkpoint()
from enable_logging()
from pragma_version()
from duckdb_secrets()
from con
from statements
select getenv('HOME')
select set_config('threads', '1')
select pg_read_file('/etc/passwd')
select nextval('x')
select * from nosuch
select nosuch from contracts.rows
"""


@pytest.mark.parametrize("written", REFUSED.strip("\n").split("\n"))
def test_anything_but_one_select_over_the_board_is_refused_in_one_sentence(
    con: warehouse.Connection, board: Path, written: str
) -> None:
    quoted = str(board / "warehouse").replace("'", "''")
    text = written.replace("{w}", quoted).replace("{o}", str(board.parent))
    before = sorted(board.parent.rglob("*"))
    with pytest.raises(PiibenchError) as refused:
        query.select(con, text)
    assert "\n" not in str(refused.value)
    assert sorted(board.parent.rglob("*")) == before
    assert con.sql("select seed, (select count(*) from contracts.rows) from contracts.settings").fetchall() == [(0, 10)]


ALLOWED = {
    "select 42": [(42,)],
    "select 42;  -- the end\n": [(42,)],
    "from range(3) order by 1 desc limit 1": [(2,)],
    "values (1), (2)": [(1,), (2,)],
    "select count(*) from contracts.rows": [(10,)],
    "with x as (select 1 as a) select a + 1 from x": [(2,)],
    "with recursive r as (select 1 as i union all select i + 1 from r where i < 3) select max(i) from r": [(3,)],
    "select 1 union select 1": [(1,)],
    "select unnest([1, 2])": [(1,), (2,)],
    "select list_transform([1], lambda x: x + 1)[1]": [(2,)],
    "select safe_ratio(1, 2), metrics.f1(1, 0, 0)": [(0.5, 1.0)],
    "select 'copy x to y; select 2'": [("copy x to y; select 2",)],
    "select count(*) > 3 from (describe contracts.rows)": [(True,)],
    "select count(*) > 0 from duckdb_tables() right join duckdb_views() on true": [(True,)],
}


@pytest.mark.parametrize("text", ALLOWED)
def test_a_select_over_the_board_is_answered(con: warehouse.Connection, text: str) -> None:
    assert list(query.cells(query.select(con, text))) == ALLOWED[text]


def test_files_of_the_warehouse_can_be_read_by_name(con: warehouse.Connection, board: Path) -> None:
    quoted = warehouse.quoted(warehouse.globbed(board / "warehouse" / "rows") + "/*.parquet")
    assert query.select(con, f"select count(*) as n from read_parquet({quoted})")["n"].to_pylist() == [10]


def test_the_configuration_is_locked_and_external_access_is_off(con: warehouse.Connection) -> None:
    found = query.select(con, "select name, value from duckdb_settings()").to_pylist()
    settings = {line["name"]: line["value"] for line in found}
    assert settings["enable_external_access"] == "false"
    assert settings["lock_configuration"] == "true"
    assert settings["autoload_known_extensions"] == settings["autoinstall_known_extensions"] == "false"
    for statement in ("set threads = 1", "set enable_external_access = true", "reset lock_configuration"):
        with pytest.raises(duckdb.Error):
            con.execute(statement)


def test_a_board_behind_a_link_opens_too(board: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(board)
    plan = protocol.load()
    opened = query.open_locked(protocol.find_board(str(tmp_path / "link"), plan), plan)
    assert query.select(opened, "select count(*) as n from contracts.rows")["n"].to_pylist() == [10]


def test_a_query_that_is_no_unicode_is_refused(con: warehouse.Connection) -> None:
    with pytest.raises(PiibenchError, match="not Unicode"):
        query.select(con, "select '\udcff'")


def test_what_fails_on_a_row_is_told_by_its_kind_alone(con: warehouse.Connection) -> None:
    for text in ("select text::int from contracts.rows", "select error(text) from contracts.rows"):
        with pytest.raises(PiibenchError) as refused:
            query.select(con, text)
        assert SENTINEL not in str(refused.value)
        assert refused.value.__cause__ is None
