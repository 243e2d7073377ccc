"""Which runners there are: every module of this package that defines `load` is one, named after its file."""

import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType

from piibench_duck import runners
from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Description, Detector


def _modules() -> dict[str, ModuleType]:
    modules = {}
    for found in pkgutil.iter_modules(runners.__path__):
        if not found.name.startswith("_"):
            module = importlib.import_module(f"{runners.__name__}.{found.name}")
            if hasattr(module, "load"):
                modules[found.name.replace("_", "-")] = module
    return modules


def runner_names() -> list[str]:
    """The names that `load_runner` knows, in order."""
    return sorted(_modules())


def describe(name: str) -> str:
    """The first line of the runner's module."""
    return (_modules()[name].__doc__ or "").partition("\n")[0]


def load_runner(
    name: str, model: str | None = None, revision: str | None = None, options: Mapping[str, str] | None = None
) -> Detector:
    """The detector that runner `name` makes of `model`; `PiibenchError` where name, model or option is not known."""
    modules = _modules()
    if name not in modules:
        raise PiibenchError(f"no runner {name!r}; there are {', '.join(sorted(modules))}")
    detector: Detector = modules[name].load(model, revision, options or {})
    return detector


def terms(description: Description) -> tuple[str | None, str | None]:
    """The licence (SPDX) of a detector's model and the credit that it asks for; None where not known or ours."""
    runner = _modules()[description.runner]
    known: tuple[str | None, str | None] = runner.terms(description.model) if hasattr(runner, "terms") else (None, None)
    return known
