"""The same figures as the SQL, by sets of characters and NumPy: METRICS in their plainest form, for small inputs."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Interval = tuple[int, int]
Line = tuple[int, int, str, int | None, int | None, int | None]
"""An alignment: wire_start, wire_end, kind, passage_start, passage_end, value_index."""
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


def wire_chars(alignments: Iterable[Line]) -> dict[int, set[int]]:
    """The characters of the passage that are on the wire, each with its wire characters."""
    found: dict[int, set[int]] = {}
    for wire_start, wire_end, kind, start, end, _ in alignments:
        if start is None or end is None or kind == "lost":
            continue
        for offset, char in enumerate(range(start, end)):
            at = {wire_start + offset} if kind == "copied" else set(range(wire_start, wire_end))
            if at:
                found[char] = at
    return found


def pair_chars(
    alignments: Iterable[Line],
    scored: Iterable[tuple[int, int, str]],
    in_prose: Sequence[Interval],
    on_wire: Sequence[Interval],
) -> dict[int, tuple[bool, bool, set[str]]]:
    """Each gold character of a passage that is on the wire: found in prose, found in the carrier, its types."""
    found: dict[int, tuple[bool, bool, set[str]]] = {}
    for char, at in wire_chars(alignments).items():
        types = {kind for start, end, kind in scored if start <= char < end}
        if types:
            prose = any(start <= char < end for start, end in in_prose)
            carrier = any(start <= wire < end for wire in at for start, end in on_wire)
            found[char] = (prose, carrier, types)
    return found


def pair_counts(chars: Iterable[tuple[bool, bool, set[str]]]) -> dict[str, int]:
    """Characters found in both (kept), in prose alone (lost) and in the carrier alone (gained)."""
    chars = list(chars)
    return {
        "gold": len(chars),
        "kept": sum(prose and carrier for prose, carrier, _ in chars),
        "lost": sum(prose and not carrier for prose, carrier, _ in chars),
        "gained": sum(carrier and not prose for prose, carrier, _ in chars),
    }


def pair_types(chars: Iterable[tuple[bool, bool, set[str]]]) -> dict[str, dict[str, int]]:
    """The same by type of gold, in alphabetical order."""
    chars = list(chars)
    types = sorted({kind for _, _, kinds in chars for kind in kinds})
    return {kind: pair_counts(char for char in chars if kind in char[2]) for kind in types}


def fields(
    alignments: Iterable[Line], scored: Sequence[Interval], excluded: Sequence[Interval], predicted: Sequence[Interval]
) -> dict[int, tuple[int, int, bool, bool, bool, str]]:
    """Each value of a carrier: first and last wire character, holds gold, excluded, is marked, and the verdict."""
    places: dict[int, list[int]] = {}
    for wire_start, wire_end, _, _, _, value_index in alignments:
        if value_index is not None:
            places.setdefault(value_index, []).extend([wire_start, wire_end])
    found = {}
    for value_index, ends in places.items():
        chars = set(range(min(ends), max(ends)))
        gold, other, marked = (
            any(chars & set(range(start, end)) for start, end in spans) for spans in (scored, excluded, predicted)
        )
        verdict = ("tp" if marked else "fn") if gold else "excluded" if other else "fp" if marked else "tn"
        found[value_index] = (min(ends), max(ends), gold, other, marked, verdict)
    return found


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
    return np.array([f1(of_corpus) for of_corpus in replicate_sums(counts, seed, unit, replicates)])


def replicate_sums(counts: Mapping[str, Integers], seed: int, unit: str, replicates: int) -> list[Integers]:
    """Counts of each corpus in each replicate, (replicates, counts)."""
    return [
        of_units[draws(seed, unit, corpus, replicates, len(of_units))].sum(axis=1)
        for corpus, of_units in counts.items()
    ]


def f1(counts: NDArray[Any]) -> Floats:
    """F1 of counts whose last axis is (tp, fp, fn)."""
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    total = 2 * tp + fp + fn
    values: Floats = np.divide(2 * tp, total, out=np.full(total.shape, np.nan), where=total > 0)
    return values


def share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """A ratio, NaN where there is nothing to take a part of."""
    values: Floats = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return values


def mean_difference(a: Floats, b: Floats) -> Floats:
    """Mean of A minus that of B over the corpora, the first axis, where both have a value."""
    undefined = np.isnan(a) | np.isnan(b)
    return mean_over_corpora(np.where(undefined, np.nan, a)) - mean_over_corpora(np.where(undefined, np.nan, b))


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
    return mean_difference(replicate_f1(a, seed, unit, replicates), replicate_f1(b, seed, unit, replicates))


def percentile(values: Floats, share: float) -> float:
    """Linear interpolation between the two values nearest to the place `share * (n - 1)`; NaN is no value."""
    ordered = np.sort(values[~np.isnan(values)])
    if not len(ordered):
        return float("nan")
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
