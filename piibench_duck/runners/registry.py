"""Which runners there are: every module of this package that defines `load`, named after its file, and every entry
point of the group `piibench_duck.runners` that an installed package has."""

import importlib
import importlib.metadata
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piibench_duck import runners
from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Description, Detector

GROUP = "piibench_duck.runners"


def _own() -> dict[str, Any]:
    modules = {}
    for found in pkgutil.iter_modules(runners.__path__):
        if not found.name.startswith("_"):
            module = importlib.import_module(f"{runners.__name__}.{found.name}")
            if hasattr(module, "load"):
                modules[found.name.replace("_", "-")] = module
    return modules


def _others() -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}


def _runner(name: str) -> Any:
    """What has `load`, and `terms` where it knows them: a module of ours or what an entry point names."""
    own, others = _own(), _others()
    if name in own:
        if name in others:
            raise PiibenchError(f"runner {name!r} is ours, and {others[name].value} claims the name too; uninstall it")
        return own[name]
    if name not in others:
        raise PiibenchError(f"no runner {name!r}; there are {', '.join(sorted({*own, *others}))}")
    try:
        found = others[name].load()
    except Exception as error:  # code of others, which may raise anything
        raise PiibenchError(
            f"runner {name!r} cannot be imported from {others[name].value} ({type(error).__name__})"
        ) from error
    if not callable(getattr(found, "load", None)):
        raise PiibenchError(f"runner {name!r}: {others[name].value} has no function `load`")
    return found


def runner_names() -> list[str]:
    """The names that `load_runner` knows, in order."""
    return sorted({*_own(), *_others()})


def describe(name: str) -> str:
    """The first line of the runner's docstring."""
    return (getattr(_runner(name), "__doc__", None) or "").strip().partition("\n")[0]


def version_of(name: str) -> str:
    """The version of the package that the runner is of, as `distribution version`."""
    other = _others().get(name)
    distribution = other.dist if other is not None and name not in _own() else None
    if distribution is None:
        return f"piibench-duck {importlib.metadata.version('piibench-duck')}"
    return f"{distribution.name} {distribution.version}"


def options_of(name: str) -> tuple[str, ...]:
    """The options that the runner says it takes."""
    return tuple(getattr(_runner(name), "OPTIONS", ()))


def shown(name: str, model: str | None) -> str | None:
    """What results may call a model that was not run: never a path of this machine, nor what a command was told."""
    if model is None:
        return None
    try:
        of_runner = getattr(_runner(name), "shown", None)
    except PiibenchError:
        of_runner = None
    if of_runner:
        return str(of_runner(model))
    if "://" in model:  # an address may hold a secret
        return name
    return Path(model).name if Path(model).exists() else model


def load_runner(
    name: str,
    model: str | None = None,
    revision: str | None = None,
    options: Mapping[str, str] | None = None,
    unpinned: bool = False,
) -> Detector:
    """The detector that runner `name` makes of `model`; `PiibenchError` where name, model or option is not known.

    `unpinned` takes a model of the hub as it is today.
    """
    asked = {**(options or {}), **({"unpinned": "yes"} if unpinned else {})}
    detector: Detector = _runner(name).load(model, revision, asked)
    return detector


def terms(description: Description) -> tuple[str | None, str | None]:
    """The licence (SPDX) of a detector's model and the credit that it asks for; None where not known or ours."""
    runner = _runner(description.runner)
    known: tuple[str | None, str | None] = runner.terms(description.model) if hasattr(runner, "terms") else (None, None)
    return known
