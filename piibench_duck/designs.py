"""Which passages of a corpus a design takes, and in which carriers."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from piibench_duck import carriers
from piibench_duck.protocol import Design

PROSE = "prose"


class Candidate(NamedTuple):
    """A passage that may serve."""

    passage_id: str
    split: str


Row = tuple[str, str]
"""A passage's id and a carrier."""


def default_carriers() -> list[str]:
    """The carriers that designs deal passages out to, in alphabetical order."""
    return [name for name in carriers.carrier_names() if carriers.is_default(name)]


def select(
    candidates: Sequence[Candidate], design: Design, splits: Sequence[str], names: Sequence[str]
) -> list[list[Row]]:
    """What the design takes of a corpus, for each passage the rows that serve together.

    Splits serve in order until there are enough; within a split the passages with the smallest hashes do. Carriers are
    dealt out in the order of another hash, so that each gets as many as the next.
    """
    chosen: list[str] = []
    for split in splits:
        of_split = [candidate.passage_id for candidate in candidates if candidate.split == split]
        of_split.sort(key=lambda passage_id: _hash("choose", passage_id))
        chosen += of_split if design.passages is None else of_split[: design.passages - len(chosen)]
    chosen.sort(key=lambda passage_id: _hash("carrier", passage_id))
    return [
        [(passage_id, carrier) for carrier in _carriers(design, names, place)]
        for place, passage_id in enumerate(chosen)
    ]


def documents(splits_by_id: Mapping[str, str], splits: Sequence[str], most: int | None) -> set[str]:
    """Ids of the documents that serve: of the splits, in order, at most so many, those with the smallest hashes."""
    chosen: list[str] = []
    for split in splits:
        of_split = [doc_id for doc_id, its in splits_by_id.items() if its == split]
        of_split.sort(key=lambda doc_id: _hash("document", doc_id))
        chosen += of_split if most is None else of_split[: most - len(chosen)]
    return set(chosen)


def kept(selected: Iterable[Sequence[Row]], refused: Mapping[Row, str]) -> list[Row]:
    """The rows that are left where carriers refused some: a passage without any other than prose has no pair."""
    rows = []
    for together in selected:
        left = [row for row in together if row not in refused]
        if len(together) == 1 or any(carrier != PROSE for _, carrier in left):
            rows += left
    return rows


def _carriers(design: Design, names: Sequence[str], place: int) -> list[str]:
    dealt = names[place % len(names)]
    if design.carriers == "prose":
        return [PROSE]
    if design.carriers == "one":
        return [dealt]
    if design.carriers == "one_and_prose":
        return list(dict.fromkeys([PROSE, dealt]))
    return list(names)


def _hash(purpose: str, named: str) -> bytes:
    return hashlib.sha256(f"{purpose}:{named}".encode()).digest()
