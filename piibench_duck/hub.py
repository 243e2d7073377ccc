"""The hub of models and data sets: commits, and files of a commit whose bytes are what the hub says they are."""

import contextlib
import fnmatch
import hashlib
import logging
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from piibench_duck.errors import PiibenchError

Kind = Literal["model", "dataset"]
SECONDS = 20.0
"""How long the hub may be silent before it says what a repository holds."""

_NAMED = {"model": "model", "dataset": "data set"}
_CHUNK = 1 << 20
_NO_CONNECTION = ("ConnectError", "ConnectTimeout", "ProxyError", "ConnectionRefusedError", "gaierror")


class Snapshot(NamedTuple):
    """Files of a repository at one commit, below `folder`."""

    folder: Path
    commit: str


class _Entry(NamedTuple):
    """A file of a repository: the digest of its bytes, as SHA-256 where it is a large file, else as git has it."""

    sha256: str | None
    git: str | None


class _Listing(NamedTuple):
    commit: str
    entries: Mapping[str, _Entry]


def is_id(name: str) -> bool:
    """Whether a name has the form of a repository of the hub, `owner/name` or `name`."""
    return re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", name, re.ASCII) is not None


def is_commit(revision: str | None) -> bool:
    """Whether a revision is a full commit, which nobody can move."""
    return revision is not None and re.fullmatch("[0-9a-f]{40}", revision) is not None


def commit_of(model: str, revision: str | None, unpinned: bool = False) -> str:
    """The commit that a model is taken at: the revision, which has to be a full commit unless `unpinned`."""
    if revision is not None and is_commit(revision):
        return revision
    if unpinned:
        return newest_commit(model, revision)
    raise PiibenchError(
        f"model {model!r} on the hub needs its revision as a full commit of 40 hex digits, but got {revision!r}; "
        "--unpinned takes it as it is today"
    )


def newest_commit(model: str, revision: str | None = None, kind: Kind = "model") -> str:
    """The commit that a branch or tag of a repository is at now, its main branch where none is named.

    Without the network it is what the cache last had for that name.
    """
    if revision is not None and is_commit(revision):
        return revision
    try:
        return _list(model, revision, kind).commit
    except PiibenchError:
        folder = _cached_folder(model, revision, kind)
        if folder is None or not is_commit(folder.name):
            raise
        return folder.name


def snapshot(model: str, commit: str, choices: Sequence[Sequence[str]], lacks: str) -> Snapshot:
    """The files of a model that are needed, from the hub's cache or else from the hub.

    Each choice is a list of file names, with `*` in those that may be missing; the first choice whose first name the
    repository has is taken. `lacks` says what a repository without any of them has not. What is fetched is compared
    with the digests that the hub states; other bytes are taken out of the cache again.
    """
    cached = _cached(model, commit, choices)
    if cached is not None:
        return Snapshot(cached, commit)
    there = _list(model, commit, "model")
    wanted = next((choice for choice in choices if fnmatch.filter(there.entries, choice[0])), None)
    if wanted is None:
        raise PiibenchError(f"model {model!r} has {lacks}")
    names = [name for name in there.entries if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)]
    if missing := [name for name in wanted if "*" not in name and name not in names]:
        raise PiibenchError(f"model {model!r} at {commit} has no {missing[0]}")
    import huggingface_hub

    with _quiet(), _in_one_sentence(f"model {model!r} at {commit}"):
        folder = Path(
            huggingface_hub.snapshot_download(model, revision=commit, allow_patterns=list(wanted), etag_timeout=SECONDS)
        )
    for name in names:
        _verify(f"model {model!r} at {commit}", folder, name, there.entries[name])
    return Snapshot(folder, commit)


def names(model: str, commit: str) -> set[str]:
    """Names of a model's files at a commit; without the network, those that the cache holds."""
    try:
        return set(_list(model, commit, "model").entries)
    except PiibenchError:
        if (folder := _cached_folder(model, commit, "model")) is None:
            raise
        return set(_names_in(folder))


def bring(place: str, commit: str, paths: Iterable[str], folder: Path, kind: Kind = "dataset") -> list[str]:
    """Files of a repository, and all files below its folders, into `folder`; compared with its digests. Their names.

    Raises `PiibenchError` where one of `paths` is not there, cannot be had or has other bytes.
    """
    there = _list(place, commit, kind)
    what = f"{_NAMED[kind]} {place!r} at {there.commit}"
    names = []
    for path in paths:
        found = [name for name in there.entries if name == path or name.startswith(f"{path}/")]
        if not found:
            raise PiibenchError(f"{what} has no {path!r}")
        names += found
    import huggingface_hub

    names = list(dict.fromkeys(names))
    for name in names:
        if ".." in name.split("/") or name.startswith("/") or "\\" in name:
            raise PiibenchError(f"{what} names a file that lies outside of it")
        with _quiet(), _in_one_sentence(f"{name!r} of {what}"):
            huggingface_hub.hf_hub_download(
                place, name, repo_type=kind, revision=there.commit, local_dir=folder, etag_timeout=SECONDS
            )
        _verify(what, folder, name, there.entries[name])
    return names


