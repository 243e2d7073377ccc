"""Any table of documents, Parquet or JSON lines: a column of texts, a column of spans, named by the source's table."""

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import RepeatedKeyError, count_surface, gold, slices_of, strict_json, why_unreadable
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.keys import SPAN, resolve
from piibench_duck.interchange.records import NoDigest, column_names, read_records
from piibench_duck.names import may_be_told
from piibench_duck.source_tables import Columns
from piibench_duck.sources import Source

_SUFFIXES = (".jsonl", ".parquet")
_READ = {name: keys for name, keys in SPAN.items() if name != "score"}
_COLUMNS_TOLD = 30
_IDENTIFIER_TYPES = (None, "DIRECT", "QUASI", "NO_MASK")

_Keys = Callable[[tuple[str, ...]], dict[str, str] | str]


def read(root: Path, source: Source) -> Reading:
    """A document a row, in the order of the files; one without an id of its own is named by its place.

    Rows that `keep` does not name are left out, and counted like what is odd about the others.
    """
    assert source.columns is not None
    counts: Counter[str] = Counter(rows_not_kept=0, documents_without_spans=0)
    counts.update(surface_mismatches=0, surface_case_mismatches=0)
    keys = _key_finder(source.columns.span_keys)
    files = list(_files(root, source))
    _check_columns(files, source)
    documents = []
    for file, path in enumerate(files, start=1):
        for line, where, row in _rows(path, source):
            try:
                if _is_kept(row, source.columns.keep, counts):
                    place = f"{file}-{line:06d}"
                    documents.append(_document(place, where, row, source, source.columns, keys, counts))
            except (RecursionError, ValueError) as error:  # lists in lists, or digits that Python does not write out
                raise PiibenchError(f"{where}: a value is nested too deeply, or is a huge number") from error
    return Reading(documents, dict(counts))


def _check_columns(files: Iterable[Path], source: Source) -> None:
    """Raises where the source's table names a column that no row of any file has, and there are rows."""
    missing, there = _wanted(source), set[str]()
    for path in files:
        for columns in column_names(path):
            there.update(columns)
            missing = {name: key for name, key in missing.items() if name not in there}
            if not missing:
                return
    for name, key in missing.items() if there else ():
        known = sorted(filter(may_be_told, there))
        told = ", ".join(known[:_COLUMNS_TOLD]) + (", …" if len(known) > _COLUMNS_TOLD else "")
        raise PiibenchError(
            f"source {source.name!r}: {key!r} names the column {name!r}, which no row has; there are {told}"
        )


def _wanted(source: Source) -> dict[str, str]:
    """Each column that the source's table names, with the key that names it."""
    columns = source.columns
    assert columns is not None
    keys = {"text_column": columns.text, "spans_column": columns.spans}
    keys |= {"id_column": columns.doc_id or "", "split_column": columns.split or ""}
    return {
        **{name: key for key, name in keys.items() if name},
        **dict.fromkeys(columns.keep, "keep"),
        **dict.fromkeys(source.slices, "slices"),
    }


def _files(root: Path, source: Source) -> Iterator[Path]:
    for path in source.paths:
        place = root / path
        inside = sorted(place.rglob("*")) if place.is_dir() else [place]
        files = [file for file in inside if file.is_file() and file.suffix in _SUFFIXES]
        if not files:
            raise PiibenchError(f"source {source.name!r}: {path} is, or holds, no file that ends in .jsonl or .parquet")
        yield from files


