"""Files that name what they are made of, the same bytes on any machine, and whole or not there."""

import os
from pathlib import Path

import pytest

from piibench_duck import warehouse
from piibench_duck.errors import PiibenchError
from tests import tables
from tests.tables import Gold, Row

MANY = "select range as number, range % 7 as seven, 'word ' || range % 1000 as word from range(300000)"


def test_a_file_of_several_row_groups_is_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    written = []
    for threads in (1, 2, 8):
        path = tmp_path / f"{threads}.parquet"
        digest = warehouse.write(warehouse.connect(threads), MANY, path, {"rows/a": "1"})
        written.append((digest, path.read_bytes()))
    assert written[1:] == written[:1] * 2


def test_a_file_is_the_same_bytes_whatever_the_order_of_its_rows(tmp_path: Path) -> None:
    con = warehouse.connect(2)
    for name, order in (("a", "number"), ("b", "word desc, number desc")):
        warehouse.write(con, f"select * from ({MANY}) where number < 2000 order by {order}", tmp_path / name, {})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_digest_is_of_content_not_of_order_or_file(tmp_path: Path) -> None:
    con = warehouse.connect(1)
    one = warehouse.content_digest(con, "select * from (values (1, 'a'), (2, null)) as t(n, w)")
    path = tmp_path / "t.parquet"
    assert warehouse.write(con, "select * from (values (2, null), (1, 'a')) as t(n, w)", path, {}) == one
    assert warehouse.content_digest(con, f"select * from read_parquet({warehouse.quoted(path)})") == one
    for other in ("(1, 'a')", "(1, 'a'), (2, '')", "(1, 'a'), (2, null), (2, null)", "(1, 'a'), (2, 'NULL')"):
        assert warehouse.content_digest(con, f"select * from (values {other}) as t(n, w)") != one


def test_a_file_names_its_digest_and_its_inputs(tmp_path: Path) -> None:
    con = warehouse.connect(1)
    digest = warehouse.write(con, "select 1 as one", tmp_path / "rows" / "a@json.parquet", {"rows/ü": "12"})
    assert warehouse.about(con, tmp_path) == {"rows/a@json": {"digest": digest, "inputs": {"rows/ü": "12"}}}


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    con = warehouse.connect(1)
    path = tmp_path / "t.parquet"
    warehouse.write(con, "select 1 as one", path, {})
    before = path.read_bytes()
    with pytest.raises(Exception, match="nothing to see"):
        warehouse.write(con, "select if(range = 9, error('nothing to see'), 1) as one from range(10)", path, {})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a b", "it's", "[x]", "st*r", "q?", "ünï", "50%"])
def test_folders_of_any_name_are_read(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    con = warehouse.connect(1)
    warehouse.write(con, "select 1 as one", folder / "rows" / "a.parquet", {})
    warehouse.create_parquet_view(con, "main.whole", folder / "rows")
    warehouse.create_parquet_view(con, "main.chosen", folder / "rows", ["a.parquet", "not-there.parquet"])
    assert con.sql("from whole union all from chosen").fetchall() == [(1,), (1,)]
    assert list(warehouse.about(con, folder)) == ["rows/a"]


def test_a_contract_refuses_what_breaks_it() -> None:
    for row in (
        Row("r", "Anna", [Gold(3, 3)]),
        Row("r", "Anna", [Gold(-1, 2)]),
        Row("r", "Anna", [Gold(0, 2, role="ignored")]),
        Row("r", "Anna", [Gold(0, 2, identifier_type="MAYBE")]),
    ):
        with pytest.raises(Exception, match="CHECK constraint failed"):
            tables.connect([row], [])
    con = tables.connect([], [])
    with pytest.raises(Exception, match="NOT NULL constraint failed"):
        warehouse.fill(con, "designs", {"design": ["balanced"]})


def test_what_is_filled_in_is_read_back_as_it_was() -> None:
    texts = ["", "a\x00b", "😀é\u0301", "\u2028\u202e", "'; drop table x; --"]
    con = tables.connect([Row(f"r{place}", text) for place, text in enumerate(texts)], [])
    found = con.sql("select text, n_chars, length(text) from contracts.rows order by row_id").fetchall()
    assert found == [(text, len(text), len(text)) for text in texts]


def test_only_what_is_needed_is_derived() -> None:
    con = tables.connect([], [])
    warehouse.derive(con, ["marts.scores"])
    there = set(warehouse.relation_names(con))
    assert {"marts.scores", "intermediate.row_counts", "staging.rows"} <= there
    assert not {"intermediate.draws", "marts.comparisons"} & there
    warehouse.derive(con, ["marts.scores"])


def test_an_undefined_ratio_is_null() -> None:
    con = warehouse.connect(1)
    ratios = con.sql("select safe_ratio(0, 0), safe_ratio(1, 0), safe_ratio(0, 3), safe_ratio(1, 4)")
    assert ratios.fetchall() == [(None, None, 0.0, 0.25)]
    assert con.sql("select metrics.f1(0, 0, 0), metrics.f1(0, 1, 0)").fetchall() == [(None, 0.0)]


@pytest.mark.parametrize(
    ("number", "divisor", "want"), [(0, 4, 0), (3, 4, 0), (4, 4, 1), (11, 4, 2), (2**40 + 1, 2, 2**39)]
)
def test_a_quotient_is_whole(number: int, divisor: int, want: int) -> None:
    found = warehouse.connect(1).sql(f"select quotient({number}, {divisor}), typeof(quotient({number}, {divisor}))")
    assert found.fetchall() == [(want, "BIGINT")]


def test_a_check_that_finds_something_says_how_much() -> None:
    con = tables.connect([Row("r", "Anna", [Gold(0, 9), Gold(1, 9)])], [])
    with pytest.raises(PiibenchError, match="gold spans lie inside their row, but 2 do not; build the board again"):
        warehouse.check(con)
    warehouse.check(con, ["row_ids_are_unique"])


def test_a_broken_file_among_good_ones_is_found_by_name(tmp_path: Path) -> None:
    con = warehouse.connect(1)
    for name in ("a", "b", "c"):
        warehouse.write(con, "select 1 as one", tmp_path / "rows" / f"{name}.parquet", {})
    os.truncate(tmp_path / "rows" / "b.parquet", 20)
    with pytest.raises(PiibenchError, match=r"^rows/b\.parquet in "):
        warehouse.about(con, tmp_path)
