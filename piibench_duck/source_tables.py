"""What a table of `sources.toml` may say of a source, ours or a user's own."""

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.keys import SPAN

FILE = "sources.toml"
RECORDED = "recorded"
"""In place of a digest: that of the bytes that are fetched first counts from then on."""

SCORED_TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "ADDRESS", "DATE_TIME")
SPAN_ENCODINGS = ("structs", "json", "python")


class Upstream(NamedTuple):
    """Where a source comes from. `revision` is a commit or a hub revision, None for what is there already."""

    kind: str  # github, hub, package, or folder: the user's own
    place: str  # owner/repository, owner/dataset, or the package's folder; nothing for the user's own
    revision: str | None


class Columns(NamedTuple):
    """Where a table of documents, Parquet or JSON lines, has what; None for what it has not."""

    text: str
    spans: str
    encoding: str  # one of SPAN_ENCODINGS
    doc_id: str | None
    split: str | None
    keep: Mapping[str, frozenset[str]]  # rows with one of these values in each of these columns
    span_keys: Mapping[str, str]  # what a span's keys are called, where not by a usual spelling


class Drop(NamedTuple):
    """Labels that are left out of every score, and why."""

    labels: tuple[str, ...]
    reason: str


@dataclasses.dataclass(frozen=True)
class Source:
    """A table of `sources.toml`; the opening comment of ours says what each key means."""

    name: str
    title: str
    role: str
    corpus: str
    upstream: Upstream
    paths: tuple[str, ...]
    sha256: str | None  # or RECORDED; None where any bytes will do
    bytes: int | None
    licence: str
    language: str
    reader: str
    splits: tuple[str, ...]
    slices: tuple[str, ...]
    annotates: tuple[str, ...]
    columns: Columns | None = None
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    drop: tuple[Drop, ...] = ()
    labels_of: str | None = None
    most_documents: int | None = None
    folder: Path | None = None  # the user's own that holds its table; None for one of ours

    @property
    def is_recorded(self) -> bool:
        """Whether its digest is that of what was fetched first."""
        return self.sha256 == RECORDED

    @property
    def has_labels(self) -> bool:
        """Whether its table says what its labels mean, and not the label map alone."""
        return bool(self.labels or self.drop or self.labels_of)


_NEEDED = ("title", "role", "corpus", "upstream", "paths", "sha256", "bytes", "licence", "language", "reader")
_NEEDED_LISTS = ("splits", "slices", "annotates")
_COLUMN_KEYS = ("text_column", "spans_column", "spans_encoding", "id_column", "split_column", "keep", "span_keys")
_LABEL_KEYS = ("labels", "drop", "labels_of", "most_documents")
KEYS = (*_NEEDED, *_NEEDED_LISTS, *_COLUMN_KEYS, *_LABEL_KEYS)
_TEXTS = ("title", "role", "corpus", "licence", "language", "reader")
_MORE_TEXTS = ("text_column", "spans_column", "spans_encoding", "id_column", "split_column", "labels_of")
_LISTS = ("paths", "splits", "slices", "annotates")
_REVISION_KEYS = {"github": "commit", "hub": "revision", "package": None}


