"""The bootstrap's draws kept between processes."""

from pathlib import Path

import pytest

from piibench_duck import draws
from tests import tables
from tests.tables import Row, Run

ROWS = [Row(f"r{place}", "text", corpus=f"c{place % 3}", doc_id=f"d{place // 4}") for place in range(40)]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("PIIBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def drawn(rows: list[Row] = ROWS, seed: int = 0) -> list[tuple[int, int, int]]:
    con = tables.connect(rows, [Run("a")], seed=seed, replicates=20)
    draws.derive(con)
    return con.sql("select replicate_key, unit_key, n_drawn from intermediate.draws").fetchall()


def kept(cache: Path) -> list[Path]:
    return sorted((cache / "draws").glob("*"))


def test_draws_from_the_cache_are_those_that_were_computed_in_their_order(cache: Path) -> None:
    computed = drawn()
    (path,) = kept(cache)
    stamp = path.stat().st_mtime_ns
    assert drawn() == computed
    assert kept(cache) == [path]
    assert path.stat().st_mtime_ns == stamp


def test_another_seed_and_other_sizes_have_draws_of_their_own(cache: Path) -> None:
    first = drawn()
    assert drawn(seed=1) != first
    assert drawn(ROWS[:39]) != first
    assert len(kept(cache)) == 3


def test_what_is_no_whole_file_is_computed_again(cache: Path) -> None:
    computed = drawn()
    (path,) = kept(cache)
    path.write_bytes(path.read_bytes()[:100])
    assert drawn() == computed
    assert path.stat().st_size > 100


def test_only_the_newest_are_kept(cache: Path) -> None:
    for seed in range(draws.KEPT_FILES + 3):
        drawn(seed=seed)
    assert len(kept(cache)) == draws.KEPT_FILES


def test_a_cache_that_cannot_be_written_costs_only_the_time(cache: Path) -> None:
    computed = drawn()
    for path in kept(cache):
        path.unlink()
    (cache / "draws").rmdir()
    (cache / "draws").write_text("not a folder")
    assert drawn() == computed


def test_every_replicate_draws_as_many_units_as_its_stratum_has() -> None:
    con = tables.connect(ROWS, [Run("a")], replicates=20)
    draws.derive(con)
    sizes = dict(con.sql("select stratum_key, count(*) from intermediate.units group by all").fetchall())
    found = con.sql("select replicate_key, sum(n_drawn) from intermediate.draws group by all").fetchall()
    assert len(found) == 20 * len(sizes)
    assert all(n_drawn == sizes[replicate_key // 20] for replicate_key, n_drawn in found)
