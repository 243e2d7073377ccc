"""Draws of the bootstrap behave like independent uniform draws wherever a bootstrap would notice."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracle import draw, draws, mix32

# Every seed is fixed, so each test has one outcome. Chance alone passes the limit once in 150,000 comparisons.
LIMIT = 4.5
N_UNITS = [2, 3, 7, 10, 64, 500, 1000]
Array = NDArray[np.float64]


def z_of_chi_square(counts: NDArray[Any], expected: float | Array) -> float:
    """Wilson and Hilferty's normal score of Pearson's statistic."""
    degrees = counts.size - 1
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(((statistic / degrees) ** (1 / 3) - (1 - 2 / (9 * degrees))) / np.sqrt(2 / (9 * degrees)))


def standardised(indexes: NDArray[np.int64], n_units: int) -> Array:
    return np.asarray((indexes - (n_units - 1) / 2) / np.sqrt((n_units**2 - 1) / 12))


def z_of_correlation(one: Array, other: Array) -> float:
    return float((one * other).sum() / np.sqrt(one.size))


def times_drawn(drawn: NDArray[np.int64], n_units: int) -> Array:
    """How often each line of draws has each unit, (lines, n_units)."""
    n_lines = len(drawn)
    places = (np.arange(n_lines)[:, None] * n_units + drawn).ravel()
    return np.bincount(places, minlength=n_lines * n_units).reshape(n_lines, n_units).astype(float)


def test_draws_are_the_published_ones() -> None:
    assert draws(0, "row", "tab", 3, 500)[:, :6].tolist() == [
        [116, 477, 478, 94, 199, 407],
        [25, 489, 456, 314, 221, 18],
        [329, 407, 84, 495, 127, 200],
    ]
    assert draws(7, "document", "gretel", 2, 37)[:, :6].tolist() == [[9, 32, 21, 15, 35, 14], [3, 33, 2, 20, 18, 27]]
    assert draw(7, "document", "gretel", 2, 5, 37) == 24


def test_the_mixer_is_a_bijection_of_32_bits() -> None:
    x = np.arange(2**18, dtype=np.uint64) * np.uint64(16381)
    assert len(np.unique(mix32(x))) == len(x)
    assert int(mix32(x).max()) < 2**32
    assert int(mix32(1)) == 2261973619


@pytest.mark.parametrize("n_units", N_UNITS)
@pytest.mark.parametrize("unit", ["row", "document"])
def test_every_unit_is_drawn_equally_often(unit: str, n_units: int) -> None:
    drawn = draws(0, unit, "tab", 1000, n_units)
    assert abs(z_of_chi_square(np.bincount(drawn.ravel(), minlength=n_units), 1000)) < LIMIT


@pytest.mark.parametrize("n_units", [16, 20, 64])
def test_every_slot_has_every_unit_equally_often(n_units: int) -> None:
    replicates, scores = 1000, []
    for seed in range(10):
        of_slots = draw(seed, "row", "tab", np.arange(replicates)[None, :], np.arange(100)[:, None], n_units)
        scores += [z_of_chi_square(times, replicates / n_units) for times in times_drawn(of_slots, n_units)]
    assert abs(np.mean(scores)) < LIMIT / np.sqrt(len(scores))
    assert abs(np.std(scores) - 1) < LIMIT / np.sqrt(2 * len(scores))


@pytest.mark.parametrize("n_units", N_UNITS)
def test_neighbouring_replicates_and_slots_do_not_agree(n_units: int) -> None:
    x = standardised(draws(0, "row", "tab", 1000, n_units), n_units)
    for lag in (1, 2, 3, 4, 8, 16, 64, 128, 256, 512):
        assert abs(z_of_correlation(x[lag:], x[:-lag])) < LIMIT
        if lag < n_units:
            assert abs(z_of_correlation(x[:, lag:], x[:, :-lag])) < LIMIT
            assert abs(z_of_correlation(x[lag:, lag:], x[:-lag, :-lag])) < LIMIT
            assert abs(z_of_correlation(x[lag:, :-lag], x[:-lag, lag:])) < LIMIT


@pytest.mark.parametrize("n_units", [10, 100, 500])
def test_pairs_of_neighbouring_draws_are_spread_evenly(n_units: int) -> None:
    drawn = draws(1, "row", "tab", 1000, n_units) * 8 // n_units
    expected = np.outer(*[np.bincount(np.arange(n_units) * 8 // n_units) / n_units] * 2)
    for one, other in ((drawn[:, 1:], drawn[:, :-1]), (drawn[1:], drawn[:-1])):
        found = np.bincount((one * 8 + other).ravel(), minlength=64).reshape(8, 8)
        weights = expected * one.size
        assert abs(z_of_chi_square(found, weights)) < LIMIT


@pytest.mark.parametrize("n_units", N_UNITS)
def test_another_seed_unit_or_corpus_has_draws_of_its_own(n_units: int) -> None:
    for seed in (0, 1, 41, 2**32 - 2):
        x = standardised(draws(seed, "row", "tab", 500, n_units), n_units)
        for other in ((seed + 1, "row", "tab"), (seed, "document", "tab"), (seed, "row", "gretel")):
            y = standardised(draws(*other, 500, n_units), n_units)
            assert abs(z_of_correlation(x, y)) < LIMIT
            assert abs(z_of_correlation(x.sum(axis=1), y.sum(axis=1)) / n_units) < LIMIT


@pytest.mark.parametrize("n_units", [10, 64, 100, 500, 1000, 1024])
def test_ties_are_as_frequent_as_in_independent_draws(n_units: int) -> None:
    replicates = 2000
    squares = ((times_drawn(draws(0, "row", "tab", replicates, n_units), n_units) - 1) ** 2).sum(axis=1)
    standard_error = np.sqrt(2 * (n_units - 1) ** 2 / n_units / replicates)
    assert abs(squares.mean() - (n_units - 1)) < LIMIT * standard_error


@pytest.mark.parametrize("n_units", [10, 100, 500])
def test_the_variance_of_a_bootstrap_mean_is_the_variance_over_n(n_units: int) -> None:
    replicates, statistics = 1000, 32
    values = np.random.default_rng(0).normal(size=(n_units, statistics))
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    ratios = [
        (times_drawn(draws(seed, "row", "tab", replicates, n_units), n_units) @ values / n_units).var(axis=0, ddof=1)
        * n_units
        for seed in range(10)
    ]
    n_independent = min(statistics, n_units - 1) * len(ratios)
    assert abs(np.mean(ratios) - 1) < LIMIT * np.sqrt(2 / replicates / n_independent)


def test_no_two_replicates_draw_the_same_sample() -> None:
    replicates, n_units = 1000, 2**14
    weights = np.random.default_rng(0).integers(0, 2**40, n_units)
    for seed in range(2):
        sums = [
            int(weights[draw(seed, "row", "tab", replicate, np.arange(n_units), n_units)].sum())
            for replicate in range(replicates)
        ]
        assert len(set(sums)) == replicates