def _rows(path: Path, source: Source) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Number, name and keys of each row; of Parquet only the columns that are read."""
    for record in read_records(path, NoDigest(), _wanted(source).keys()):
        where = f"source {source.name!r}: {path.name}, {'row' if path.suffix == '.parquet' else 'line'} {record.line}"
        if record.fault is not None:
            raise PiibenchError(f"{where}: {record.fault.detail}")
        if record.holds_surrogate:
            raise PiibenchError(f"{where}: holds half of a surrogate pair, which no text can hold")
        if not isinstance(record.value, dict):
            raise PiibenchError(f"{where}: an object with the columns as its keys was expected")
        yield record.line, where, record.value


def _is_kept(row: Mapping[str, Any], keep: Mapping[str, frozenset[str]], counts: Counter[str]) -> bool:
    is_kept = all(str(row.get(column)) in values for column, values in keep.items())
    counts["rows_not_kept"] += not is_kept
    return is_kept


def _document(
    place: str,
    where: str,
    row: Mapping[str, Any],
    source: Source,
    columns: Columns,
    keys: _Keys,
    counts: Counter[str],
) -> Document:
    text = _value(where, row, columns.text)
    if not isinstance(text, str):
        raise PiibenchError(f"{where}: {columns.text!r} is not a text")
    given = _decoded(where, columns, _value(where, row, columns.spans))
    spans = tuple(_gold(where, text, span, keys, counts) for span in given)
    counts["documents_without_spans"] += not spans
    doc_id = place if columns.doc_id is None else _value(where, row, columns.doc_id)
    if type(doc_id) not in (str, int) or doc_id == "":
        raise PiibenchError(f"{where}: {columns.doc_id!r} is neither a text nor an integer")
    split = "all" if columns.split is None else str(_value(where, row, columns.split))
    annotators = sorted({span.annotator for span in spans if span.annotator is not None})
    slices = slices_of(**{name: row.get(name) for name in source.slices})
    return Document(str(doc_id), split, text, spans, None, slices, tuple(annotators))


def _value(where: str, row: Mapping[str, Any], column: str) -> Any:
    value = row.get(column)
    if value is None:
        raise PiibenchError(f"{where}: has nothing in the column {column!r}")
    return value


def _decoded(where: str, columns: Columns, value: Any) -> list[dict[str, Any]]:
    """The spans as objects."""
    named = f"{columns.spans!r}, spans_encoding {columns.encoding!r}"
    if (columns.encoding == "structs") == isinstance(value, str):
        raise PiibenchError(f"{where}: {named}: {'a text' if isinstance(value, str) else 'no text'} was found")
    if isinstance(value, str):
        try:
            value = strict_json(value) if columns.encoding == "json" else _literal(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:  # may quote the file
            raise PiibenchError(f"{where}: {named}: {why_unreadable(error)}") from error
    if not isinstance(value, list) or not all(isinstance(span, dict) for span in value):
        raise PiibenchError(f"{where}: {named}: a list of objects was expected")
    return value


def _literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they quote the text
        tree = ast.parse(text.lstrip(" \t"), mode="eval")
        for node in ast.walk(tree):
            keys = [key.value for key in getattr(node, "keys", ()) if isinstance(key, ast.Constant)]
            if len(set(keys)) != len(keys):
                raise RepeatedKeyError
        return ast.literal_eval(tree)


def _key_finder(span_keys: Mapping[str, str]) -> _Keys:
    @lru_cache(maxsize=1024)  # a file has many spans and few sets of keys
    def keys(there: tuple[str, ...]) -> dict[str, str] | str:
        pairs = resolve(_READ, span_keys, there)
        if isinstance(pairs, str):
            return f"{pairs}; 'span_keys' can say which it is"
        found = dict(pairs)
        missing = [name for name in ("start", "end", "label") if name not in found]
        if missing and missing[0] in span_keys:
            return f"no {span_keys[missing[0]]!r}, which 'span_keys' names as its {missing[0]}"
        return f"no {missing[0]!r}; 'span_keys' can say what it is called" if missing else found

    return keys


def _gold(where: str, text: str, span: Mapping[str, Any], keys: _Keys, counts: Counter[str]) -> Gold:
    names = keys(tuple(span))
    if isinstance(names, str):
        raise PiibenchError(f"{where}: a span has {names}")
    surface, entity_id, identifier_type, annotator = (
        span.get(names[name]) if name in names else None
        for name in ("span_text", "entity_id", "identifier_type", "annotator")
    )
    if identifier_type not in _IDENTIFIER_TYPES:
        raise PiibenchError(f"{where}: a span's identifier type is none of DIRECT, QUASI and NO_MASK")
    found = gold(
        where,
        text,
        span[names["start"]],
        span[names["end"]],
        span[names["label"]],
        entity_id=None if entity_id is None else str(entity_id),
        identifier_type=identifier_type,
        annotator=None if annotator is None else str(annotator),
    )
    if surface is not None:
        count_surface(counts, text, found.start, found.end, str(surface))  # an age may be a number
    return found
