"""The JSON files of a submitted result: the bytes that `score` writes, known keys and kinds, little free text."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from piibench_duck import report
from piibench_duck.beside import write_json

KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("mask-nothing", "mask-everything", "capitalised-words"), ("baseline",)),
    "rules": ("rules",),
    **dict.fromkeys(("gliner", "onnx", "spacy", "transformers"), ("model",)),
    "presidio": ("pipeline", "rules"),
    "combine": ("combined",),
    "file": ("file",),
}
"""What a run of each of our runners can be."""

_ALL_KINDS = ("model", "pipeline", "rules", "baseline", "combined", "file")
_TRUSTED = ("file", "combine")
"""Runners of which what stands behind them is not known, though their kind is."""

TAB_REASONS = (
    "its gold does not name both entities and identifier types",
    "the run did not answer all of its documents",
)
_META = ("predicted_on", "score_seconds", "scored_at", "scored_on")
_SCORED_ON = ("cores", "duckdb", "host", "python")
_TIMED = {
    **{"unit": str, "n_rows": int, "median": float, "p95": float, "median_interval": list, "p95_interval": list},
    **dict.fromkeys(("processor", "cores", "device", "provider", "threads"), str),
}
_SYSTEM = ("processor", "platform", "provider", "host", "device", "accelerators_unused")
_FREE = ("note", "conflict_of_interest", "credit", "publisher", "licence")
"""Texts that a person writes about a run."""

_LONGEST = 2000
_LONGEST_KEY = 200
_LONGEST_VALUE = 200
_MOST = 64
_MOST_CHARACTERS = 10_000
_KEY = re.compile(r"[\w.:/@+ -]{1,100}")
_LIBRARY = re.compile(r"\S{1,100}(, \S{1,100})*")
_CORPUS = re.compile(r"[\w.:/@+-]{1,100}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


def findings(folder: Path, said: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the texts, keys and bytes of the JSON files, a line each."""
    files = {"result.json": said, "meta.json": _read(folder / "meta.json")}
    for path in sorted((folder / report.FOLDER).glob("*.json")):
        files[f"{report.FOLDER}/{path.name}"] = _read(path)
    for name, value in files.items():
        if value is None:
            yield f"{name} is no JSON object"
            continue
        yield from _long(name, value)
        if not _is_canonical(folder / name, value):
            yield f"{name} holds other bytes than `score` writes of what it says; score the run again"
    if files["meta.json"] is not None:
        yield from _meta(files["meta.json"])
    yield from _provenance(said["_provenance"])
    if said["status"] == "ran":
        yield from _skipped(said)


def kind(said: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """What is wrong with the kind of a run, and why it has to be taken on trust, if it has to be."""
    runner, of = str(said["_provenance"].get("runner")), said["kind"]
    known = KINDS.get(runner, _ALL_KINDS)
    if of not in known:
        return [f"kind is said to be {of[:50]!r}; {' or '.join(known)} is what the runner {runner[:50]!r} makes"], None
    if said["_provenance"].get("runner") in KINDS and runner not in _TRUSTED:
        return [], None
    return [], f"kind: {of} is taken on trust, since the runner {runner[:50]!r} cannot say what stands behind it"


def _read(path: Path) -> Any:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_canonical(path: Path, value: object) -> bool:
    try:
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder) / "found.json"
            write_json(written, value)
            return written.read_bytes() == path.read_bytes()
    except (OSError, ValueError, RecursionError):  # a number that is none, or half of a character
        return False


def _long(name: str, value: object) -> Iterator[str]:
    for key, text in _texts(name, value):
        told = key[:_LONGEST_KEY]
        if text is None:
            if len(key.rpartition(": ")[2]) > _LONGEST_KEY:
                yield f"{told} is a key of {len(key)} characters; {_LONGEST_KEY} at most were expected"
        elif len(text) > _LONGEST:
            yield f"{told} is a text of {len(text)} characters; {_LONGEST} at most were expected"


