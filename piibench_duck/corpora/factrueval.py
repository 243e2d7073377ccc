"""FactRuEval-2016: a document is a `.txt` with `.spans`, `.objects` that join spans to mentions, and `.coref`."""

from collections import Counter
from pathlib import Path, PurePosixPath

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import count_surface, gold, lines_of, record, text_of
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source


def read(root: Path, source: Source) -> Reading:
    """Mentions of the objects layer, each the hull of its spans.

    The span layer itself is not read into gold: it marks parts (a first name, a descriptor, a post) that only together
    are somebody's or something's name.
    """
    counts: Counter[str] = Counter(surface_mismatches=0, mentions=0, mentions_with_gaps=0, mentions_without_entity=0)
    documents = []
    for folder in source.paths:
        split = PurePosixPath(folder).name.removesuffix("set")
        for path in sorted((root / folder).glob("*.spans"), key=lambda path: path.name):
            text = text_of(path.with_suffix(".txt"))
            documents.append(Document(path.stem, split, text, _mentions(path, text, counts), None, {}))
    return Reading(documents, dict(counts))


def _mentions(path: Path, text: str, counts: Counter[str]) -> tuple[Gold, ...]:
    parts = _parts(path, text, counts)
    entities = _entities(path.with_suffix(".coref"))
    mentions = []
    for number, line in lines_of(path.with_suffix(".objects")):
        if not line.strip():
            continue
        where = f"{path.stem}.objects, line {number}"
        with record(where):
            mention_id, label, *part_ids = line.partition("#")[0].split()
            if missing := [part_id for part_id in part_ids if part_id not in parts]:
                raise PiibenchError(f"{where}: lacks {_named(missing[0])}")
            places = sorted(parts[part_id] for part_id in part_ids)
            end = max(place[1] for place in places)
            entity_id = entities.get(mention_id)
            mentions.append(gold(where, text, places[0][0], end, label, entity_id=entity_id))
            counts["mentions"] += 1
            counts["mentions_without_entity"] += entity_id is None
            counts["mentions_with_gaps"] += _has_gap(text, places)
    return tuple(mentions)


def _named(part_id: str) -> str:
    """A span id, which is a number, and in a file that is out of joint may be a word of the text."""
    return f"the span id {part_id}" if part_id.isdecimal() else "a span id that is no number"


def _parts(path: Path, text: str, counts: Counter[str]) -> dict[str, tuple[int, int]]:
    """Place of each span by its id. One id may stand in several lines, with the same place under other labels."""
    parts: dict[str, tuple[int, int]] = {}
    for number, line in lines_of(path):
        if not line.strip():
            continue
        where = f"{path.name}, line {number}"
        with record(where):
            fields, _, comment = line.partition("#")
            part_id, label, start, length, _, n_tokens = fields.split()
            span = gold(where, text, int(start), int(start) + int(length), label)
            if parts.setdefault(part_id, (span.start, span.end)) != (span.start, span.end):
                raise PiibenchError(f"{where}: gives {_named(part_id)} a second place")
            surface = "".join(
                comment.split()[int(n_tokens) :]
            )  # tokens with a space between each, so compare without any
            found = "".join(text[span.start : span.end].split())
            count_surface(counts, found, 0, len(found), surface)
    return parts


def _entities(path: Path) -> dict[str, str]:
    """The entity of each mention. Below an entity's line of ids stand its attributes, up to an empty line."""
    entities: dict[str, str] = {}
    begins = True
    for _, line in lines_of(path):
        if begins and line.strip():
            entity_id, *mention_ids = line.split()
            entities |= dict.fromkeys(mention_ids, entity_id)
        begins = not line.strip()
    return entities


def _has_gap(text: str, places: list[tuple[int, int]]) -> bool:
    """Whether anything but white space lies in the hull and in no part."""
    reached = places[0][1]
    for start, end in places:
        if text[reached:start].strip():
            return True
        reached = max(reached, end)
    return False
