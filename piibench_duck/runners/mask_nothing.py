"""The floor of every board: finds nothing at all."""

from collections.abc import Mapping

from piibench_duck.runners import Detector, Span
from piibench_duck.runners._options import no_model, only
from piibench_duck.runners._simple import own


def find(text: str) -> list[Span]:
    return []


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    no_model("mask-nothing", model, revision)
    only("mask-nothing", options, ())
    return own("baseline", "mask-nothing", find)