def _texts(key: str, value: object) -> Iterator[tuple[str, str | None]]:
    """Each text with the keys that lead to it, and each key by itself."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield (f"{key}: {name}" if len(name) <= _LONGEST_KEY else name), None
            yield from _texts(f"{key}: {name}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(key, inner)


def _meta(meta: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(meta.keys() - set(_META)):
        yield f"meta.json: no key {name[:50]!r}; there are {', '.join(_META)}"
    if not _TIME.fullmatch(str(meta.get("scored_at", "2000-01-01T00:00:00+00:00"))):
        yield "meta.json: scored_at is no time"
    if type(meta.get("score_seconds", 0.0)) not in (int, float):
        yield "meta.json: score_seconds is no number"
    for name in ("scored_on", "predicted_on"):
        of = meta.get(name, {})
        if not isinstance(of, dict) or len(of) > _MOST:
            yield f"meta.json: {name} is no table of {_MOST} keys at most"
            continue
        for key, value in of.items():
            is_key = key in _SCORED_ON if name == "scored_on" else _CORPUS.fullmatch(key)
            is_value = isinstance(value, str) and (
                len(value) <= _LONGEST_VALUE if key in _SYSTEM else _LIBRARY.fullmatch(value)
            )
            if not (is_key and is_value):
                yield f"meta.json: {name} has a key {key[:50]!r} that is not known, or of another kind"


def _provenance(of: Mapping[str, Any]) -> Iterator[str]:
    """Each key is a short text or nothing, but for the few that a person writes and the tables."""
    for name, value in of.items():
        if name in ("settings", "steered"):
            yield from _table(name, value)
        elif name == "is_pinned":
            if not (value is None or isinstance(value, bool)):
                yield "_provenance.is_pinned is neither true nor false"
        elif not (value is None or isinstance(value, str)):
            yield f"_provenance.{name[:50]} is no text"
        elif value is not None and name not in _FREE and len(value) > _LONGEST_VALUE:
            yield f"_provenance.{name[:50]} has {len(value)} characters; {_LONGEST_VALUE} at most were expected"


def _table(name: str, value: object) -> Iterator[str]:
    if value is None and name == "steered":
        return
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        yield f"_provenance.{name} is no table of texts"
        return
    n_characters = sum(len(key) + len(text) for key, text in value.items())
    if len(value) > _MOST or n_characters > _MOST_CHARACTERS:
        yield (
            f"_provenance.{name} has {len(value)} keys and {n_characters} characters; {_MOST} and {_MOST_CHARACTERS} "
            "at most were expected"
        )
    for key in value:
        if not _KEY.fullmatch(key):
            yield f"_provenance.{name} has a key {key[:50]!r} that no {name} have"


def _skipped(said: Mapping[str, Any]) -> Iterator[str]:
    """What is not computed again has known keys, kinds and reasons, and no corpora but those of plain names."""
    speed = said.get("speed")
    if not isinstance(speed, dict):
        yield "speed is no table"
    elif "reason" not in speed:
        yield from _speed(speed)
    elif speed != {"reason": "no rows were timed one at a time"}:
        yield "speed has a reason that `score` does not write"
    try:
        reasons = said["tab"]["not_applicable"]
        corpora = {name for part in ("typed", "tab", "documents") for name in said[part]["by_corpus"]}
        corpora |= {name for part in ("tab", "documents") for name in said[part]["not_applicable"]}
        if any(one.keys() != {"reason"} or one["reason"] not in TAB_REASONS for one in reasons.values()):
            yield "tab.not_applicable has a reason that `score` does not write"
        if wrong := [name for name in corpora - said["scores"]["by_corpus"].keys() if not _CORPUS.fullmatch(name)]:
            yield f"{len(wrong)} names of corpora are none of this result"
        for name in ("n_duplicate_gold_spans", "n_unmapped_gold_spans"):
            if type(said[name]) is not int or said[name] < 0:
                yield f"{name} is no count"
        digest = said["carrier_effects"]["rows_digest"]
        if not (digest is None or (isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest))):
            yield "carrier_effects.rows_digest is no SHA-256"
    except (KeyError, TypeError, AttributeError):
        yield "result.json has other keys than `score` writes; score the run again"


def _speed(speed: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*speed} ^ {*_TIMED}):
        yield (
            f"speed.{name[:50]} is not there" if name in _TIMED else f"speed has a key {name[:50]!r} that is not known"
        )
    for name, of in _TIMED.items():
        value = speed.get(name)
        if of is list:
            is_one = isinstance(value, list) and len(value) == 2 and all(type(one) is float for one in value)
        elif of is str:
            is_one = value is None or (isinstance(value, str) and len(value) <= _LONGEST_VALUE)
        else:
            is_one = type(value) is of
        if name in speed and not (is_one and (name != "unit" or value == "ms")):
            yield f"speed.{name} is of another kind than `score` writes"
