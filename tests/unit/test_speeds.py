"""Times of single rows: what is timed, and median, 95th percentile and intervals equal to NumPy's on the same draws."""

import time
from collections.abc import Sequence

import numpy as np
import pytest

from piibench_duck import speed, warehouse
from piibench_duck.runners import Answer, Description, Span, Text
from tests import oracle, tables
from tests.tables import Row, Run

SEED, REPLICATES = 5, 200


class Fake:
    """A detector whose answers may change where it is given several texts, and fail."""

    description = Description("rules", "fake", None, None, None, "*", {}, {})

    def __init__(self, shifted: Sequence[str] = (), failing: Sequence[str] = ()) -> None:
        self.shifted, self.failing = shifted, failing
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        self.calls.append([text.row_id for text in texts])
        if any(text.row_id in self.failing for text in texts):
            raise ValueError("no")
        time.sleep(0.001)
        is_batch = len(texts) > 1
        return [
            Answer((Span(0, 2 if is_batch and text.row_id in self.shifted else 1, "X"),), len(text.text))
            for text in texts
        ]


TEXTS = [Text(f"r{index}", "x" * (40 - index)) for index in range(30)]


def speeds(times: dict[str, list[float]]) -> list[dict[str, float]]:
    """Lines of marts.speeds of runs whose rows took so long, in order of their ids."""
    con = tables.connect([Row("r", "")], [Run(run) for run in times], seed=SEED, replicates=REPLICATES)
    tables.fill(
        con,
        "timings",
        [
            {"run_id": run, "row_id": f"r{place:04d}", "milliseconds": milliseconds}
            for run, values in times.items()
            for place, milliseconds in enumerate(values)
        ],
    )
    warehouse.derive(con, ["marts.speeds"])
    return warehouse.rows_of(con, "select * from marts.speeds order by run_id")


@pytest.mark.parametrize("n_rows", [1, 2, 57])
def test_median_and_percentile_and_their_intervals_equal_numpys(n_rows: int) -> None:
    values = np.round(np.random.default_rng(n_rows).gamma(2.0, 10.0, n_rows), 3)
    [line] = speeds({"run": values.tolist()})
    seed_key = oracle.mix32(np.uint64(SEED) ^ np.uint64((3 * 0x9E3779B1) & 0xFFFFFFFF))
    state = oracle.mix32(seed_key ^ np.uint64(int("d41d8cd9", 16)))  # the MD5 of nothing begins so
    replicate = oracle.mix32(state ^ np.arange(REPLICATES, dtype=np.uint64))[:, None]
    slots = oracle.mix32(np.arange(n_rows, dtype=np.uint64))[None, :]
    drawn = values[((oracle.mix32(replicate ^ slots) * np.uint64(n_rows)) >> np.uint64(32)).astype(int)]
    medians, tails = np.quantile(drawn, 0.5, axis=1), np.quantile(drawn, 0.95, axis=1)
    assert line["n_rows"] == n_rows
    assert (line["median_ms"], line["p95_ms"]) == pytest.approx((np.quantile(values, 0.5), np.quantile(values, 0.95)))
    for name, replicates in (("median", medians), ("p95", tails)):
        low, high = np.quantile(replicates, [0.025, 0.975])
        assert (line[f"{name}_low_ms"], line[f"{name}_high_ms"]) == pytest.approx((low, high), abs=1e-9)


def test_the_intervals_of_a_run_do_not_depend_on_other_runs() -> None:
    values = [3.0, 1.0, 8.0, 2.0, 9.0]
    [alone] = speeds({"b": values})
    both = speeds({"a": [7.0, 7.5], "b": values})
    assert both[1] == alone


def test_no_timings_are_no_line() -> None:
    assert speeds({"run": []}) == []


def test_rows_are_timed_one_at_a_time_after_a_warm_up() -> None:
    detector = Fake()
    found = speed.times(detector, TEXTS)
    warm = [[text.row_id] for text in TEXTS[: speed.WARM_UP]]
    assert detector.calls == [*warm, *([text.row_id] for text in TEXTS)]
    assert [row_id for row_id, _ in found] == [text.row_id for text in TEXTS]
    assert all(milliseconds >= 1 for _, milliseconds in found)


def test_a_row_that_is_not_answered_has_no_time() -> None:
    found = speed.times(Fake(failing=["r3"]), TEXTS)
    assert [row_id for row_id, _ in found] == [text.row_id for text in TEXTS if text.row_id != "r3"]


def test_the_sample_depends_on_no_order_and_grows_by_adding() -> None:
    row_ids = [f"r{index}" for index in range(100)]
    chosen = speed.sample(row_ids, 10)
    assert chosen == speed.sample(row_ids[::-1], 10) == speed.sample(row_ids, 20)[:10]
    assert len(set(chosen)) == 10
    assert speed.sample(row_ids[:3], 10) == sorted(row_ids[:3], key=speed.sample(row_ids[:3], 3).index)


def test_the_check_of_batches_counts_the_rows_that_change() -> None:
    found = speed.check_batch(Fake(shifted=["r1", "r2", "r29"]), Fake(), TEXTS, 8)
    assert (found.n_changed, found.n_rows, str(found)) == (3, 30, "3 of 30")
    assert speed.check_batch(Fake(), Fake(), TEXTS, 8).n_changed == 0


def test_rows_that_fail_do_not_end_the_check_of_batches() -> None:
    found = speed.check_batch(Fake(failing=["r3"]), Fake(failing=["r3"]), TEXTS, 8)
    assert str(found) == "0 of 30"
    assert str(speed.check_batch(Fake(failing=["r3"]), Fake(), TEXTS, 8)) == "1 of 30"
