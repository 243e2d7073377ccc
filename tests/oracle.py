"""The same figures as the SQL, by sets of characters and NumPy: METRICS in their plainest form, for small inputs."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Interval = tuple[int, int]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_LOW_32 = np.uint64(0xFFFFFFFF)
_UNIT_CODES = {"row": 1, "document": 2}


def char_counts(
    n_chars: int,
    scored: Sequence[Interval],
    excluded: Sequence[Interval],
    lookalike: Sequence[Interval],
    scaffold: Sequence[Interval],
    predicted: Sequence[Interval],
) -> dict[str, int]:
    """Counts of one row. Lookalikes lie on the carrier's side, where no span is."""
    g, x, look, syntax, p = (_chars(n_chars, of) for of in (scored, excluded, lookalike, scaffold, predicted))
    return {
        "tp": len(p & g),
        "fp": len(p - g - x - look),
        "fn": len(g - p),
        "touched": len((p & x) - g),
        "excluded": len(x - g),
        "lookalike": len(look),
        "lookalike_touched": len(look & p),
        "scaffold_fp": len((p - g - x - look) & syntax),
    }


def by_type(
    n_chars: int, scored: Iterable[tuple[int, int, str]], predicted: Sequence[Interval]
) -> dict[str, dict[str, int]]:
    """`tp` and `fn` of each type that has gold in the row."""
    spans = sorted(scored, key=lambda span: span[2])
    p = _chars(n_chars, predicted)
    counts = {}
    for kind in dict.fromkeys(span[2] for span in spans):
        g = _chars(n_chars, [(start, end) for start, end, of in spans if of == kind])
        counts[kind] = {"tp": len(g & p), "fn": len(g - p)}
    return counts


def _chars(n_chars: int, intervals: Sequence[Interval]) -> set[int]:
    return {char for start, end in intervals for char in range(max(0, start), min(n_chars, end))}


def mix32(x: ArrayLike) -> NDArray[np.uint64]:
    """A bijection of 32-bit integers."""
    y = np.asarray(x, dtype=np.uint64)
    y = ((y ^ (y >> np.uint64(16))) * np.uint64(0x21F0AAAD)) & _LOW_32
    y = ((y ^ (y >> np.uint64(15))) * np.uint64(0x735A2D97)) & _LOW_32
    return y ^ (y >> np.uint64(15))


def draw(seed: int, unit: str, corpus: str, replicate: ArrayLike, slot: ArrayLike, n_units: int) -> Integers:
    """Which unit of the corpus, in byte order of their ids, a replicate has in a slot; replicates and slots from 0."""
    corpus_key = np.uint64(int(hashlib.md5(corpus.encode()).hexdigest()[:8], 16))
    seed_key = mix32(np.uint64(seed) ^ np.uint64((_UNIT_CODES[unit] * 0x9E3779B1) & 0xFFFFFFFF))
    replicate_key = mix32(mix32(seed_key ^ corpus_key) ^ np.asarray(replicate, dtype=np.uint64))
    return ((mix32(replicate_key ^ mix32(slot)) * np.uint64(n_units)) >> np.uint64(32)).astype(np.int64)


def draws(seed: int, unit: str, corpus: str, replicates: int, n_units: int) -> Integers:
    """All draws of a corpus, (replicates, n_units)."""
    return draw(seed, unit, corpus, np.arange(replicates)[:, None], np.arange(n_units)[None, :], n_units)


def by_unit(rows: Iterable[tuple[str, str, int, int, int]]) -> dict[str, Integers]:
    """(corpus, unit id, tp, fp, fn) of rows as an array (n_units, 3) a corpus, units in byte order of their ids."""
    sums: dict[str, dict[str, Any]] = {}
    for corpus, unit_id, *counts in rows:
        units = sums.setdefault(corpus, {})
        units[unit_id] = units.get(unit_id, 0) + np.array(counts, dtype=np.int64)
    return {
        corpus: np.array([units[unit_id] for unit_id in sorted(units, key=str.encode)])
        for corpus, units in sorted(sums.items(), key=lambda item: item[0].encode())
    }


def replicate_f1(counts: Mapping[str, Integers], seed: int, unit: str, replicates: int) -> Floats:
    """F1 of each corpus in each replicate, (corpora, replicates), NaN where a corpus has no value."""
    return np.array(
        [
            f1(of_units[draws(seed, unit, corpus, replicates, len(of_units))].sum(axis=1))
            for corpus, of_units in counts.items()
        ]
    )


def f1(counts: NDArray[Any]) -> Floats:
    """F1 of counts whose last axis is (tp, fp, fn)."""
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    total = 2 * tp + fp + fn
    values: Floats = np.divide(2 * tp, total, out=np.full(total.shape, np.nan), where=total > 0)
    return values


def mean_over_corpora(values: Floats) -> Floats:
    """Mean of the first axis over the corpora that have a value, added up in their order."""
    total, n = np.zeros(values.shape[1:]), np.zeros(values.shape[1:])
    for of_corpus in values:
        has_value = ~np.isnan(of_corpus)
        total += np.where(has_value, of_corpus, 0.0)
        n += has_value
    means: Floats = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return means


def bootstrap(counts: Mapping[str, Integers], seed: int, unit: str, replicates: int) -> Floats:
    """Mean F1 of each replicate."""
    return mean_over_corpora(replicate_f1(counts, seed, unit, replicates))


def differences(a: Mapping[str, Integers], b: Mapping[str, Integers], seed: int, unit: str, replicates: int) -> Floats:
    """Mean F1 of A minus that of B in each replicate, over the corpora where both have a value in it."""
    one, other = replicate_f1(a, seed, unit, replicates), replicate_f1(b, seed, unit, replicates)
    undefined = np.isnan(one) | np.isnan(other)
    one[undefined] = other[undefined] = np.nan
    return mean_over_corpora(one) - mean_over_corpora(other)


def percentile(values: Floats, share: float) -> float:
    """Linear interpolation between the two values nearest to the place `share * (n - 1)`; NaN is no value."""
    ordered = np.sort(values[~np.isnan(values)])
    place = share * (len(ordered) - 1)
    below, above = int(np.floor(place)), int(np.ceil(place))
    return float(ordered[below] + (ordered[above] - ordered[below]) * (place - below))


def p_value(values: Floats) -> float:
    """Two-sided p of paired differences; NaN is no value."""
    d = values[~np.isnan(values)]
    return min(1.0, 2 * (min(int((d <= 0).sum()), int((d >= 0).sum())) + 1) / (len(d) + 1))


def smallest_detectable(values: Floats) -> float:
    """2.8 sample standard deviations of the differences."""
    return 2.8 * float(np.std(values[~np.isnan(values)], ddof=1))
