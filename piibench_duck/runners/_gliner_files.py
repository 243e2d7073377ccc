"""A GLiNER model's files: found, looked through for what would run code or fetch more, and made complete."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from piibench_duck import hub
from piibench_duck.errors import PiibenchError
from piibench_duck.names import mentioned

CONFIG = "gliner_config.json"
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")  # in the order in which GLiNER looks for them
_TOKENIZER = ("*.json", "*.model", "*.txt")
_FETCHING_SPLITTERS = ("hanlp", "stanza")
# Keys of the config that may name another model, whose config and tokenizer GLiNER would fetch as they are today.
BACKBONES = {"model_name": "backbone_revision", "labels_encoder": "labels_encoder_revision"}


class Files(NamedTuple):
    """What is loaded, with what names it in results; `model` is never a path of this machine."""

    model: str
    revision: str | None
    folder: Path
    config: Mapping[str, Any]
    weights: Path


def find(model: str | None, revision: str | None, unpinned: bool = False) -> Files:
    """The files of `model`: a folder, or a hub id with its commit as `revision`."""
    if model is None:
        raise PiibenchError("runner 'gliner' needs a model: a folder, or a hub id with a revision")
    folder = Path(model)
    if folder.is_dir():
        if revision is not None:
            raise PiibenchError(f"model folder {folder.name!r} has no revisions, but got {revision!r}")
        return _files(folder.resolve().name, None, folder)
    if not hub.is_id(model):
        raise PiibenchError(f"no model folder {mentioned(model)}, and it is no hub id of the form owner/name")
    commit = hub.commit_of(model, revision, unpinned)
    choices = [(weights, CONFIG, *_TOKENIZER) for weights in _WEIGHTS]
    lacks = f"no weights of GLiNER: neither {' nor '.join(_WEIGHTS)}"
    return _files(model, commit, hub.snapshot(model, commit, choices, lacks).folder)


@contextmanager
def whole(files: Files, revisions: Mapping[str, str]) -> Iterator[Path]:
    """A folder that GLiNER can be loaded from without the network.

    Where the model leaves config or tokenizer to another model, that one is taken at the commit in `revisions`, by key
    of `BACKBONES`, and the folder is one that lasts as long as this does.
    """
    others = _others(files)
    if not others:
        yield files.folder
        return
    config = dict(files.config)
    for key, name in others.items():
        other = Path(name)
        if not other.is_dir():
            if key not in revisions:
                raise PiibenchError(
                    f"model {files.model!r} leaves part of it to {name!r} of the hub; "
                    f"its commit was expected as option {BACKBONES[key]!r}"
                )
            commit = hub.commit_of(name, revisions[key])
            choice = ("config.json", *_TOKENIZER)
            other = hub.snapshot(name, commit, [choice], "no config.json").folder
        _refuse_code(name, other)
        config[key] = str(other)
    with TemporaryDirectory() as made:
        folder = Path(made)
        for path in files.folder.iterdir():
            if path.name != CONFIG:
                (folder / path.name).symlink_to(path.resolve())
        (folder / CONFIG).write_text(json.dumps(config), "utf-8")
        yield folder


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(model: str, revision: str | None, folder: Path) -> Files:
    if not (folder / CONFIG).is_file():
        raise PiibenchError(f"model {model!r} is none of GLiNER: it has no {CONFIG}")
    weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if weights is None:
        raise PiibenchError(f"model {model!r} has no weights of GLiNER: neither {' nor '.join(_WEIGHTS)}")
    _refuse_code(model, folder)
    config = _json(model, folder / CONFIG)
    if not isinstance(config, dict):
        raise PiibenchError(f"{CONFIG} of model {model!r} is no object of JSON")
    for key, gives in (("labels_decoder", "labels of its own"), ("relations_layer", "relations")):
        if config.get(key):
            raise PiibenchError(f"model {model!r} gives {gives} ({key} in {CONFIG}); expected one that marks entities")
    splitter = config.get("words_splitter_type")
    if splitter in _FETCHING_SPLITTERS:
        raise PiibenchError(f"model {model!r} splits words with {splitter!r}, which fetches a model of its own")
    return Files(model, revision, folder, config, weights)


def _others(files: Files) -> dict[str, str]:
    """The names of models that config or tokenizer are left to, by key of the config."""
    config, folder = files.config, files.folder
    left = {
        "model_name": not config.get("encoder_config") or not (folder / "tokenizer_config.json").is_file(),
        "labels_encoder": bool(config.get("labels_encoder"))
        and not (config.get("labels_encoder_config") and (folder / "labels_tokenizer/tokenizer_config.json").is_file()),
    }
    return {key: str(config.get(key)) for key, is_left in left.items() if is_left}


def _refuse_code(model: str, folder: Path) -> None:
    """Raises where a config names code of the model's own: GLiNER would run it, and no option of ours lets it."""
    for path in sorted(folder.rglob("*.json")):
        if path.name.endswith("config.json") and _has_key(_json(model, path), "auto_map"):
            raise PiibenchError(f"{path.name} of model {model!r} names code to run (auto_map), which is never run here")


def _has_key(value: Any, key: str) -> bool:
    if isinstance(value, dict):
        return key in value or any(_has_key(inner, key) for inner in value.values())
    return isinstance(value, list) and any(_has_key(inner, key) for inner in value)


def _json(model: str, path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise PiibenchError(f"{path.name} of model {model!r} is not JSON") from None
