"""Pinned sources of texts: what `data/sources.toml` says of each, its bytes from wherever they are, its documents."""

import dataclasses
import hashlib
import importlib
import importlib.util
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from piibench_duck import places
from piibench_duck.corpora import Reading
from piibench_duck.errors import PiibenchError

SCORED_TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "ADDRESS", "DATE_TIME")


class Upstream(NamedTuple):
    """Where a source comes from. `revision` is a commit or a hub revision, None for what ships with the package."""

    kind: str  # github, hub or package
    place: str  # owner/repository, owner/dataset, or the package's folder
    revision: str | None


@dataclasses.dataclass(frozen=True)
class Source:
    """A table of `sources.toml`, whose opening comment says what each key means."""

    name: str
    title: str
    role: str
    corpus: str
    upstream: Upstream
    paths: tuple[str, ...]
    sha256: str
    bytes: int
    licence: str
    language: str
    reader: str
    splits: tuple[str, ...]
    slices: tuple[str, ...]
    annotates: tuple[str, ...]


_KEYS = tuple(field.name for field in dataclasses.fields(Source) if field.name != "name")
_TEXTS = ("title", "role", "corpus", "licence", "language", "reader")
_LISTS = ("paths", "splits", "slices", "annotates")
_REVISION_KEYS = {"github": "commit", "hub": "revision", "package": None}


