"""Which runner runs a model that somebody names, where they do not say so themselves."""

from collections.abc import Collection, Mapping
from pathlib import Path

from piibench_duck import hub
from piibench_duck.errors import PiibenchError
from piibench_duck.names import mentioned
from piibench_duck.run_plans import RunPlan
from piibench_duck.runners import _model_files
from piibench_duck.runners.registry import runner_names, shown

AUTO = "auto"
_OF_MODELS = ("onnx", "transformers", "gliner", "spacy", "http", "command")
"""Runners that are nothing without a model, so that their own name names none."""


def plan_of(
    model: str, revision: str | None, pipeline: str, options: Mapping[str, str] | None = None, unpinned: bool = False
) -> RunPlan:
    """What MODEL means: the name of a runner that is complete in itself, or a model for one."""
    names = runner_names()
    asked = options or {}
    complete = [name for name in names if name not in _OF_MODELS]
    if pipeline != AUTO and pipeline not in names:
        raise PiibenchError(f"no pipeline {pipeline!r}; there are {AUTO}, {', '.join(names)}")
    if model in complete and pipeline in (AUTO, model):
        if revision is not None:
            raise PiibenchError(f"runner {model!r} takes no revision, but got {revision!r}")
        return RunPlan(model, model, options=asked)
    runner = _chosen(model, revision, complete, unpinned) if pipeline == AUTO else pipeline
    called = shown(runner, model) or model  # an address or a command line may hold a secret
    return RunPlan(called, runner, model, revision, options=asked, unpinned=unpinned)


def _chosen(model: str, revision: str | None, complete: list[str], unpinned: bool) -> str:
    if model.startswith(("http://", "https://")):
        return "http"
    is_package = model.startswith(_model_files.PACKAGE)
    if not (Path(model).is_dir() or is_package or revision is not None or unpinned):
        raise PiibenchError(
            f"no model {mentioned(model)}: it is neither a folder nor package:NAME nor a URL nor one of "
            f"{', '.join(complete)}; a model of the hub needs --revision with its commit, or --unpinned"
        )
    names = _files(model, revision, unpinned)
    if not names and not Path(model).is_dir():
        return "onnx"  # whose error says why it cannot be had
    if (runner := _by_files(names)) is not None:
        return runner
    folder = Path(model)
    what = f"model {(folder.resolve().name if folder.is_dir() else model)!r}"
    if any(_model_files.is_pickled(name) for name in names):
        raise PiibenchError(f"{what} has {_model_files.lacks_weights(names)}")
    raise PiibenchError(
        f"{what} is of no kind that auto knows: it looked for gliner_config.json, for meta.json and config.cfg, for a "
        "graph *.onnx, and for config.json with *.safetensors; --pipeline names its runner"
    )


def _by_files(names: Collection[str]) -> str | None:
    """The runner of a model that has these files: of token classifiers onnx where there is a graph of a usual name."""
    last = {name.rpartition("/")[2] for name in names}
    if "gliner_config.json" in last:
        return "gliner"
    if {"meta.json", "config.cfg"} <= last:
        return "spacy"
    if any(graph in names for graph in _model_files.GRAPHS):
        return "onnx"
    if "config.json" in last and any(name.endswith(".safetensors") for name in last):
        return "transformers"
    # Whose error names the graphs that it found, or whose option `file` does.
    return "onnx" if any(name.endswith(".onnx") for name in names) else None


def _files(model: str, revision: str | None, unpinned: bool) -> Collection[str]:
    """Names of a model's files, relative to its folder; none where it is not there, which its runner will say."""
    if model.startswith(_model_files.PACKAGE):
        return _model_files.names_in_package(model.removeprefix(_model_files.PACKAGE))
    folder = Path(model)
    if folder.is_dir():
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if not unpinned:
        hub.commit_of(model, revision)  # raises where there is none
    try:
        return hub.names(model, hub.commit_of(model, revision, unpinned))
    except PiibenchError:
        return ()
