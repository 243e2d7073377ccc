"""Names of a row (ids, corpus, split and the like) that are text of the row, and would stand so in results.

Values of slices are judged by `slice_values`, which knows the other rows of their document.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from piibench_duck.interchange.records import Fault
from piibench_duck.names import AT_LEAST, is_text

_NAMES = (
    *("id", "dataset", "doc_id", "passage_id", "source", "split"),
    *("language", "carrier", "licence"),
)


def texts_as_names(row: Mapping[str, Any]) -> list[Fault]:
    """The names of a row of a rows file, its spans in place, that are its whole text or that of a gold span."""
    text = row["text"]
    named = [(key, name) for key, name in _named(row) if len(name) >= AT_LEAST]
    lengths = {len(name) for _, name in named}
    places = [(0, len(text)), *((span["start"], span["end"]) for span in (*row["spans"], *row.get("excluded", ())))]
    surfaces = {text[start:end] for start, end in places if end - start in lengths}
    return [
        Fault("bad_name", f"{key} is the text of the row or of one of its gold spans")
        for key, name in named
        if surfaces and any(is_text(name, surface) for surface in sorted(surfaces))
    ]


def _named(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name with the words for its place, which do not repeat it."""
    for key in _NAMES:
        if row.get(key) is not None:
            yield repr(key), row[key]
    for index, name in enumerate(row.get("slices") or {}):
        yield f"'slices': the name of slice {index}", name