def load_sources(path: Path | None = None) -> dict[str, Source]:
    """All sources by name, in the order of the file."""
    path = path or places.data_dir() / "sources.toml"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PiibenchError(f"{path.name}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PiibenchError(f"{path.name}: is not TOML ({error})") from error
    return {name: _source(f"{path.name}, [{name}]", name, table) for name, table in tables.items()}


def undated() -> list[str]:
    """Corpora of which a source annotates no dates: whatever date is found there counts as a false alarm."""
    return sorted({source.corpus for source in load_sources().values() if "DATE_TIME" not in source.annotates})


def _source(where: str, name: str, table: Any) -> Source:
    if not isinstance(table, dict):
        raise PiibenchError(f"{where}: is a key outside any table; a source is a table")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise PiibenchError(f"{where}: the name of a source is lower-case letters, digits, '_' and '-'")
    _same_keys(where, table, _KEYS)
    for key in _TEXTS:
        if not isinstance(table[key], str) or not table[key].strip():
            raise PiibenchError(f"{where}: {key!r} is not a text")
    for key in _LISTS:
        value = table[key]
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise PiibenchError(f"{where}: {key!r} is not a list of texts")
        if len(set(value)) != len(value) or (not value and key != "slices"):
            raise PiibenchError(f"{where}: {key!r} is empty or names something twice")
    for path in table["paths"]:
        if PurePosixPath(path).is_absolute() or {"..", "."} & set(path.split("/")) or "\\" in path:
            raise PiibenchError(f"{where}: the path {path!r} does not lie below the source's folder")
    for scored in table["annotates"]:
        if scored not in SCORED_TYPES:
            raise PiibenchError(f"{where}: 'annotates' names {scored!r}; there are {', '.join(SCORED_TYPES)}")
    if not isinstance(table["sha256"], str) or not re.fullmatch("[0-9a-f]{64}", table["sha256"]):
        raise PiibenchError(f"{where}: 'sha256' is not 64 lower-case hexadecimal digits")
    if type(table["bytes"]) is not int or table["bytes"] < 0:
        raise PiibenchError(f"{where}: 'bytes' is not a count of bytes")
    if not table["reader"].isidentifier():
        raise PiibenchError(f"{where}: 'reader' {table['reader']!r} is not the name of a module of corpora/")
    lists = {key: tuple(table[key]) for key in _LISTS}
    return Source(**{**table, **lists, "name": name, "upstream": _upstream(f"{where}, 'upstream'", table["upstream"])})


def _upstream(where: str, table: Any) -> Upstream:
    kinds = [kind for kind in _REVISION_KEYS if isinstance(table, dict) and kind in table]
    if len(kinds) != 1:
        raise PiibenchError(f"{where}: needs exactly one of {', '.join(_REVISION_KEYS)}")
    kind = kinds[0]
    revision_key = _REVISION_KEYS[kind]
    _same_keys(where, table, [kind] if revision_key is None else [kind, revision_key])
    if not all(isinstance(value, str) and value for value in table.values()):
        raise PiibenchError(f"{where}: its values are not all texts")
    if kind != "package" and not re.fullmatch(r"[\w.-]+/[\w.-]+", table[kind]):
        raise PiibenchError(f"{where}: {kind!r} is not an owner and a name with one slash between")
    if kind == "github" and not re.fullmatch("[0-9a-f]{40}", table["commit"]):
        raise PiibenchError(f"{where}: 'commit' is not 40 lower-case hexadecimal digits")
    return Upstream(kind, table[kind], table[revision_key] if revision_key else None)


def _same_keys(where: str, table: Mapping[str, Any], keys: Iterable[str]) -> None:
    expected = list(keys)
    if missing := [key for key in expected if key not in table]:
        raise PiibenchError(f"{where}: lacks {', '.join(map(repr, missing))}")
    if unknown := [key for key in table if key not in expected]:
        raise PiibenchError(
            f"{where}: has the unknown {', '.join(map(repr, unknown))}; there are {', '.join(expected)}"
        )


def digest_of(root: Path, paths: Iterable[str]) -> tuple[str, int]:
    r"""SHA-256 and size of what lies at `paths` below `root`.

    One path that is a file: the digest of its bytes. Otherwise the digest of the UTF-8 lines `<sha256>  <path>\n`, one
    for each file at or below the paths, with the file's POSIX path below `root`, sorted by that path.
    """
    paths = list(paths)
    files: dict[str, Path] = {}
    for path in paths:
        place = root / path
        if place.is_dir():
            files |= {file.relative_to(root).as_posix(): file for file in place.rglob("*") if file.is_file()}
        elif place.is_file():
            files[PurePosixPath(path).as_posix()] = place
        else:
            raise PiibenchError(f"there is no {path!r}")
    digests = {}
    size = 0
    for name, file in sorted(files.items()):
        with file.open("rb") as stream:
            digests[name] = hashlib.file_digest(stream, "sha256").hexdigest()
            size += stream.tell()
    if len(paths) == 1 and list(files) == [PurePosixPath(paths[0]).as_posix()]:
        return digests[PurePosixPath(paths[0]).as_posix()], size
    lines = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    return hashlib.sha256(lines.encode()).hexdigest(), size


def verify(source: Source, root: Path, where: str) -> None:
    """Raises unless the bytes below `root` are those that the source pins; `where` names the place to the reader."""
    try:
        found, size = digest_of(root, source.paths)
    except PiibenchError as error:
        raise PiibenchError(f"source {source.name!r}: {where} is not whole, {error}") from error
    except OSError as error:
        raise PiibenchError(f"source {source.name!r}: {where} cannot be read ({error.strerror})") from error
    if (found, size) != (source.sha256, source.bytes):
        raise PiibenchError(
            f"source {source.name!r}: {where} holds {size} bytes with SHA-256 {found}, "
            f"expected {source.bytes} bytes with {source.sha256}"
        )


def fetch(source: Source, mirror: Path | None, downloads: Path) -> Path:
    """The folder below which `source.paths` lie, with verified bytes.

    Looked for in `mirror/<name>`, then in `downloads/<name>`, then upstream. Other bytes in the mirror are refused; a
    stale download is replaced.
    """
    if source.upstream.kind == "package":
        verify(source, places.data_dir(), "the package's data")
        return places.data_dir()
    if mirror is not None:
        if not mirror.is_dir():
            raise PiibenchError(f"the mirror {str(mirror)!r} is not a folder")
        if any((mirror / source.name / path).exists() for path in source.paths):
            verify(source, mirror / source.name, "the mirror")
            return mirror / source.name
    kept = downloads / source.name
    if kept.is_dir():
        try:
            verify(source, kept, "the download")
        except PiibenchError:
            pass  # an older pin's bytes; `downloads` is ours to replace
        else:
            return kept
    from piibench_duck import download  # only a fetch from upstream needs the network's modules

    return download.install(source, kept)


def read(source: Source, root: Path) -> Reading:
    """The documents of a fetched source, by its reader. Raises where an id repeats or a split or slice is unlisted."""
    module = f"piibench_duck.corpora.{source.reader}"
    if source.reader.startswith("_") or importlib.util.find_spec(module) is None:
        raise PiibenchError(f"source {source.name!r}: there is no reader {source.reader!r} in corpora/")
    reading: Reading = importlib.import_module(module).read(root, source)
    seen: set[str] = set()
    for index, document in enumerate(reading.documents):
        if not isinstance(document.doc_id, str) or not document.doc_id or not isinstance(document.text, str):
            raise PiibenchError(f"source {source.name!r}: the id or text of document {index} is not a text")
        if document.doc_id in seen:
            raise PiibenchError(f"source {source.name!r}: has two documents {document.doc_id}")
        seen.add(document.doc_id)
        if document.split not in source.splits:
            raise PiibenchError(
                f"source {source.name!r}: document {document.doc_id} is of the split {document.split!r}, "
                f"expected one of {', '.join(source.splits)}"
            )
        if unknown := [name for name in document.slices if name not in source.slices]:
            raise PiibenchError(
                f"source {source.name!r}: document {document.doc_id} has the unlisted slice {unknown[0]!r}"
            )
    return reading


def pin(name: str, root: Path, path: Path | None = None) -> Source:
    """Writes digest and size of what lies below `root` into the source's table, for a source that we make ourselves."""
    path = path or places.data_dir() / "sources.toml"
    source = load_sources(path)[name]
    sha256, size = digest_of(root, source.paths)
    before, header, rest = path.read_text(encoding="utf-8").partition(f"\n[{name}]\n")
    table, border, after = rest.partition("\n[")
    table = re.sub(r'^sha256 = ".*"$', f'sha256 = "{sha256}"', table, count=1, flags=re.MULTILINE)
    table = re.sub(r"^bytes = .*$", f"bytes = {size}", table, count=1, flags=re.MULTILINE)
    path.write_text(before + header + table + border + after, encoding="utf-8")
    return load_sources(path)[name]
