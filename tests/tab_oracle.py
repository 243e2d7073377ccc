"""TAB's metrics by sets of characters and Python's own regular expressions: METRICS in their plainest form."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

FORGIVEN = set(" ,.-;:/&()[]–'\"’“”")
Place = tuple[str, int]
"""A character: the text it is in, and where."""
Stretch = tuple[str, int, int]
"""A text, and a span of it."""


class Mention(NamedTuple):
    """What one annotator said of a span."""

    row_id: str
    start: int
    end: int
    label: str
    entity: str | None
    judgement: str
    annotator: str | None


class Document(NamedTuple):
    """A document: its texts in order, its mentions in the order of the file, and who is known to have judged it."""

    texts: Mapping[str, str]
    mentions: Sequence[Mention]
    annotators: frozenset[str] = frozenset()


class Entity(NamedTuple):
    """The mentions that one annotator put together, in order."""

    mentions: Sequence[Mention]
    label: str
    is_direct: bool


def score(
    documents: Mapping[str, Document],
    masks: Mapping[str, Sequence[tuple[int, int]]],
    forgiven: Iterable[Stretch] = (),
    weights: str | Iterable[tuple[str, int, int, float]] = "unigram",
    compat: bool = False,
) -> dict[str, Any]:
    """Counts and figures under the names of `marts.tab_scores`. `masks` names each text that was answered."""
    weigh = _weigher(documents, weights)
    blank = {place for stretch in forgiven for place in _chars(stretch)}
    counts: Counter[str] = Counter()
    types: dict[str, Counter[str]] = {}
    for document in documents.values():
        if compat and not any(row_id in masks for row_id in document.texts):
            continue
        counts["n_documents"] += 1
        counts["n_rows_missing"] += sum(row_id not in masks for row_id in document.texts)
        _count(document, masks, blank, weigh, compat, counts, types)
    return {**_figures(counts), "by_type": {label: dict(of) for label, of in types.items()}}


def _count(
    document: Document,
    masks: Mapping[str, Sequence[tuple[int, int]]],
    blank: set[Place],
    weigh: "Weigher",
    compat: bool,
    counts: Counter[str],
    types: dict[str, Counter[str]],
) -> None:
    given = [(row_id, start, end) for row_id in document.texts for start, end in masks.get(row_id, ())]
    masked = {place for stretch in given for place in _chars(stretch)}

    def is_covered(stretch: Stretch) -> bool:
        text = document.texts[stretch[0]]
        readable = {place for place in _chars(stretch) - masked - blank if text[place[1]] not in FORGIVEN}
        return stretch[0] in masks and not readable

    for entity in entities(document.mentions, compat):
        to_mask = [mention for mention in entity.mentions if mention.judgement != "NO_MASK"]
        if not to_mask:
            continue
        kind = "direct" if entity.is_direct else "quasi"
        counts[f"{kind}_entities"] += 1
        counts[f"{kind}_entities_covered"] += all(is_covered(_stretch(mention)) for mention in to_mask)
        counts[f"{kind}_entities_exact"] += all(_stretch(mention) in given for mention in to_mask)
        of_type = types.setdefault(entity.label, Counter(mentions=0, mentions_covered=0, tokens=0, tokens_covered=0))
        for mention in entity.mentions if compat else to_mask:
            stretch = _stretch(mention)
            pieces = tokens(document.texts, stretch)
            for name, amount in (
                ("mentions", 1),
                ("mentions_covered", int(is_covered(stretch))),
                ("tokens", len(pieces)),
                ("tokens_covered", sum(is_covered(token) for token in pieces)),
            ):
                counts[f"{kind}_{name}"] += amount
                of_type[name] += amount

    right = [mention for mention in document.mentions if mention.judgement != "NO_MASK"]
    annotators = {mention.annotator for mention in document.mentions}
    n_annotators = len(annotators) if compat else max(1, len(annotators | document.annotators))

    def n_right(stretch: Stretch) -> int:
        return len({mention.annotator for mention in right if _chars(stretch) <= _chars(_stretch(mention))})

    for stretch in given if compat else merged(given):
        for name, items in (("mask", [stretch]), ("mask_token", tokens(document.texts, stretch))):
            for item in items:
                counts[f"{name}s"] += n_annotators
                counts[f"{name}s_right"] += n_right(item)
                counts[f"{name}_weight"] += n_annotators * weigh(item)
                counts[f"{name}_weight_right"] += n_right(item) * weigh(item)
    gold = {_stretch(mention) for mention in right}
    counts["exact_gold"] += len(gold)
    counts["exact_pred"] += len(set(given))
    counts["exact_both"] += len(set(given) & gold)
    counts["exact_weight"] += sum(weigh(stretch) for stretch in set(given))
    counts["exact_weight_both"] += sum(weigh(stretch) for stretch in set(given) & gold)


def entities(mentions: Sequence[Mention], compat: bool) -> list[Entity]:
    """The entities of a document."""
    groups: dict[Any, list[Mention]] = {}
    for index, mention in enumerate(mentions):
        alone = (index if compat else mention[:4]) if mention.entity is None else None
        groups.setdefault((mention.annotator, mention.entity, alone), []).append(mention)
    found = []
    for group in groups.values():
        if compat:
            found.append(Entity(group, group[0].label, group[0].judgement == "DIRECT"))
            continue
        strongest = {}
        for mention in sorted(group, key=lambda one: ("NO_MASK", "QUASI", "DIRECT").index(one.judgement)):
            strongest[mention[:4]] = mention
        labels = Counter(mention.label for mention in strongest.values())
        label = min(labels, key=lambda one: (-labels[one], one.encode()))
        found.append(Entity(list(strongest.values()), label, any(one.judgement == "DIRECT" for one in group)))
    return found


def tokens(texts: Mapping[str, str], stretch: Stretch) -> list[Stretch]:
    """The tokens of the stretch's own text."""
    row_id, start, end = stretch
    return [(row_id, start + one.start(), start + one.end()) for one in re.finditer(r"\w+", texts[row_id][start:end])]


