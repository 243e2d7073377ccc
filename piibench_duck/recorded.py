"""Digests of what was fetched first, in a file that stays when the downloads are deleted."""

import json
from pathlib import Path
from typing import Any

from piibench_duck import places
from piibench_duck.beside import beside
from piibench_duck.errors import PiibenchError
from piibench_duck.source_tables import Source

FILE = "sources.lock.json"


def path_of(source: Source) -> Path:
    """The file that holds the digest of the source: in the user's own folder, or beside the warehouse."""
    return (source.folder or places.home()) / FILE


def of(source: Source) -> tuple[str, int] | None:
    """Digest and size that were recorded of this source, of this revision and these paths; None for none yet."""
    return _pin(_entries(path_of(source)).get(source.name), source)


def commit_of(source: Source) -> str | None:
    """The commit that was fetched first where the source names a branch, which may have moved since."""
    entry = _entries(path_of(source)).get(source.name)
    found = entry.get("commit") if entry is not None and _pin(entry, source) is not None else None
    return found if isinstance(found, str) and found else None


def record(source: Source, sha256: str, size: int, commit: str | None = None) -> tuple[str, int]:
    """Record digest, size and the commit, where one is known, unless another was faster; digest and size recorded."""
    from filelock import FileLock

    path = path_of(source)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{FILE}.lock")):
            entries = _entries(path)
            there = _pin(entries.get(source.name), source)
            if there is not None:
                return there
            of_commit = {} if commit is None else {"commit": commit}
            entries[source.name] = {**_subject(source), **of_commit, "sha256": sha256, "bytes": size}
            with beside(path) as part:
                part.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", "utf-8")
    except OSError as error:
        raise PiibenchError(f"source {source.name!r}: its digest cannot be written to {path} ({error})") from error
    return sha256, size


def _entries(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise PiibenchError(f"{path}: cannot be read as JSON; it holds the digests of what was fetched") from error
    if not isinstance(found, dict):
        raise PiibenchError(f"{path}: is not an object of sources; it holds the digests of what was fetched")
    return found


def _pin(entry: Any, source: Source) -> tuple[str, int] | None:
    """What an entry says where it is of what the source's table asks for now."""
    if entry is None:
        return None
    try:
        is_same = {name: entry[name] for name in _subject(source)} == _subject(source)
        return (str(entry["sha256"]), int(entry["bytes"])) if is_same else None
    except (KeyError, TypeError, ValueError) as error:
        raise PiibenchError(
            f"{path_of(source)}: what it says of {source.name!r} is not whole; delete that entry to record it again"
        ) from error


def _subject(source: Source) -> dict[str, Any]:
    return {
        "upstream": f"{source.upstream.kind} {source.upstream.place}".strip(),
        "revision": source.upstream.revision,
        "paths": list(source.paths),
    }
