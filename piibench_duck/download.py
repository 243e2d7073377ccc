"""A source from upstream: a GitHub archive or files of the hub, verified, then put in its place in one step."""

import http.client
import os
import shutil
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from piibench_duck import hub, recorded
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source, verify

GITHUB = "PIIBENCH_GITHUB"
"""Environment variable with another base address for GitHub archives, such as a company's proxy."""

Start = Callable[[int | None], Callable[[int], None]]
"""Is told how many bytes come, where that is known, and gives back what is told how many did."""

_SILENCE_SECONDS = 30
_DEADLINE_SECONDS = 900
_LONGEST_ARCHIVE = 2 << 30
_CHUNK = 1 << 20


def install(source: Source, place: Path, start: Start) -> Path:
    """Fetches and verifies the source beside `place`, then renames it there: a crash leaves the old folder or none."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{source.name}-", dir=place.parent) as scratch:
            fresh = Path(scratch) / "fresh"
            fresh.mkdir()
            if source.upstream.kind == "github":
                commit = _fill_from_github(source, fresh, Path(scratch), start)
            else:
                commit = _fill_from_hub(source, fresh, Path(scratch))
            verify(source, fresh, f"what {source.upstream.kind} sent of {source.upstream.place}", commit)
            if place.exists():
                place.rename(Path(scratch) / "old")
            fresh.rename(place)
    except OSError as error:
        raise PiibenchError(f"source {source.name!r}: cannot be kept in {place.parent.name!r} ({error})") from error
    return place


def _fill_from_github(source: Source, fresh: Path, scratch: Path, start: Start) -> str | None:
    base = os.environ.get(GITHUB, "https://github.com").rstrip("/")
    address = f"{base}/{source.upstream.place}/archive/{source.upstream.revision}.tar.gz"
    archive = scratch / "archive.tar.gz"
    try:
        _download(address, archive, start)
        _unpack(archive, source, fresh)
    except urllib.error.HTTPError as error:
        raise _unavailable(source, address, f"answered {error.code}") from error
    except urllib.error.URLError as error:
        raise _unavailable(source, address, f"cannot be reached: {error.reason}") from error
    except TimeoutError as error:
        raise _unavailable(source, address, f"was silent or slow for too long ({error})") from error
    except (http.client.HTTPException, ConnectionError) as error:
        raise _unavailable(source, address, f"broke off ({type(error).__name__})") from error
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        raise _unavailable(source, address, f"sent no whole archive ({error})") from error
    return source.upstream.revision


def _unavailable(source: Source, address: str, reason: str) -> PiibenchError:
    return PiibenchError(f"source {source.name!r}: {address} {reason}")


def _download(address: str, archive: Path, start: Start) -> None:
    if not address.startswith(("https://", "http://")):
        raise urllib.error.URLError("not an http address")
    deadline = time.monotonic() + _DEADLINE_SECONDS
    request = urllib.request.Request(address, headers={"User-Agent": "piibench-duck"})
    with urllib.request.urlopen(request, timeout=_SILENCE_SECONDS) as answer, archive.open("wb") as file:
        announced = answer.headers.get("Content-Length")
        done = start(int(announced) if announced is not None else None)
        while chunk := answer.read(_CHUNK):
            file.write(chunk)
            done(len(chunk))
            if file.tell() > _LONGEST_ARCHIVE:
                raise tarfile.TarError(f"more than {_LONGEST_ARCHIVE} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{_DEADLINE_SECONDS} s")
        if announced is not None and file.tell() != int(announced):
            raise tarfile.TarError(f"{file.tell()} of {announced} bytes")


def _unpack(archive: Path, source: Source, fresh: Path) -> None:
    """Writes the regular files at or below the source's paths, and nothing else that an archive may hold.

    Names are taken apart and matched before anything is opened, so no member can be written elsewhere; the extraction
    filters of `tarfile` are missing from the first releases of Python 3.11.
    """
    left = _LONGEST_ARCHIVE if source.bytes is None else source.bytes
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            parts = PurePosixPath(member.name).parts[1:]  # the archive's own folder, <repository>-<commit>
            name = "/".join(parts)
            if not any(name == path or name.startswith(f"{path}/") for path in source.paths):
                continue
            if ".." in parts or member.name.startswith("/"):
                raise tarfile.TarError("a member's name leads out of the archive")
            content = members.extractfile(member) if member.isreg() else None
            if content is None:
                continue
            left -= member.size
            if left < 0:
                raise tarfile.TarError(
                    f"more than {_LONGEST_ARCHIVE} bytes"
                    if source.bytes is None
                    else f"more than the {source.bytes} bytes that are pinned"
                )
            target = fresh / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, target.open("wb") as file:
                shutil.copyfileobj(content, file)


def _fill_from_hub(source: Source, fresh: Path, scratch: Path) -> str:
    """The commit that the files are of: that of the first fetch, where the revision is a branch that moves."""
    try:
        commit = recorded.commit_of(source) or hub.newest_commit(
            source.upstream.place, source.upstream.revision, "dataset"
        )
        for name in hub.bring(source.upstream.place, commit, source.paths, scratch / "hub"):
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / "hub" / name).replace(fresh / name)
    except PiibenchError as error:
        raise PiibenchError(f"source {source.name!r}: {error}") from error
    return commit
