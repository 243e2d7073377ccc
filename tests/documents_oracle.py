"""Whole-document protection by sets of characters and NumPy, for small boards: the same figures without SQL."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tests import oracle
from tests.tables import Gold, Row, Run

ROLES = {"PERSON": "scored", "LOCATION": "scored", "EMAIL": "excluded", "IBAN": "excluded", "OTHER": "ignored"}
"""Of labels that mean the same in every corpus."""

Char = tuple[str, int]
"""A character of a row."""
Document = tuple[str, str]
"""Its corpus and its id."""


class Counts(NamedTuple):
    """What `intermediate.document_counts` says of a document, in its order."""

    n_rows: int
    n_rows_missing: int
    gold_chars: int
    exposed_chars: int
    identifier_chars: int
    exposed_identifier_chars: int
    n_entities: int
    n_exposed_entities: int
    n_identifiers: int
    n_exposed_identifiers: int


class Interval(NamedTuple):
    """What `marts.document_intervals` says; None where nothing is defined."""

    low: float | None
    high: float | None
    n_replicates: int
    share_incomplete: float


def role_of(span: Gold) -> str:
    """Excluded by the file's word, then NO_MASK, then scored by it, then the label."""
    if span.identifier_type == "NO_MASK" and span.role != "excluded":
        return "ignored"
    return span.role or ROLES[span.label]


def documents(rows: Iterable[Row]) -> dict[Document, list[Row]]:
    """Rows by document, in byte order of corpus and id."""
    found: dict[Document, list[Row]] = {}
    for row in rows:
        found.setdefault((row.corpus, row.doc_id or row.row_id), []).append(row)
    return dict(sorted(found.items(), key=lambda item: (item[0][0].encode(), item[0][1].encode())))


def counts(rows: Iterable[Row], run: Run) -> dict[Document, Counts]:
    """Counts of each document; `rows` are all of its texts."""
    return {document: _counts(texts, run) for document, texts in documents(rows).items()}


def _counts(rows: Sequence[Row], run: Run) -> Counts:
    masked: set[Char] = set()
    n_missing = 0
    for row in rows:
        answer = run.answers.get(row.row_id)
        n_missing += answer is None or answer.status == "error"
        for span in answer.spans if answer else ():
            masked |= {(row.row_id, char) for char in range(span.start, span.end)}
    spans = [(row.row_id, span) for row in rows for span in row.gold]
    gold, excluded = (_chars(spans, role) for role in ("scored", "excluded"))
    identifiers = excluded - gold
    scored_entities, excluded_entities = (_entities(spans, role) for role in ("scored", "excluded"))
    return Counts(
        len(rows),
        n_missing,
        len(gold),
        len(gold - masked),
        len(identifiers),
        len(identifiers - masked),
        len(scored_entities),
        sum(bool(chars - masked) for chars in scored_entities),
        len(excluded_entities),
        sum(bool(chars - masked) for chars in excluded_entities),
    )


def _chars(spans: Iterable[tuple[str, Gold]], role: str) -> set[Char]:
    return {(row_id, char) for row_id, span in spans if role_of(span) == role for char in range(span.start, span.end)}


def _entities(spans: Iterable[tuple[str, Gold]], role: str) -> list[set[Char]]:
    """The characters of each entity of a document, over all its mentions in that role."""
    found: dict[object, set[Char]] = {}
    for row_id, span in spans:
        if role_of(span) == role:
            stretch = (row_id, span.start, span.end)
            name = stretch if span.entity_id is None else (span.annotator, span.entity_id)
            found.setdefault(name, set()).update((row_id, char) for char in range(span.start, span.end))
    return list(found.values())


def intervals(of: Mapping[Document, Counts], seed: int, replicates: int) -> dict[str | None, Interval]:
    """Bootstrap interval of the share of protected documents, by corpus; None for the mean over those with a share."""
    flags: dict[str, list[tuple[int, int]]] = {}
    for (corpus, _), count in of.items():
        has_gold = count.gold_chars > 0
        flags.setdefault(corpus, []).append((has_gold, has_gold and count.exposed_chars == 0))
    sums = oracle.replicate_sums(
        {corpus: np.array(of_corpus) for corpus, of_corpus in flags.items()}, seed, "document", replicates
    )
    shares = np.array([oracle.share(drawn[:, 1], drawn[:, 0]) for drawn in sums])
    found = {corpus: _interval(drawn, np.isnan(drawn)) for corpus, drawn in zip(flags, shares, strict=True)}
    with_gold = [any(has_gold for has_gold, _ in of_corpus) for of_corpus in flags.values()]
    means = oracle.mean_over_corpora(shares)
    left_out = np.isnan(shares[with_gold]).any(axis=0) if any(with_gold) else np.zeros(replicates, dtype=bool)
    return {**found, None: _interval(means, left_out)}


def _interval(values: oracle.Floats, incomplete: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Interval:
    low, high = (oracle.percentile(values, share) for share in (0.025, 0.975))
    n_replicates = int((~np.isnan(values)).sum())
    share = float(incomplete.mean())
    return Interval(None if np.isnan(low) else low, None if np.isnan(high) else high, n_replicates, share)
