"""Replicates, intervals and comparisons equal NumPy's on the same draws, and depend on nothing else."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from piibench_duck import warehouse
from tests import oracle, tables
from tests.tables import Row, Run

COUNTED = """
create table intermediate.row_counts as
select run_id, row_id, doc_id, corpus, 'prose' as carrier, 'en' as language, tp, fp, fn, 0::bigint as touched,
    0::bigint as excluded, null::bigint as lookalike, null::bigint as lookalike_touched, null::bigint as scaffold_fp,
    0::bigint as n_rows_missing, 0::bigint as n_duplicate_spans, [] as by_type
from incoming
"""
Line = tuple[str, str, str, str, int, int, int]  # run_id, row_id, doc_id, corpus, tp, fp, fn
SIZES = {"tab": 61, "germeval": 30, "ünï": 7, "two": 2, "single": 1, "rare": 5, "empty": 3}


def random_lines(runs: Sequence[str], sizes: Mapping[str, int], seed: int) -> list[Line]:
    """Counts of rows in documents of several sizes; a corpus never has a value, another seldom, and some runs alone.

    Ids sort differently by bytes than by letter, and by number.
    """
    random = np.random.default_rng(seed)
    found: list[Line] = []
    for corpus, n_rows in sizes.items():
        documents = random.integers(0, max(1, n_rows // 3), n_rows)
        for place in range(n_rows):
            row_id, doc_id = (f"{corpus}/{'éZa1'[number % 4]}{number}" for number in (place, int(documents[place])))
            quiet = corpus == "empty" or (corpus == "rare" and place != 2) or random.random() < 0.2
            gold = 0 if quiet else int(random.integers(0, 40))
            for run in runs:
                tp = int(random.integers(0, gold + 1))
                fp = int(random.random() < 0.3) if corpus == "rare" else 0 if quiet else int(random.integers(0, 12))
                found.append((run, row_id, doc_id, corpus, tp, fp, gold - tp))
    return found


def counted(
    lines: Sequence[Line], runs: Sequence[Run], seed: int, replicates: int, threads: int = 1
) -> warehouse.Connection:
    """A board of which only the counts of its rows are known."""
    import pyarrow as pa

    rows = [
        Row(row_id, "", corpus=corpus, doc_id=doc_id) for row_id, doc_id, corpus in {line[1:4]: None for line in lines}
    ]
    con = tables.connect(rows, runs, seed=seed, replicates=replicates, threads=threads)
    names = ("run_id", "row_id", "doc_id", "corpus", "tp", "fp", "fn")
    con.register("incoming", pa.table(dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))))
    con.execute(COUNTED)
    return con


def by_unit(lines: Sequence[Line], run: str, unit: str) -> dict[str, oracle.Integers]:
    """The oracle's counts of one run."""
    return oracle.by_unit(
        (corpus, row_id if unit == "row" else doc_id, tp, fp, fn)
        for run_id, row_id, doc_id, corpus, tp, fp, fn in lines
        if run_id == run
    )


NINE = [f"run{number}" for number in range(9)]
BOARDS = [  # runs in the order in which they are filled in, runs that were not run, corpora, seed, replicates
    (NINE[:1], [], ["two"], 0, 40),
    (NINE[:2], ["a-not-run"], ["tab", "empty", "rare"], 7, 200),
    (NINE[::-1], ["run3-not-run", "zz"], list(SIZES), 2**32 - 1, 120),
]
Board = tuple[list[str], list[Line], int, int, warehouse.Connection]


@pytest.fixture(scope="module", params=range(len(BOARDS)), ids=["one run", "two runs", "nine runs"])
def bootstrapped(request: pytest.FixtureRequest) -> Board:
    """A board with its bootstrap: names of its runs, the counts, seed, replicates, and the derived tables."""
    names, absent, corpora, seed, replicates = BOARDS[request.param]
    lines = random_lines(names, {corpus: SIZES[corpus] for corpus in corpora}, request.param)
    runs = [Run(name) for name in names] + [Run(name, status="not_run") for name in absent]
    con = counted(lines, runs, seed, replicates)
    warehouse.derive(con, ["intermediate.replicates", "marts.score_intervals", "marts.comparisons"])
    return names, lines, seed, replicates, con