def load(path: Path, own: Path | None = None) -> dict[str, Source]:
    """All sources of a file by name, in its order; `own` is the user's folder whose file it is, None for ours."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8").removeprefix("\ufeff"))
    except OSError as error:
        raise PiibenchError(f"{path.name}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PiibenchError(f"{path.name}: is not TOML ({error})") from error
    except (RecursionError, ValueError) as error:
        raise PiibenchError(f"{path.name}: is nested too deeply or has a number of thousands of digits") from error
    if own is not None and not tables:
        raise PiibenchError(f"{path.name}: has no table; a source is a table")
    return {name: _source(f"{path.name}, [{name}]", name, table, own) for name, table in tables.items()}


def _source(where: str, name: str, table: Any, own: Path | None) -> Source:
    is_list = isinstance(table, list) and table and all(isinstance(one, dict) for one in table)
    if is_list or (name in KEYS and isinstance(table, dict) and "paths" not in table):
        said = f"[[SOURCE.{name}]]" if is_list else f"[SOURCE.{name}]"
        raise PiibenchError(f"{where}: stands outside any source; {said} was expected, with the name of its source")
    if not isinstance(table, dict):
        raise PiibenchError(f"{where}: is a key outside any table; a source is a table")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise PiibenchError(f"{where}: the name of a source is lower-case letters, digits, '_' and '-'")
    same_keys(where, table, ("paths",) if own else _needed(table), KEYS)
    if "reader" not in table and "text_column" not in table:
        raise PiibenchError(f"{where}: lacks 'text_column', or a 'reader' of another format")
    if own and "split_column" in table and "splits" not in table:
        raise PiibenchError(f"{where}: lacks 'splits', which 'split_column' asks for")
    table = _completed(name, table)
    for key in (*_TEXTS, *_MORE_TEXTS):
        if key in table and (not isinstance(table[key], str) or not table[key].strip()):
            raise PiibenchError(f"{where}: {key!r} is not a text")
    _check_lists(where, table)
    _check_pin(where, table)
    if not table["reader"].isidentifier():
        raise PiibenchError(f"{where}: 'reader' {table['reader']!r} is not the name of a module of corpora/")
    if table["corpus"] in ("*", "usual"):
        raise PiibenchError(
            f"{where}: 'corpus' {table['corpus']!r} is a namespace of the label map; another was expected"
        )
    most = table.get("most_documents")
    if most is not None and (type(most) is not int or most < 1):
        raise PiibenchError(f"{where}: 'most_documents' is not a number of documents")
    return Source(
        name=name,
        title=table["title"],
        role=table["role"],
        corpus=table["corpus"],
        licence=table["licence"],
        language=table["language"],
        reader=table["reader"],
        paths=tuple(table["paths"]),
        splits=tuple(table["splits"]),
        slices=tuple(table["slices"]),
        annotates=tuple(table["annotates"]),
        sha256=table.get("sha256", RECORDED if "upstream" in table else None),
        bytes=table.get("bytes"),
        upstream=_upstream(f"{where}, 'upstream'", table, own),
        columns=_columns(where, table),
        labels=_texts_by_text(where, table, "labels"),
        drop=_drop(where, table),
        labels_of=table.get("labels_of"),
        most_documents=most,
        folder=own,
    )


def _needed(table: Mapping[str, Any]) -> list[str]:
    """Keys of a source of ours: all that say what it is, so that a board can be read about without being built."""
    optional = {"reader"} if "text_column" in table else set()
    optional |= {"bytes"} if table.get("sha256") == RECORDED else set()
    return [key for key in (*_NEEDED, *_NEEDED_LISTS) if key not in optional]


def _completed(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with what it leaves out."""
    defaults = {
        "title": name,
        "role": "Somebody's own corpus.",
        "corpus": name,
        "licence": "unknown",
        "language": "und",
        "reader": "columns",
        "splits": ["all"],
        "slices": [],
    }
    labels = table.get("labels")
    leads_to = set(labels.values()) if isinstance(labels, dict) and "labels_of" not in table else {*SCORED_TYPES}
    return {**defaults, "annotates": [type_ for type_ in SCORED_TYPES if type_ in leads_to], **table}


def _check_lists(where: str, table: Mapping[str, Any]) -> None:
    for key in _LISTS:
        _check_list(where, repr(key), table[key], may_be_empty=key in ("slices", "annotates"))
    for path in table["paths"]:
        if PurePosixPath(path).is_absolute() or {"..", "."} & set(path.split("/")) or "\\" in path:
            raise PiibenchError(f"{where}: the path {path!r} does not lie below the source's folder")
    for scored in table["annotates"]:
        if scored not in SCORED_TYPES:
            raise PiibenchError(f"{where}: 'annotates' names {scored!r}; there are {', '.join(SCORED_TYPES)}")


def _check_list(where: str, named: str, value: Any, may_be_empty: bool = False) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise PiibenchError(f"{where}: {named} is not a list of texts")
    if len(set(value)) != len(value) or (not value and not may_be_empty):
        raise PiibenchError(f"{where}: {named} is empty or names something twice")


def _check_pin(where: str, table: Mapping[str, Any]) -> None:
    sha256, size = table.get("sha256"), table.get("bytes")
    is_digest = isinstance(sha256, str) and re.fullmatch("[0-9a-f]{64}", sha256)
    if "sha256" in table and sha256 != RECORDED and not is_digest:
        raise PiibenchError(f"{where}: 'sha256' is not 64 lower-case hexadecimal digits")
    if "bytes" in table and (type(size) is not int or size < 0):
        raise PiibenchError(f"{where}: 'bytes' is not a count of bytes")
    if "bytes" in table and not is_digest:
        raise PiibenchError(f"{where}: 'bytes' goes with a 'sha256' of digits")


