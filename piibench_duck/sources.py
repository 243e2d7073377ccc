"""Pinned sources of texts: their bytes from wherever they are, checked against their pin, and their documents."""

import hashlib
import importlib
import importlib.util
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from piibench_duck import places, recorded, source_tables
from piibench_duck.beside import beside
from piibench_duck.corpora import Reading, _documents
from piibench_duck.errors import PiibenchError
from piibench_duck.source_tables import FILE as FILE
from piibench_duck.source_tables import SCORED_TYPES as SCORED_TYPES
from piibench_duck.source_tables import Source as Source
from piibench_duck.source_tables import Upstream as Upstream

READ = "sources.json"
"""File of a board's warehouse: which bytes its build read."""


def load_sources(path: Path | None = None) -> dict[str, Source]:
    """All our sources by name, in the order of the file."""
    return source_tables.load(path or places.data_dir() / source_tables.FILE)


def of_board(board: places.Board) -> dict[str, Source]:
    """The sources that a board may be built of: those of the user's own `sources.toml`, or ours."""
    path = own_file(board.own)
    return load_sources() if path is None else source_tables.load(path, board.own)


def own_file(folder: Path | None) -> Path | None:
    """The `sources.toml` of a user's own folder, where there is one."""
    path = None if folder is None else folder / source_tables.FILE
    return path if path is not None and path.is_file() else None


def undated(board: places.Board) -> list[str]:
    """Corpora of which a source annotates no dates: whatever date is found there counts as a false alarm."""
    return sorted({source.corpus for source in of_board(board).values() if "DATE_TIME" not in source.annotates})


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


def verify(source: Source, root: Path, where: str, commit: str | None = None) -> None:
    """Raises unless the bytes below `root` are those that the source pins; `where` names the place to the reader.

    Of a source whose digest is to be recorded the first bytes are those, and are recorded here, with their `commit`.
    """
    try:
        found, size = digest_of(root, source.paths)
    except PiibenchError as error:
        raise PiibenchError(f"source {source.name!r}: {where} is not whole, {error}") from error
    except OSError as error:
        raise PiibenchError(f"source {source.name!r}: {where} cannot be read ({error.strerror})") from error
    sha256, expected, by = source.sha256, source.bytes, ""
    if source.is_recorded:
        sha256, expected = recorded.of(source) or recorded.record(source, found, size, commit)
        by = f", as {recorded.path_of(source)} has it of the first fetch"
    if (sha256 or found, size if expected is None else expected) != (found, size):
        counted = "" if expected is None else f"{expected} bytes with "
        raise PiibenchError(
            f"source {source.name!r}: {where} holds {size} bytes with SHA-256 {found}, expected {counted}{sha256}{by}"
        )


def downloads_of(source: Source) -> Path:
    """Where downloads are kept: those of a user's own sources in the user's folder. May be deleted at any time."""
    return places.downloads_dir() if source.folder is None else source.folder / "downloads"


def pinned(source: Source, root: Path) -> tuple[str, int]:
    """Digest and size of a source that was fetched and lies below `root`."""
    if source.is_recorded:
        there = recorded.of(source)
    else:
        there = None if source.sha256 is None or source.bytes is None else (source.sha256, source.bytes)
    return there or digest_of(root, source.paths)


def fetch(
    source: Source,
    mirror: Path | None,
    downloads: Path,
    start: Callable[[int | None], Callable[[int], None]] = lambda n_bytes: lambda n_done: None,
) -> Path:
    """The folder below which `source.paths` lie, with verified bytes.

    Looked for in `mirror/<name>`, then in `downloads/<name>`, then upstream. Other bytes in the mirror are refused; a
    stale download is replaced. A user's own files are read where they lie. `start` is told how many bytes come, where
    that is known, and gives back what is told how many did.
    """
    if source.upstream.kind == "package":
        verify(source, places.data_dir(), "the package's data")
        return places.data_dir()
    if source.upstream.kind == "folder" and source.folder is not None:
        verify(source, source.folder, "its folder")
        return source.folder
    if mirror is not None:
        if not mirror.is_dir():
            raise PiibenchError(f"the mirror {str(mirror)!r} is not a folder")
        if any((mirror / source.name / path).exists() for path in source.paths):
            verify(source, mirror / source.name, "the mirror")
            return mirror / source.name
    kept = downloads / source.name
    # Nobody knows of what revision a download is whose digest has not been recorded.
    if kept.is_dir() and not (source.is_recorded and recorded.of(source) is None):
        try:
            verify(source, kept, "the download")
        except PiibenchError:
            pass  # an older pin's bytes; `downloads` is ours to replace
        else:
            return kept
    from piibench_duck import download  # only a fetch from upstream needs the network's modules

    return download.install(source, kept, start)


