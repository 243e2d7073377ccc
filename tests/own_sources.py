"""Invented documents in the layout of Nemotron-PII, as a user would have them: a file and a `sources.toml`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = (
    *("uid", "domain", "document_type", "document_description", "document_format", "locale"),
    *("text", "spans", "text_tagged"),
)
LABELS = {"first_name": "PERSON", "last_name": "PERSON", "city": "LOCATION", "email": "EMAIL", "ssn": "NATIONAL_ID"}
PEOPLE = (
    *(("Mira", "Solberg", "Eastvale"), ("Théo", "Karadži", "Nørreby"), ("Ada", "Winterbourne", "Sankt Ulf")),
    *(("Ilse", "O'Quendo", "Porto Claro"), ("Jun", "Halloway", "Westmere"), ("Rosa", "Lindqvist", "Alt-Bruck")),
    *(("Emil", "Vance", "Kirkholm"), ("Noa", "Ferreira", "Lund am See")),
)


def document(place: int) -> dict[str, Any]:
    """A letter about somebody invented, with an emoji before the first span, so that bytes are no code points."""
    first, last, city = PEOPLE[place % len(PEOPLE)]
    parts = [
        ("🙂 Dear team, ", None),
        (first, "first_name"),
        (" ", None),
        (last, "last_name"),
        (" of ", None),
        (city, "city"),
        (" wrote from ", None),
        (f"{last.lower().replace(chr(39), '')}{place}@example.org", "email"),
        (". The number on file is ", None),
        (f"900-{10 + place}-{1000 + place}", "ssn"),
        (", and the role is ", None),
        ("clerk", "occupation"),
        (". Nothing else was said.", None),
    ]
    text, spans = "", []
    for piece, label in parts:
        if label is not None:
            spans.append({"start": len(text), "end": len(text) + len(piece), "text": piece, "label": label})
        text += piece
    return {
        "uid": f"{place:032x}",
        "domain": "Invented",
        "document_type": "letter",
        "document_description": "A letter that nobody wrote.",
        "document_format": ("structured", "unstructured")[place % 2],
        "locale": ("us", "intl")[place // 2 % 2],
        "text": text,
        "spans": spans,
        "text_tagged": "".join(piece if label is None else f"[{piece}]{label}" for piece, label in parts),
    }


def parquet(path: Path, documents: Sequence[Mapping[str, Any]], encode: Any = json.dumps) -> Path:
    """The documents as Parquet, their spans as texts, which is how Nemotron-PII has them."""
    rows = [{**one, "spans": encode(one["spans"])} for one in documents]
    pq.write_table(pa.table({name: [row[name] for row in rows] for name in COLUMNS}), path)
    return path


def jsonl(path: Path, documents: Sequence[Mapping[str, Any]]) -> Path:
    """The documents as JSON lines, their spans as lists of objects."""
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in documents), "utf-8")
    return path


def table(**changes: object) -> dict[str, object]:
    """A source's table, with some keys changed; those that are None are left out."""
    told: dict[str, object] = {
        "paths": ["letters.parquet"],
        "language": "en",
        "text_column": "text",
        "spans_column": "spans",
        "spans_encoding": "json",
        "id_column": "uid",
        "slices": ["locale", "document_format"],
        "labels": dict(LABELS),
        "drop": [{"labels": ["occupation"], "reason": "a trade is a trait, not a name"}],
    }
    return {key: value for key, value in (told | changes).items() if value is not None}


def write_sources(folder: Path, **tables: Mapping[str, object]) -> Path:
    """A `sources.toml` in the folder; JSON's texts, lists and numbers are TOML's."""

    def toml(value: object) -> str:
        if isinstance(value, Mapping):
            return "{ " + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + " }"
        if isinstance(value, list):
            return "[" + ", ".join(map(toml, value)) + "]"
        return json.dumps(value, ensure_ascii=False)

    text = "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in told.items())
        for name, told in tables.items()
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sources.toml").write_text(text, "utf-8")
    return folder
