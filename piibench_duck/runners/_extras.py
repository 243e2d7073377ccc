"""Libraries that a runner needs and that the core does without."""

import importlib
from types import ModuleType

from piibench_duck.errors import PiibenchError

# What an index would bring for torch without a version that has a CPU build is gigabytes.
_BEFORE = {"transformers": "pip install torch==2.13.0 && ", "gliner": "pip install torch==2.13.0 && "}


def install_command(extra: str) -> str:
    """What installs an extra.

    >>> install_command("spacy")
    "pip install 'piibench-duck[spacy]'"
    """
    return f"{_BEFORE.get(extra, '')}pip install 'piibench-duck[{extra}]'"


def need(runner: str, module: str, extra: str) -> ModuleType:
    """The module, imported now; raises with the command that installs it where it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise PiibenchError(
            f"runner {runner!r} needs the package {error.name or module}; `{install_command(extra)}` installs it"
        ) from None
    except ImportError as error:  # a library that finds another in a version that it does not take
        raise PiibenchError(
            f"runner {runner!r} cannot import the package {module}, maybe for versions that do not fit together; "
            f"`{install_command(extra)}` installs those that do"
        ) from error