def close(found: float | None, want: float) -> bool:
    """Equal to 1e-12; NULL is NaN."""
    return math.isnan(want) if found is None else abs(found - want) <= 1e-12


@pytest.mark.parametrize("unit", ["row", "document"])
def test_every_replicate_draws_and_sums_what_numpy_does(bootstrapped: Board, unit: str) -> None:
    names, lines, seed, replicates, con = bootstrapped
    for run in names:
        found: dict[str, list[tuple[int, ...]]] = {}
        for corpus, *counts in con.sql(
            "select corpus, tp, fp, fn from intermediate.replicates where run_id = $run and unit = $unit "
            "order by corpus, replicate",
            params={"run": run, "unit": unit},
        ).fetchall():
            found.setdefault(corpus, []).append(tuple(counts))
        counts_of = by_unit(lines, run, unit)
        assert found.keys() == counts_of.keys()
        for corpus, of_units in counts_of.items():
            drawn = of_units[oracle.draws(seed, unit, corpus, replicates, len(of_units))].sum(axis=1)
            assert found[corpus] == [tuple(counts) for counts in drawn.tolist()], (run, corpus)


@pytest.mark.parametrize("unit", ["row", "document"])
def test_intervals_equal_the_percentiles_of_numpys_replicates(bootstrapped: Board, unit: str) -> None:
    names, lines, seed, replicates, con = bootstrapped
    found = {
        line["run_id"]: line
        for line in warehouse.rows_of(con, f"select * from marts.score_intervals where unit = '{unit}'")
    }
    assert sorted(found) == sorted(names)
    for run in names:
        counts_of = by_unit(lines, run, unit)
        means = oracle.bootstrap(counts_of, seed, unit, replicates)
        assert close(found[run]["f1_low"], oracle.percentile(means, 0.025))
        assert close(found[run]["f1_high"], oracle.percentile(means, 0.975))
        sums = oracle.replicate_sums(counts_of, seed, unit, replicates)
        recalls = oracle.mean_over_corpora(np.array([oracle.share(of[:, 0], of[:, 0] + of[:, 2]) for of in sums]))
        assert close(found[run]["recall_low"], oracle.percentile(recalls, 0.025))
        assert close(found[run]["recall_high"], oracle.percentile(recalls, 0.975))
        assert found[run]["n_units_fewest"] == min(map(len, counts_of.values()))
        assert found[run]["n_replicates"] == replicates
        undefined = np.isnan(oracle.replicate_f1(counts_of, seed, unit, replicates)).any(axis=0)
        assert close(found[run]["share_incomplete"], float(undefined.mean()))


@pytest.mark.parametrize("unit", ["row", "document"])
def test_comparisons_equal_numpys_paired_differences(bootstrapped: Board, unit: str) -> None:
    names, lines, seed, replicates, con = bootstrapped
    found = warehouse.rows_of(con, f"select * from marts.comparisons where unit = '{unit}'")
    assert {(line["run_a"], line["run_b"]) for line in found} == {(a, b) for a in names for b in names if a != b}
    counts_of = {run: by_unit(lines, run, unit) for run in names}
    for line in found:
        a, b = counts_of[line["run_a"]], counts_of[line["run_b"]]
        d = oracle.differences(a, b, seed, unit, replicates)
        whole = [np.array([oracle.f1(of.sum(axis=0)) for of in run.values()]) for run in (a, b)]
        both = ~(np.isnan(whole[0]) | np.isnan(whole[1]))
        assert close(line["difference"], float(whole[0][both].mean() - whole[1][both].mean()))
        assert close(line["difference_low"], oracle.percentile(d, 0.025))
        assert close(line["difference_high"], oracle.percentile(d, 0.975))
        assert close(line["p_value"], oracle.p_value(d))
        assert close(line["smallest_detectable"], oracle.smallest_detectable(d))
        assert line["n_corpora"] == int(both.sum())
        assert line["n_units_fewest"] == min(map(len, a.values()))
        assert line["n_replicates"] == int((~np.isnan(d)).sum())
        undefined = [np.isnan(oracle.replicate_f1(run, seed, unit, replicates)) for run in (a, b)]
        assert close(line["share_incomplete"], float((undefined[0] | undefined[1]).any(axis=0).mean()))


