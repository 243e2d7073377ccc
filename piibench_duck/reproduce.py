"""How to make a run again: one command with its pins, from what its result says of it."""

import re
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from piibench_duck import hub
from piibench_duck.combine import RUNNER as COMBINE
from piibench_duck.errors import PiibenchError
from piibench_duck.protocol import Protocol
from piibench_duck.runners.registry import options_of

_OPTIONS = {"labels_asked": "labels"}
"""What settings call an option otherwise than the runner does."""

_UNSAID = ("not applicable", "all", "any", "none", "of the service")
_OF_OTHERS = ("http", "command")
_VERSION = re.compile(r"\d+(\.\w+)*")


class Steps(NamedTuple):
    """A command, or None where no command makes the run again, and what has to be known beside it."""

    command: str | None
    notes: tuple[str, ...]


def of_run(run: str, result: Mapping[str, Any], board: str, protocol: Protocol) -> Steps:
    """What to type to make a run of a board again, and the pins that tell whether it is the same."""
    of = result["_provenance"]
    settings = of.get("settings") or {}
    pins = _pins(of)
    runner, model = str(of.get("runner")), of.get("model_id")
    parts = [str(settings.get(key)) for key in ("run_a", "run_b", "rule")]
    after = (f"After {parts[0]} and {parts[1]}.",) if runner == COMBINE else ()
    if run in protocol.runs and protocol.runs[run].runner == runner:
        needs = _needs(model, of.get("model_revision"))
        return Steps(_line("predict", run, "--board", board), (*after, *needs, *pins))
    if runner == COMBINE:
        a, b, rule = parts
        return Steps(_line("combine", a, b, "--as", run, "--rule", rule, "--board", board), (*after, *pins))
    if runner in _OF_OTHERS:
        return Steps(
            None, (f"It was asked through the runner {runner}: what answered cannot be had again for sure.", *pins)
        )
    try:
        options = options_of(runner)
    except PiibenchError:
        return Steps(None, (f"Its predictions came in as a file (`piibench-duck import`), made by {runner}.", *pins))
    named, needs = _model(runner, model, of.get("model_revision"), options)
    given = {_OPTIONS.get(key, key): str(value) for key, value in settings.items() if value not in _UNSAID}
    chosen = [f"{name}={value}" for name, value in sorted(given.items()) if name in options]
    asked = [part for option in chosen for part in ("--option", option)]
    return Steps(_line("predict", "--pipeline", runner, *named, *asked, "--as", run, "--board", board), (*needs, *pins))


def _model(runner: str, model: Any, revision: Any, options: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """How the command names a model, and what must be there first."""
    if model is None or "engine" in options:  # complete in itself
        return ["--model", runner], _needs(model, revision)
    if hub.is_commit(revision):
        return ["--model", str(model), "--revision", str(revision)], ()
    if revision:
        return ["--model", f"package:{model}", "--revision", str(revision)], _needs(model, revision)
    return ["--model", str(model)], (f"{model} is a folder that whoever made the run has.",)


def _needs(model: Any, revision: Any) -> tuple[str, ...]:
    """Packages to install first, where a model comes in them."""
    if not model or not revision:
        return ()
    packages = zip(str(model).split("+"), str(revision).split("+"), strict=False)
    told = [f"{name}=={version}" for name, version in packages if _VERSION.fullmatch(version)]
    return (f"Install first: {' '.join(told)}",) if told else ()


def _pins(of: Mapping[str, Any]) -> tuple[str, ...]:
    """Digests by which to tell whether it is the same."""
    pins = [("weights", of.get("weights_sha256")), ("settings", of.get("settings_digest"))]
    told = [f"{name} {str(digest)[:12]}" for name, digest in pins if digest]
    told += [f"runner {of['runner_version']}"] if of.get("runner_version") else []
    return (f"The same if: {', '.join(told)}",) if told else ()


def _line(*arguments: str) -> str:
    return shlex.join(("piibench-duck", *arguments))