def _upstream(where: str, table: Mapping[str, Any], own: Path | None) -> Upstream:
    if own is not None and "upstream" not in table:
        return Upstream("folder", "", None)
    known = {kind: key for kind, key in _REVISION_KEYS.items() if own is None or kind != "package"}
    given = table["upstream"]
    kinds = [kind for kind in known if isinstance(given, dict) and kind in given]
    if len(kinds) != 1:
        raise PiibenchError(f"{where}: needs exactly one of {', '.join(known)}")
    kind = kinds[0]
    revision_key = known[kind]
    keys = [kind] if revision_key is None else [kind, revision_key]
    same_keys(where, given, keys, keys)
    if not all(isinstance(value, str) and value for value in given.values()):
        raise PiibenchError(f"{where}: its values are not all texts")
    if kind != "package" and not re.fullmatch(r"[\w.-]+/[\w.-]+", given[kind]):
        raise PiibenchError(f"{where}: {kind!r} is not an owner and a name with one slash between")
    if kind == "github" and not re.fullmatch("[0-9a-f]{40}", given["commit"]):
        raise PiibenchError(f"{where}: 'commit' is not 40 lower-case hexadecimal digits")
    return Upstream(kind, given[kind], given[revision_key] if revision_key else None)


def _columns(where: str, table: Mapping[str, Any]) -> Columns | None:
    if table["reader"] != "columns":
        if given := [key for key in _COLUMN_KEYS if key in table]:
            raise PiibenchError(f"{where}: {given[0]!r} goes with the reader 'columns', found {table['reader']!r}")
        return None
    if missing := [key for key in ("text_column", "spans_column") if key not in table]:
        raise PiibenchError(f"{where}: lacks {', '.join(map(repr, missing))}")
    encoding = table.get("spans_encoding", SPAN_ENCODINGS[0])
    if encoding not in SPAN_ENCODINGS:
        raise PiibenchError(f"{where}: 'spans_encoding' is {encoding!r}; there are {', '.join(SPAN_ENCODINGS)}")
    keep = table.get("keep", {})
    if not isinstance(keep, dict):
        raise PiibenchError(f"{where}: 'keep' is not a table of columns and their values")
    for column, values in keep.items():
        _check_list(where, f"'keep' of {column!r}", values)
    span_keys = _texts_by_text(where, table, "span_keys")
    if unknown := [key for key in span_keys if key not in SPAN]:
        raise PiibenchError(f"{where}: 'span_keys' names {unknown[0]!r}; there are {', '.join(SPAN)}")
    return Columns(
        table["text_column"],
        table["spans_column"],
        encoding,
        table.get("id_column"),
        table.get("split_column"),
        {column: frozenset(values) for column, values in keep.items()},
        span_keys,
    )


def _drop(where: str, table: Mapping[str, Any]) -> tuple[Drop, ...]:
    given = table.get("drop", [])
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise PiibenchError(f"{where}: 'drop' is not a list of tables with 'labels' and a 'reason'")
    drops = []
    seen = set(_texts_by_text(where, table, "labels"))
    for place, one in enumerate(given, start=1):
        named = f"{where}, 'drop' {place}"
        same_keys(named, one, ("labels", "reason"), ("labels", "reason"))
        _check_list(named, "'labels'", one["labels"])
        if not isinstance(one["reason"], str) or not one["reason"].strip():
            raise PiibenchError(f"{named}: has no 'reason'; why its labels are left out was expected")
        if twice := [label for label in one["labels"] if label in seen]:
            raise PiibenchError(f"{named}: {twice[0]!r} stands in 'labels' or in another 'drop' too")
        seen.update(one["labels"])
        drops.append(Drop(tuple(one["labels"]), one["reason"].strip()))
    return tuple(drops)


def _texts_by_text(where: str, table: Mapping[str, Any], key: str) -> dict[str, str]:
    given = table.get(key, {})
    if not isinstance(given, dict) or not all(isinstance(value, str) and value for value in given.values()):
        raise PiibenchError(f"{where}: {key!r} is not a table of texts")
    return given


def same_keys(where: str, table: Mapping[str, Any], needed: Iterable[str], known: Iterable[str]) -> None:
    """Raises where a key is missing, or is there that nothing reads."""
    known = list(known)
    if missing := [key for key in needed if key not in table]:
        raise PiibenchError(f"{where}: lacks {', '.join(map(repr, missing))}")
    if unknown := [key for key in table if key not in known]:
        raise PiibenchError(f"{where}: has the unknown {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
