"""Where a model's files lie: a local folder, an installed package's data, or a pinned commit of the hub."""

import hashlib
import importlib.metadata
import importlib.util
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from piibench_duck.errors import PiibenchError

PACKAGE = "package:"
# Full precision first: an answer should be the model's and not that of one of its compressions, unless asked for.
GRAPHS = tuple(
    folder + name + ".onnx"
    for name in (
        "model",
        "model_fp16",
        "model_int8",
        "model_quantized",
        "model_uint8",
        "model_q8",
        "model_q4",
        "model_bnb4",
    )
    for folder in ("", "onnx/")
)
_SIDE_FILES = ("config.json", "tokenizer.json")


class Files(NamedTuple):
    """A model's files, with what names it in results; `model` is never a path of this machine."""

    model: str
    revision: str | None
    graph: Path
    graph_name: str
    config: Path
    tokenizer: Path


def find(model: str | None, revision: str | None, graph: str | None) -> Files:
    """The files of `model`: a folder, `package:<distribution>`, or a hub id with its commit.

    `graph` names the file to run, relative to the model; without it the first of `GRAPHS` that is there.
    """
    if model is None:
        raise PiibenchError(
            "runner 'onnx' needs a model: a folder, package:<name> of an installed one, or a hub id with a revision"
        )
    if model.startswith(PACKAGE):
        return _in_package(model.removeprefix(PACKAGE), revision, graph)
    folder = Path(model)
    if folder.is_dir():
        if revision is not None:
            raise PiibenchError(f"model folder {folder.name!r} has no revisions, but got {revision!r}")
        return _in_folder(folder, folder.resolve().name, None, graph)
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", model, re.ASCII):
        raise PiibenchError(f"no model folder {model!r}, and it is no hub id of the form owner/name")
    return _on_hub(model, revision, graph)


def weights_sha256(graph: Path) -> str:
    """Digest of the graph; where weights lie in files beside it, of all their digests in order of name."""
    digests = []
    for path in [graph, *sorted(other for other in graph.parent.iterdir() if _is_external(other.name, graph.name))]:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def precision(graph_name: str) -> str:
    """What the file's name says of its numbers: `q4`, `int8`, `fp16`, …, or `fp32` where it says nothing."""
    match = re.search(r"(fp16|uint8|int8|q4f16|q4|q8|bnb4|quantized)", Path(graph_name).stem)
    return "int8" if match and match.group() == "quantized" else match.group() if match else "fp32"


def _is_external(name: str, graph: str) -> bool:
    return name.startswith((f"{graph}_data", f"{graph}.data"))


def _in_package(distribution: str, revision: str | None, graph: str | None) -> Files:
    try:
        installed = importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise PiibenchError(f"model package {distribution!r} is not installed; `just model` installs it") from None
    if revision is not None and revision != installed.version:
        raise PiibenchError(f"model package {distribution!r} is installed as {installed.version}, not as {revision!r}")
    # Found, not imported: importing it would run its code and need all that it depends on.
    spec = importlib.util.find_spec(distribution.replace("-", "_"))
    for root in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
        for config in sorted(root.rglob("config.json")):
            return _in_folder(config.parent, distribution, installed.version, graph)
    raise PiibenchError(f"model package {distribution!r} has no config.json of a model inside")


def _in_folder(folder: Path, model: str, revision: str | None, graph: str | None) -> Files:
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.onnx")}
    name = _graph(model, there, graph)
    for side in _SIDE_FILES:
        if not (folder / side).is_file():
            raise PiibenchError(f"model {model!r} has no {side}; expected one beside its ONNX graph")
    return Files(model, revision, folder / name, name, folder / "config.json", folder / "tokenizer.json")


def _graph(model: str, there: Collection[str], graph: str | None) -> str:
    candidates: Sequence[str] = GRAPHS if graph is None else [graph]
    for name in candidates:
        if name in there:
            return name
    found = ", ".join(sorted(there)) or "none"
    raise PiibenchError(f"model {model!r} has no ONNX graph {graph or 'of a usual name'}; found {found}")


def _on_hub(model: str, revision: str | None, graph: str | None) -> Files:
    if revision is None or not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise PiibenchError(
            f"model {model!r} on the hub needs its revision as a full commit of 40 hex digits, but got {revision!r}"
        )
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        cached = Path(huggingface_hub.snapshot_download(model, revision=revision, local_files_only=True))
        return _in_folder(cached, model, revision, graph)
    except (LocalEntryNotFoundError, PiibenchError):
        pass  # not there, or not with all that is needed
    try:
        there = huggingface_hub.HfApi().model_info(model, revision=revision, timeout=20).siblings or []
        name = _graph(model, {file.rfilename for file in there if file.rfilename.endswith(".onnx")}, graph)
        wanted = [name, f"{name}_data*", f"{name}.data*", *_SIDE_FILES]
        folder = Path(huggingface_hub.snapshot_download(model, revision=revision, allow_patterns=wanted))
    except PiibenchError:
        raise
    except Exception as error:  # the hub's client lets those of its HTTP library through, which changes with versions
        raise PiibenchError(
            f"model {model!r} at {revision} cannot be had from the hub ({type(error).__name__})"
        ) from error
    return _in_folder(folder, model, revision, name)