def _list(place: str, revision: str | None, kind: Kind) -> _Listing:
    """All files of a repository at a revision, its newest where None."""
    import huggingface_hub

    what = f"{_NAMED[kind]} {place!r}" + (f" at {revision}" if revision else "")
    with _quiet(), _in_one_sentence(what):
        about: Any = huggingface_hub.HfApi().repo_info(
            place, revision=revision, repo_type=kind, files_metadata=True, timeout=SECONDS
        )
        entries = {
            file.rfilename: _Entry(file.lfs.sha256 if file.lfs else None, file.blob_id) for file in about.siblings or ()
        }
        commit = str(about.sha)
    if not is_commit(commit) or (is_commit(revision) and commit != revision):
        raise PiibenchError(f"{what}: the hub answered with another commit")
    return _Listing(commit, entries)


def _cached(model: str, commit: str, choices: Sequence[Sequence[str]]) -> Path | None:
    """The folder of the cache that holds the first choice whole; None where the hub has to be asked."""
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    for choice in choices:
        try:
            folder = Path(
                huggingface_hub.snapshot_download(
                    model, revision=commit, allow_patterns=list(choice), local_files_only=True
                )
            )
        except LocalEntryNotFoundError:  # none of it, or the repository has this choice and the cache has not all of it
            return None
        there = _names_in(folder)
        if not fnmatch.filter(there, choice[0]):
            continue
        if all("*" in name or name in there for name in choice):
            for name in there:
                if any(fnmatch.fnmatchcase(name, pattern) for pattern in choice):
                    _verify(f"model {model!r} at {commit}", folder, name, _by_name_of_blob(folder / name))
            return folder
        return None
    return None


def _cached_folder(place: str, revision: str | None, kind: Kind) -> Path | None:
    """Where the cache keeps what it has of a repository at a revision."""
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    with contextlib.suppress(LocalEntryNotFoundError):
        return Path(
            huggingface_hub.snapshot_download(
                place,
                revision=revision,
                repo_type=kind,
                allow_patterns=[],  # of which it cannot say that one is missing
                local_files_only=True,
            )
        )
    return None


def _names_in(folder: Path) -> list[str]:
    return [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]


def _by_name_of_blob(path: Path) -> _Entry:
    """What the cache says of a file: it keeps it under its digest, and a link to that in the snapshot."""
    name = path.resolve().name
    if path.resolve().parent.name != "blobs":
        return _Entry(None, None)  # a system without links
    return _Entry(name if len(name) == 64 else None, name if len(name) == 40 else None)


def _verify(what: str, folder: Path, name: str, entry: _Entry) -> None:
    """Raises where a file's bytes are not those of its digest, and takes it away so that nobody uses it."""
    path = folder / name
    try:
        found, expected = _digest(path, entry)
    except OSError as error:
        raise PiibenchError(f"{name!r} of {what} cannot be read ({error.strerror or type(error).__name__})") from error
    if expected is not None and found != expected:
        for file in (path.resolve(), path):
            file.unlink(missing_ok=True)
        raise PiibenchError(f"{name!r} of {what} has other bytes than the hub states: {found}, not {expected}")


def _digest(path: Path, entry: _Entry) -> tuple[str, str | None]:
    expected = entry.sha256 or entry.git
    digest = hashlib.sha256() if entry.sha256 else hashlib.sha1(b"blob %d\0" % path.stat().st_size)
    if expected is not None:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest(), expected


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What the hub's client says of its attempts is kept back; its bars too, where nobody looks at a terminal."""
    from huggingface_hub.utils import logging as said
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    level, has_bars = said.get_verbosity(), not are_progress_bars_disabled()
    said.set_verbosity(logging.CRITICAL)
    if has_bars and not sys.stderr.isatty():
        disable_progress_bars()
    try:
        yield
    finally:
        said.set_verbosity(level)
        if has_bars:
            enable_progress_bars()


@contextlib.contextmanager
def _in_one_sentence(what: str) -> Iterator[None]:
    try:
        yield
    except PiibenchError:
        raise
    except Exception as error:  # the client lets errors of its HTTP library through, which changes with versions
        raise PiibenchError(f"{what} cannot be had from the hub: {_why(error)}") from error


def _why(error: BaseException) -> str:
    from huggingface_hub.errors import OfflineModeIsEnabled, RevisionNotFoundError

    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    if any(isinstance(one, OfflineModeIsEnabled) for one in chain):
        return "it is not in the hub's cache, and HF_HUB_OFFLINE is set"
    if any(isinstance(one, RevisionNotFoundError) for one in chain):
        return "the hub has no such revision"
    statuses = [getattr(getattr(one, "response", None), "status_code", None) for one in chain]
    status = next((one for one in statuses if isinstance(one, int)), None)
    if status in (401, 403):
        return f"the hub answered {status}, so it is not there, or asks for a token (HF_TOKEN) that may read it"
    if status == 404:
        return "the hub answered 404, so there is no such thing"
    if status is not None:
        return f"the hub answered {status}"
    if kind := next((type(one).__name__ for one in chain if type(one).__name__ in _NO_CONNECTION), None):
        return f"the hub cannot be reached ({kind})"
    return f"the transfer failed ({_kind(chain)})"


def _kind(chain: Collection[BaseException]) -> str:
    """The kind of the error at the bottom that says most."""
    named = [type(one).__name__ for one in chain]
    return next((name for name in named if re.search("Connect|Timeout|Protocol|Read|SSL", name)), named[0])
