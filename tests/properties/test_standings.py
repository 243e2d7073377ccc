"""A board's statistics equal those of NumPy on the same draws, which shares no code with them."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from piibench_duck import standings, warehouse
from tests import counted_runs, oracle
from tests.counted_runs import Row

SEED, REPLICATES = 3, 200
Made = tuple[list[Row], dict[str, list[tuple[int, int]]], warehouse.Connection]
RUNS = ("a", "b", "c", "d", "twin-of-d")


def board_of(dice: random.Random) -> tuple[list[Row], dict[str, list[tuple[int, int]]]]:
    """Three corpora of a few documents; the last has hardly any gold, so that replicates leave it out."""
    rows = []
    for corpus, n_rows, share in (("one", 40, 0.9), ("two", 25, 0.7), ("rare", 6, 0.3)):
        for number in range(n_rows):
            gold = dice.randrange(1, 30) if number == 0 or dice.random() < share else 0
            carrier, language = dice.choice(["prose", "json", "csv"]), dice.choice(["en", "ru"])
            doc = f"{corpus}-{number // 3}"
            rows.append(
                Row(f"{corpus}/{number}", corpus, doc, gold, carrier, language, dice.choice(["PERSON", "LOCATION"]))
            )
    skill = {"a": 0.8, "b": 0.75, "c": 0.5, "d": 0.2}
    counts = {
        run: [
            (sum(dice.random() < of for _ in range(row.gold)), dice.randrange(4) if dice.random() < 0.3 else 0)
            for row in rows
        ]
        for run, of in skill.items()
    }
    return rows, {**counts, "twin-of-d": counts["d"]}


@pytest.fixture(scope="module", params=range(3))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Rows, counts, and the connection that `board.json` is written from."""
    folder = tmp_path_factory.mktemp("board")
    rows, counts = board_of(random.Random(request.param))
    counted_runs.write(folder, rows, counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIIBENCH_CACHE", str(folder / "cache"))
        folders = {run: folder / run for run in counts}
        con = standings.derived(folders, standings.results_of(folders), SEED, REPLICATES)
        yield rows, counts, con


def lines(con: warehouse.Connection, mart: str, unit: str) -> dict[str, dict[str, Any]]:
    return {line["run_id"]: line for line in warehouse.rows_of(con, f"select * from {mart} where unit = '{unit}'")}


def nan(value: float | None) -> float:
    return float("nan") if value is None else value


@pytest.mark.parametrize("unit", standings.UNITS)
def test_ranks_and_their_intervals_are_those_of_the_replicates(made: Made, unit: str) -> None:
    rows, counts, con = made
    means = {run: counted_runs.mean_f1(counts, rows, run) for run in counts}
    drawn = {
        run: oracle.bootstrap(counted_runs.units(rows, of_rows, unit), SEED, unit, REPLICATES)
        for run, of_rows in counts.items()
    }
    found = lines(con, "marts.standings", unit)
    for run in RUNS:
        assert found[run]["rank"] == 1 + sum(other > means[run] for other in means.values())
        ranks = np.sort(1 + sum((other > drawn[run]).astype(int) for other in drawn.values()))
        low, high = (int(ranks[max(int(np.ceil(share * len(ranks))) - 1, 0)]) for share in (0.025, 0.975))
        assert (found[run]["rank_low"], found[run]["rank_high"]) == (low, high), run
    assert found["d"]["rank"] == found["twin-of-d"]["rank"]
    assert found["twin-of-d"]["place"] == found["d"]["place"] + 1


@pytest.mark.parametrize("unit", standings.UNITS)
def test_every_run_against_the_first_is_paired_and_adjusted_by_holm(made: Made, unit: str) -> None:
    rows, counts, con = made
    means = {run: counted_runs.mean_f1(counts, rows, run) for run in counts}
    order = sorted(means, key=lambda run: (-means[run], run))
    by_unit = {run: counted_runs.units(rows, of_rows, unit) for run, of_rows in counts.items()}
    differences = {
        run: oracle.differences(by_unit[run], by_unit[order[0]], SEED, unit, REPLICATES) for run in order[1:]
    }
    adjusted = counted_runs.holm({run: oracle.p_value(of) for run, of in differences.items()})
    found = lines(con, "marts.standings", unit)
    assert found[order[0]]["difference"] is None
    for run, of in differences.items():
        said = found[run]
        whole = {
            of_run: np.array([oracle.f1(one.sum(axis=0)) for one in by_unit[of_run].values()])
            for of_run in (run, order[0])
        }
        observed = oracle.mean_difference(*(figure[:, None] for figure in whole.values()))
        assert said["difference"] == pytest.approx(float(observed[0]), abs=1e-12)
        assert said["difference_low"] == pytest.approx(oracle.percentile(of, 0.025), abs=1e-12)
        assert said["difference_high"] == pytest.approx(oracle.percentile(of, 0.975), abs=1e-12)
        assert said["p_value"] == pytest.approx(oracle.p_value(of), abs=1e-12)
        assert said["p_holm"] == pytest.approx(adjusted[run], abs=1e-12)
        assert said["is_separable"] == (adjusted[run] < 0.05)
        assert said["smallest_detectable"] == pytest.approx(oracle.smallest_detectable(of), rel=1e-9)
    for above, below in itertools.pairwise(order):
        of = oracle.differences(by_unit[below], by_unit[above], SEED, unit, REPLICATES)
        assert found[below]["run_above"] == above
        assert found[below]["above_low"] == pytest.approx(oracle.percentile(of, 0.025), abs=1e-12)


def test_replicates_that_leave_a_corpus_out_are_among_those_compared(made: Made) -> None:
    _, _, con = made
    shares = [line["share_incomplete"] for line in warehouse.rows_of(con, "select * from marts.comparisons")]
    assert 0 < max(shares) < 1


@pytest.mark.parametrize("unit", standings.UNITS)
def test_intervals_of_a_slice_are_those_of_its_rows_among_the_same_draws(made: Made, unit: str) -> None:
    rows, counts, con = made
    warehouse.derive(con, ["marts.slice_intervals"])
    found = {
        (line["run_id"], line["slice_by"], line["slice"]): line
        for line in warehouse.rows_of(con, f"select * from marts.slice_intervals where unit = '{unit}'")
    }
    assert {key[1] for key in found} == {"corpus", "carrier", "language", "type"}
    for (run, slice_by, name), line in found.items():
        inside = [getattr(row, slice_by) == name for row in rows]
        only = [Row(*row[:3], row.gold if is_in else 0, *row[4:]) for row, is_in in zip(rows, inside, strict=True)]
        kept = [
            (tp, 0 if slice_by == "type" else fp) if is_in else (0, 0)
            for (tp, fp), is_in in zip(counts[run], inside, strict=True)
        ]
        sums = sum(oracle.replicate_sums(counted_runs.units(only, kept, unit), SEED, unit, REPLICATES))
        recall = oracle.share(sums[:, 0], sums[:, 0] + sums[:, 2])
        assert nan(line["recall_low"]) == pytest.approx(oracle.percentile(recall, 0.025), abs=1e-12, nan_ok=True)
        assert nan(line["recall_high"]) == pytest.approx(oracle.percentile(recall, 0.975), abs=1e-12, nan_ok=True)
        f1 = oracle.f1(sums) if slice_by != "type" else np.full(REPLICATES, np.nan)
        assert nan(line["f1_low"]) == pytest.approx(oracle.percentile(f1, 0.025), abs=1e-12, nan_ok=True)
        assert nan(line["f1_high"]) == pytest.approx(oracle.percentile(f1, 0.975), abs=1e-12, nan_ok=True)
