"""What is here and what is missing: versions, extras, models, the mirror, room on the disk, and what each is for."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from piibench_duck import places, protocol, sources
from piibench_duck.errors import PiibenchError
from piibench_duck.runners import _model_files
from piibench_duck.runners._extras import install_command
from piibench_duck.runners.registry import runner_names

CORE = ("duckdb", "polars", "pyarrow", "onnxruntime", "tokenizers", "sqlglot", "typer", "huggingface_hub")
EXTRAS = {
    "transformers": ("torch", "transformers"),
    "gliner": ("torch", "gliner"),
    "presidio": ("presidio_analyzer", "spacy"),
    "spacy": ("spacy",),
}
NEEDED_BYTES = 2_000_000_000
"""What a board of public corpora with its downloads, and a model, may take."""


class Finding(NamedTuple):
    """One thing that was looked at. `for_what` says what works with it or does not without it."""

    what: str
    is_there: bool
    found: str
    for_what: str


def findings(mirror: Path | None = None) -> list[Finding]:
    """All that can be said without the network; nothing is changed."""
    return [*_system(), *_core(), *_extras(), *_runners(), *_models(), *_sources(mirror), *_boards(), *_disk()]


def _system() -> Iterator[Finding]:
    yield Finding("Python", sys.version_info >= (3, 11), platform.python_version(), "everything")
    yield Finding("piibench-duck", True, importlib.metadata.version("piibench-duck"), "everything")


def _core() -> Iterator[Finding]:
    for name in CORE:
        version = _version(name)
        yield Finding(name, version is not None, version or "missing", "everything")


def _extras() -> Iterator[Finding]:
    for extra, modules in EXTRAS.items():
        there = {module: importlib.util.find_spec(module) is not None for module in modules}
        versions = ", ".join(f"{name} {_version(name) or 'missing'}" for name in modules)
        advice = "" if all(there.values()) else f"; {install_command(extra)}"
        yield Finding(f"extra {extra}", all(there.values()), versions + advice, f"the runner {extra}")


def _runners() -> Iterator[Finding]:
    yield Finding("runners", True, ", ".join(runner_names()), "predict")


def _models() -> Iterator[Finding]:
    plans = protocol.load().runs
    for name, plan in plans.items():
        if plan.model is None or not plan.model.startswith(_model_files.PACKAGE):
            continue
        distribution = plan.model.removeprefix(_model_files.PACKAGE)
        version = _version(distribution)
        found = f"{distribution} {version}" if version else f"{distribution} is not installed; just model"
        yield Finding(f"model of {name}", version is not None, found, f"the run {name}")


def _sources(mirror: Path | None) -> Iterator[Finding]:
    named = mirror or (Path(os.environ["PIIBENCH_MIRROR"]) if os.environ.get("PIIBENCH_MIRROR") else None)
    if named is None:
        yield Finding("mirror", False, "PIIBENCH_MIRROR names none", "building without the network")
    else:
        yield Finding(
            "mirror", named.is_dir(), "a folder" if named.is_dir() else "no folder", "building without the network"
        )
    known = sources.load_sources()
    for name, source in known.items():
        where = _where(source.name, named)
        yield Finding(f"source {name}", where is not None, where or "not fetched", f"the corpus {source.corpus}")


def _where(name: str, mirror: Path | None) -> str | None:
    source = sources.load_sources()[name]
    if source.upstream.kind == "package":
        return "comes with the package"
    if mirror is not None and (mirror / name).is_dir():
        return "in the mirror"
    return "fetched" if (sources.downloads_of(source) / name).is_dir() else None


def _boards() -> Iterator[Finding]:
    known = protocol.load()
    for name in known.boards:
        board = protocol.find_board(name, known)
        is_built = (board.warehouse / "designs" / "build.parquet").is_file()
        n_runs = len([*board.warehouse.glob("runs/*.parquet")]) - 1 if is_built else 0
        found = f"built, {max(n_runs, 0)} runs" if is_built else f"not built; piibench-duck build --board {name}"
        yield Finding(f"board {name}", is_built, found, "score, sql, compare")


def _disk() -> Iterator[Finding]:
    for what, folder in (("warehouse", places.home()), ("cache", places.cache_dir()), ("models of the hub", _hub())):
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        free = shutil.disk_usage(there).free
        yield Finding(f"disk of {what}", free >= NEEDED_BYTES, f"{free / 1e9:.1f} GB free", "build, fetch, predict")
    is_offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
    yield Finding("hub", not is_offline, "off by HF_HUB_OFFLINE" if is_offline else "not tried", "fetching by hub id")


def _hub() -> Path:
    home = os.environ.get("HF_HOME")
    return Path(home) if home else Path.home() / ".cache" / "huggingface"


def _version(module: str) -> str | None:
    try:
        return importlib.metadata.version(module.replace("_", "-"))
    except (importlib.metadata.PackageNotFoundError, PiibenchError):
        return None
