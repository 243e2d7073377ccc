"""Entity scores by brute force: all pairs of a row sorted and gone through, then counted; replicates in NumPy."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests import oracle


class Span(NamedTuple):
    """A stretch of a row under a label of our list."""

    start: int
    end: int
    label: str


Pair = tuple[Span, Span]
SCHEMES = ("strict", "exact", "partial", "type")
COUNTS = ("n_gold", "n_pred", "n_exact_same", "n_exact_other", "n_overlap_same", "n_overlap_other")
_JUDGED = {  # what a scheme makes of a pair: same boundary or not, same label or not
    "strict": {(True, True): "correct", (True, False): "incorrect", (False, True): "incorrect"},
    "exact": {(True, True): "correct", (True, False): "correct", (False, True): "incorrect"},
    "partial": {(True, True): "correct", (True, False): "correct", (False, True): "partial", (False, False): "partial"},
    "type": {(True, True): "correct", (True, False): "incorrect", (False, True): "correct"},
}


def shared(one: tuple[int, int, Any], other: tuple[int, int, Any]) -> int:
    """How many characters two stretches have in common."""
    return len(set(range(one[0], one[1])) & set(range(other[0], other[1])))


def kind(pair: Pair) -> tuple[bool, bool]:
    """Whether the boundaries are the same, and whether the labels are."""
    gold, pred = pair
    return gold[:2] == pred[:2], gold.label == pred.label


def matched(gold: Iterable[Span], pred: Iterable[Span]) -> list[Pair]:
    """The pairs of a row, each span in one at most."""
    pairs = [(one, other) for one in set(gold) for other in set(pred) if shared(one, other)]
    free: set[tuple[str, Span]] = {("gold", one) for one, _ in pairs} | {("pred", other) for _, other in pairs}
    taken = []
    for one, other in sorted(pairs, key=_place):
        if {("gold", one), ("pred", other)} <= free:
            free -= {("gold", one), ("pred", other)}
            taken.append((one, other))
    return taken


def _place(pair: Pair) -> tuple[Any, ...]:
    gold, pred = pair
    same_place, same_label = kind(pair)
    first = (not (same_place and same_label), not same_place, -shared(gold, pred), not same_label)
    return (*first, gold.start, pred.start, gold.end, pred.end, gold.label.encode(), pred.label.encode())


def left_out(gold: Iterable[Span], neither: Sequence[tuple[int, int, Any]], pred: Iterable[Span]) -> set[Span]:
    """Predicted spans on excluded identifiers or lookalikes and on no scored gold."""
    gold = list(gold)
    return {
        span
        for span in pred
        if any(shared(span, one) for one in neither) and not any(shared(span, one) for one in gold)
    }


def counts(gold: Iterable[Span], neither: Sequence[tuple[int, int, Any]], pred: Iterable[Span]) -> dict[str, Any]:
    """A row's line of entity_counts."""
    gold, everything = set(gold), set(pred)
    aside = left_out(gold, neither, everything)
    pred = everything - aside
    by_label = []
    for label in sorted({span.label for span in gold | everything}, key=str.encode):
        of_label = [{span for span in spans if span.label == label} for spans in (gold, pred, aside)]
        tallied = _tallied(of_label[0], of_label[1])
        by_label.append(
            {
                "label": label,
                **{name: tallied[name] for name in ("n_gold", "n_pred", "n_exact_same", "n_overlap_same")},
                "n_left_out": len(of_label[2]),
            }
        )
    return {**_tallied(gold, pred), "n_left_out": len(aside), "by_label": by_label}


def _tallied(gold: set[Span], pred: set[Span]) -> dict[str, int]:
    kinds = [kind(pair) for pair in matched(gold, pred)]
    numbers = [kinds.count((place, label)) for place in (True, False) for label in (True, False)]
    return dict(zip(COUNTS, [len(gold), len(pred), *numbers], strict=True))


def scored(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Counts and ratios of each scheme over rows of counts; those of a label have no pairs of other labels."""
    n = dict.fromkeys(COUNTS, 0)
    for row in rows:
        for name in COUNTS:
            n[name] += row.get(name, 0)
    kinds = {
        (place, label): n[f"n_{'exact' if place else 'overlap'}_{'same' if label else 'other'}"]
        for place in (True, False)
        for label in (True, False)
    }
    found = {}
    for scheme in SCHEMES:
        judged = dict.fromkeys(("correct", "incorrect", "partial"), 0)
        for of, n_pairs in kinds.items():
            judged[_JUDGED[scheme].get(of, "incorrect")] += n_pairs
        missed, spurious = n["n_gold"] - sum(kinds.values()), n["n_pred"] - sum(kinds.values())
        worth = judged["correct"] + judged["partial"] / 2
        possible, actual = sum(judged.values()) + missed, sum(judged.values()) + spurious
        found[scheme] = {
            **judged,
            "missed": missed,
            "spurious": spurious,
            "possible": possible,
            "actual": actual,
            "precision": worth / actual if actual else None,
            "recall": worth / possible if possible else None,
            "f1": 2 * worth / (possible + actual) if possible + actual else None,
        }
    return found


def replicate_f1(
    rows: Iterable[tuple[str, str, Mapping[str, Any]]], seed: int, unit: str, replicates: int
) -> dict[str, oracle.Floats]:
    """F1 of each scheme in each replicate, NaN without spans; rows are (corpus, unit id, counts), also those of zeros.

    Rows of a slice are all rows, with zeros where a row is not of the slice.
    """
    of_units = oracle.by_unit(
        (corpus, unit_id, *(int(line.get(name, 0)) for name in COUNTS))
        for corpus, unit_id, line in rows  # type: ignore[misc]
    )
    n_gold, n_pred, *pairs = np.sum(oracle.replicate_sums(of_units, seed, unit, replicates), axis=0).T
    numbers = dict(zip([(True, True), (True, False), (False, True), (False, False)], pairs, strict=True))
    weights = {"correct": 2, "partial": 1, "incorrect": 0}
    return {
        scheme: oracle.share(
            sum(weights[_JUDGED[scheme].get(of, "incorrect")] * n_pairs for of, n_pairs in numbers.items()),
            n_gold + n_pred,
        )
        for scheme in SCHEMES
    }
