"""What the keys of a rows line, a predictions line and their spans are called, here and by other tools."""

from collections.abc import Iterable, Mapping

from piibench_duck.errors import PiibenchError

Spellings = Mapping[str, tuple[str, ...]]

_ID = ("id", "row_id", "example_id")

ROW: Spellings = {
    "id": _ID,
    "text": ("text", "full_text"),
    "spans": ("spans", "entities"),
    "excluded": ("excluded",),
    "dataset": ("dataset", "corpus"),
    "doc_id": ("doc_id", "document_id"),
    "language": ("language", "lang"),
    "carrier": ("carrier",),
    "licence": ("licence", "license"),
    "passage_id": ("passage_id",),
    "passage_start": ("passage_start",),
    "split": ("split",),
    "source": ("source",),
    "slices": ("slices",),
    "alignments": ("alignments",),
    "annotators": ("annotators",),
}
PREDICTION: Spellings = {
    "id": _ID,
    "spans": ("spans", "entities", "predictions"),
    "chars_seen": ("chars_seen",),
}
SPAN: Spellings = {
    "start": ("start", "start_offset", "start_char", "start_position", "begin", "begin_offset"),
    "end": ("end", "end_offset", "end_char", "end_position", "stop"),
    "label": ("label", "type", "entity_type", "entity", "entity_group", "tag"),
    "score": ("score", "confidence"),
    "span_text": ("text", "span_text", "surface", "value"),
    "entity_id": ("entity_id",),
    "identifier_type": ("identifier_type",),
    "annotator": ("annotator",),
}
ALIGNMENT: Spellings = {
    name: (name,) for name in ("wire_start", "wire_end", "passage_start", "passage_end", "kind", "value_index")
}


def check_key_map(key_map: Mapping[str, str]) -> None:
    """Refuse a map of a key that no file has. The surface of a span is `span_text`; `text` is the row's."""
    known = sorted({*ROW, *PREDICTION, *SPAN})
    for name in key_map:
        if name not in known:
            raise PiibenchError(f"--map {name}=…: no key {name!r}; there are {', '.join(known)}")


def keys_read(spellings: Spellings, key_map: Mapping[str, str]) -> frozenset[str]:
    """Every key that is looked at in an object of these spellings."""
    return frozenset(key for name, keys in spellings.items() for key in ((key_map[name],) if name in key_map else keys))


def resolve(spellings: Spellings, key_map: Mapping[str, str], shape: Iterable[str]) -> list[tuple[str, str]] | str:
    """(our name, its key) for each key of an object that we know; or why that is ambiguous.

    A key that is mapped is read under its mapped name alone.

    >>> resolve(SPAN, {}, ["begin", "stop", "tag", "colour"])
    [('start', 'begin'), ('end', 'stop'), ('label', 'tag')]
    >>> resolve(SPAN, {}, ["start", "begin"])
    "both 'start' and 'begin'"
    """
    pairs = []
    there = set(shape)
    for name, keys in spellings.items():
        present = [key for key in ((key_map[name],) if name in key_map else keys) if key in there]
        if len(present) > 1:
            return f"both {present[0]!r} and {present[1]!r}"
        pairs += [(name, key) for key in present]
    return pairs