def replicates_of(con: warehouse.Connection, runs: Sequence[str], corpora: Sequence[str]) -> list[Any]:
    """Replicates of some runs and corpora, in order."""
    warehouse.derive(con, ["intermediate.replicates"])
    return con.sql(
        "select run_id, unit, corpus, replicate, tp, fp, fn from intermediate.replicates "
        "where run_id in (select unnest($runs)) and corpus in (select unnest($corpora)) order by all",
        params={"runs": list(runs), "corpora": list(corpora)},
    ).fetchall()


def test_another_corpus_moves_no_draw_of_the_others() -> None:
    lines = random_lines(["a"], SIZES, 5)
    kept = ["tab", "two", "rare"]
    few = counted([line for line in lines if line[3] in kept], [Run("a")], 3, 50)
    assert replicates_of(counted(lines, [Run("a")], 3, 50), ["a"], kept) == replicates_of(few, ["a"], kept)


def test_other_runs_and_more_replicates_move_no_draw() -> None:
    lines = random_lines(NINE, {"tab": 61, "two": 2}, 6)
    alone = counted([line for line in lines if line[0] == "run5"], [Run("run5")], 3, 50)
    with_others = counted(lines, [Run(run) for run in NINE], 3, 80)
    want = replicates_of(alone, ["run5"], ["tab", "two"])
    assert [line for line in replicates_of(with_others, ["run5"], ["tab", "two"]) if line[3] < 50] == want


def test_a_run_compared_with_its_twin_differs_by_nothing() -> None:
    lines = random_lines(["a"], SIZES, 8)
    con = counted([*lines, *(("b", *line[1:]) for line in lines)], [Run("a"), Run("b")], 0, 50)
    warehouse.derive(con, ["marts.comparisons"])
    found = warehouse.rows_of(con, "select * from marts.comparisons where run_a = 'a' and unit = 'row'")[0]
    names = ("difference", "difference_low", "difference_high", "p_value", "smallest_detectable")
    assert [found[name] for name in names] == [0, 0, 0, 1, 0]


@pytest.mark.parametrize(("unit", "corpus", "seed", "n_units"), [("row", "tab", 0, 500), ("document", "gretel", 7, 37)])
def test_the_units_of_a_replicate_are_the_published_draws(unit: str, corpus: str, seed: int, n_units: int) -> None:
    lines: list[Line] = [("a", f"r{place:03}", f"d{place:03}", corpus, 1, 0, 0) for place in range(n_units)]
    con = counted(lines, [Run("a")], seed, 3)
    warehouse.derive(con, ["intermediate.draws"])
    found = con.sql(
        "select list(unit_id order by unit_id) from "
        "(select replicate_key, unit_key, unnest(range(n_drawn)) from intermediate.draws) "
        "inner join intermediate.units using (unit_key) "
        "where unit = $unit group by replicate_key order by replicate_key",
        params={"unit": unit},
    ).fetchall()
    drawn: NDArray[np.int64] = oracle.draws(seed, unit, corpus, 3, n_units)
    assert [units for (units,) in found] == [[f"{unit[0]}{place:03}" for place in sorted(of)] for of in drawn.tolist()]


def test_the_mixer_and_the_keys_in_sql_are_the_published_ones() -> None:
    con = warehouse.connect(1)
    numbers = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, *(place * 16381 for place in range(1, 5000))]
    found = con.sql(
        "select mix32(number) from (select unnest($numbers::bigint[]) as number)", params={"numbers": numbers}
    )
    assert [number for (number,) in found.fetchall()] == oracle.mix32(np.array(numbers)).tolist()
    assert con.sql("select name_key('tab'), name_key('ünï')").fetchall() == [(3891842008, 843163247)]