def read(source: Source, root: Path) -> Reading:
    """The documents of a fetched source, by its reader, each of them checked."""
    module = f"piibench_duck.corpora.{source.reader}"
    if source.reader.startswith("_") or importlib.util.find_spec(module) is None:
        raise PiibenchError(f"source {source.name!r}: there is no reader {source.reader!r} in corpora/")
    reading: Reading = importlib.import_module(module).read(root, source)
    _documents.check(source, reading.documents)
    return reading


def said_of(source: Source, root: Path, n_documents: int) -> dict[str, Any]:
    """What a result may say of a source that was read: whence its bytes come, and which they are."""
    sha256, size = pinned(source, root)
    return {
        "corpus": source.corpus,
        "title": source.title,
        "licence": source.licence,
        "upstream": source.upstream.place or source.upstream.kind,
        "revision": (recorded.commit_of(source) if source.is_recorded else None) or source.upstream.revision,
        "paths": list(source.paths),
        "sha256": sha256,
        "bytes": size,
        "n_documents": n_documents,
    }


def said_of_rows(path: Path, sha256: str) -> dict[str, Any]:
    """The same of a rows file, which has many corpora or one."""
    return {"corpus": None, "paths": [path.name], "sha256": sha256, "bytes": path.stat().st_size}


def write_read(warehouse: Path, read: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep what a build read beside the tables that it made."""
    with beside(warehouse / READ) as part:
        part.write_text(json.dumps(read, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")


def read_at_build(warehouse: Path) -> dict[str, dict[str, Any]]:
    """What the build of a board read, by source, as `said_of` says it; nothing of a rows file or of an older build."""
    return {source: said for source, said in _read_at_build(warehouse).items() if said["corpus"] is not None}


def rows_at_build(warehouse: Path) -> str | None:
    """Digest of the rows file that a board was built of; None for a board of sources, or of an older build."""
    return next((said["sha256"] for said in _read_at_build(warehouse).values() if said["corpus"] is None), None)


def _read_at_build(warehouse: Path) -> dict[str, dict[str, Any]]:
    try:
        found: Any = json.loads((warehouse / READ).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise PiibenchError(f"{READ} of the board cannot be read as JSON; build the board again") from error
    if not isinstance(found, dict) or not all(_is_said(said) for said in found.values()):
        raise PiibenchError(f"{READ} of the board is not what a build writes; build the board again")
    return found


def _is_said(said: object) -> bool:
    """Whether it says of a source, or of a rows file, what its readers need."""
    match said:
        case {"corpus": None, "sha256": str()} | {"corpus": str(), "sha256": str(), "revision": None | str()}:
            return True
    return False


def pin(name: str, root: Path, path: Path | None = None) -> Source:
    """Writes digest and size of what lies below `root` into the source's table, for a source that we make ourselves."""
    path = path or places.data_dir() / source_tables.FILE
    source = load_sources(path)[name]
    sha256, size = digest_of(root, source.paths)
    before, header, rest = path.read_text(encoding="utf-8").partition(f"\n[{name}]\n")
    table, border, after = rest.partition("\n[")
    table = re.sub(r'^sha256 = ".*"$', f'sha256 = "{sha256}"', table, count=1, flags=re.MULTILINE)
    table = re.sub(r"^bytes = .*$", f"bytes = {size}", table, count=1, flags=re.MULTILINE)
    path.write_text(before + header + table + border + after, encoding="utf-8")
    return load_sources(path)[name]
