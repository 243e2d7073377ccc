"""Random passages in prose and in carriers, for boards of pairs."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

from piibench_duck import carriers
from piibench_duck.carriers import Alignment, CannotHoldError, Value, Wrapped, Writer
from tests.tables import Stretch

ALPHABET = "ab .é\n\"\\'&<,;|" + "שם" + "😀" + "\u0301\u2028"


class Passage(NamedTuple):
    """A text with spans, which may overlap, and stretches that a carrier may spread."""

    text: str
    spans: list[tuple[int, int]]
    values: list[tuple[int, int]]


def passage(random: Random, most: int = 40) -> Passage:
    """A passage of words, quotes and worse."""
    text = "".join(random.choices(ALPHABET, k=random.randint(1, most)))
    spans = []
    for _ in range(random.choice([0, 1, 2, 4])):
        start = random.randint(0, len(text) - 1)
        spans.append((start, random.randint(start + 1, min(len(text), start + 8))))
    cuts = [0, *sorted(random.sample(range(1, len(text)), min(len(text) - 1, random.randint(0, 3)))), len(text)]
    return Passage(text, spans, list(pairwise(cuts)))


def wrapped(carrier: str, given: Passage) -> Wrapped | None:
    """The passage in a real carrier, if that can hold it."""
    try:
        return carriers.wrap(carrier, given.text, given.spans, given.values, carriers.row_key(given.text, carrier))
    except CannotHoldError:
        return None


def made(random: Random, given: Passage) -> Wrapped:
    """The passage in a carrier that does all that a Writer can do, by chance: copies, escapes, changes and loses."""
    writer = Writer(given.text, given.spans)
    at = 0
    while at < len(given.text):
        end = random.randint(at + 1, len(given.text))
        while any(start < end < stop for start, stop in given.spans):
            end += 1
        writer.scaffold("{" * random.randint(0, 2))
        if random.random() < 0.3:
            writer.lookalike("12:00")
        if random.random() < 0.1 and not any(start < end and at < stop for start, stop in given.spans):
            at = end  # lost between two values
            continue
        writer.open(Value(given.text[at:end], at))
        for place in range(at, end):
            what = random.choice(["copy", "copy", "copy", "escape", "change", "lose"])
            if what == "escape":
                writer.escape("\\" * random.randint(1, 4))
            elif what == "change":
                writer.change("~" * random.randint(1, 2))
            elif what == "lose" and not writer.is_edge(place):
                writer.lose()
            else:
                writer.copy()
        writer.close()
        at = end
    writer.scaffold("}")
    return writer.finish()


def stretches(alignments: Sequence[Alignment]) -> list[Stretch]:
    """The lines of a board's alignments."""
    return [
        Stretch(line.wire_start, line.wire_end, line.kind, line.passage_start, line.passage_end, line.value_index)
        for line in alignments
    ]
