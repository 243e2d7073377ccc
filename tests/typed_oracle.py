"""Typed scores of small rows by sets: METRICS §3 in its plainest form, sharing nothing with the SQL."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

Span = tuple[int, int, str]
"""Start, end and label."""

COUNTS = (
    *("gold", "pred", "tp", "leaked", "exposed", "contained", "covered", "touched", "missed", "exposed_chars"),
    *("n_out_of_scope", "n_unmapped", "n_ignored"),
)


def row_counts(
    gold: Iterable[Span],
    predicted: Iterable[Span],
    scope: Collection[str],
    known: Collection[str],
    ignored: Collection[Span],
    severe: Collection[str],
) -> dict[str, Counter[str]]:
    """Counts of a row by label. `ignored` are those predicted spans whose label the map ignores."""
    gold, predicted = set(gold), set(predicted)
    readable = {start_end: set(range(*start_end)) for start_end in {(start, end) for start, end, _ in gold}}
    masked = {char for start, end, _ in [*predicted, *ignored] for char in range(start, end)}
    found: dict[str, Counter[str]] = {}
    for start, end, label in gold:
        counts, chars = found.setdefault(label, Counter()), readable[start, end]
        left = chars - masked
        counts["gold"] += 1
        counts["tp"] += (start, end, label) in predicted
        counts["leaked"] += label in severe and left == chars
        counts["exposed"] += label in severe and bool(left)
        counts["contained"] += any(chars <= set(range(*one[:2])) for one in [*predicted, *ignored])
        counts["covered"] += not left
        counts["touched"] += left != chars
        counts["missed"] += left == chars
        counts["exposed_chars"] += len(left)
    for _, _, label in predicted:
        kind = "pred" if label in scope else "n_out_of_scope" if label in known else "n_unmapped"
        found.setdefault(label, Counter())[kind] += 1
    for _, _, label in set(ignored) - predicted:
        found.setdefault(label, Counter())["n_ignored"] += 1
    return found


def ratios(tp: int, pred: int, gold: int) -> dict[str, float | None]:
    """Precision, recall, F1 and F2 by their textbook formulas."""

    def mean(beta: float) -> float | None:
        weighed = beta**2 * gold + pred
        return (1 + beta**2) * tp / weighed if weighed else None

    return {
        "precision": tp / pred if pred else None,
        "recall": tp / gold if gold else None,
        "f1": mean(1),
        "f2": mean(2),
    }


def taken(documents: Iterable[str], limit: int | None) -> set[str]:
    """The documents that a limit leaves of a slice: the first by the MD5 of their ids."""
    ordered: Sequence[str] = sorted(set(documents), key=lambda name: (hashlib.md5(name.encode()).hexdigest()[:8], name))
    return set(ordered[:limit])


def added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sums of all counts."""
    whole: Counter[str] = Counter()
    for part in parts:
        whole.update(part)
    return {name: whole[name] for name in COUNTS}