def merged(given: Iterable[Stretch]) -> list[Stretch]:
    """Stretches of which none shares a character with another."""
    found: list[Stretch] = []
    for stretch in given:
        row_id, start, end = stretch
        for other in [one for one in found if _chars(one) & _chars(stretch)]:
            found.remove(other)
            start, end = min(start, other[1]), max(end, other[2])
        found.append((row_id, start, end))
    return found


class Weigher(NamedTuple):
    """The weight of a stretch in billionths of a bit: that of the heaviest token it overlaps."""

    by_place: Mapping[Place, int] | None  # None: everything weighs one bit

    def __call__(self, stretch: Stretch) -> int:
        if self.by_place is None:
            return 10**9
        return max((self.by_place.get(place, 0) for place in _chars(stretch)), default=0)


def _weigher(documents: Mapping[str, Document], weights: str | Iterable[tuple[str, int, int, float]]) -> Weigher:
    if weights == "uniform":
        return Weigher(None)
    if isinstance(weights, str):
        texts = {row_id: text for document in documents.values() for row_id, text in document.texts.items()}
        words = [
            (token, texts[token[0]][token[1] : token[2]].lower())
            for row_id, text in texts.items()
            for token in tokens(texts, (row_id, 0, len(text)))
        ]
        seen = Counter(word for _, word in words)
        weights = [(*token, -math.log2(seen[word] / len(words))) for token, word in words]
    by_place: dict[Place, int] = {}
    for row_id, start, end, bits in weights:
        for place in _chars((row_id, start, end)):
            by_place[place] = max(by_place.get(place, 0), round(bits * 1e9))
    return Weigher(by_place)


def _chars(stretch: Stretch) -> set[Place]:
    row_id, start, end = stretch
    return {(row_id, char) for char in range(start, end)}


def _stretch(mention: Mention) -> Stretch:
    return mention.row_id, mention.start, mention.end


def _figures(counts: Counter[str]) -> dict[str, Any]:
    of: dict[str, Any] = dict(counts)
    for name in ("mentions", "tokens", "entities"):
        for state in ("", "_covered", "_exact"):
            of[f"{name}{state}"] = counts[f"direct_{name}{state}"] + counts[f"quasi_{name}{state}"]

    def ratio(part: str, whole: str) -> float | None:
        return of.get(part, 0) / of[whole] if of.get(whole) else None

    for name in ("mention", "token"):
        of[f"{name}_recall"] = ratio(f"{name}s_covered", f"{name}s")
        for kind in ("direct", "quasi"):
            of[f"{name}_recall_{kind}"] = ratio(f"{kind}_{name}s_covered", f"{kind}_{name}s")
    for figure, state in (("entity_recall", "covered"), ("exact_entity_recall", "exact")):
        of[figure] = ratio(f"entities_{state}", "entities")
        for kind in ("direct", "quasi"):
            of[f"{figure}_{kind}"] = ratio(f"{kind}_entities_{state}", f"{kind}_entities")
    of["mention_precision"] = ratio("masks_right", "masks")
    of["weighted_mention_precision"] = ratio("mask_weight_right", "mask_weight")
    of["token_precision"] = ratio("mask_tokens_right", "mask_tokens")
    of["weighted_token_precision"] = ratio("mask_token_weight_right", "mask_token_weight")
    precision, recall = of["token_precision"], of["token_recall"]
    if precision is None or recall is None:
        of["token_f1"] = None
    else:
        of["token_f1"] = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    of["exact_mention_recall"] = ratio("exact_both", "exact_gold")
    of["exact_mention_precision"] = ratio("exact_both", "exact_pred")
    of["exact_weighted_precision"] = ratio("exact_weight_both", "exact_weight")
    return of
