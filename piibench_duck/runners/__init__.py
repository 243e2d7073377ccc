"""Texts in, spans out: what a runner is given and what it gives back."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

SETTINGS = ("aggregation", "labels_asked", "threshold", "window", "stride", "batch", "precision", "seed")
"""What the settings of every run say; `not applicable` where a runner does not name one."""


class Text(NamedTuple):
    """All that a runner ever sees of a row."""

    row_id: str
    text: str


class Span(NamedTuple):
    """A predicted span `[start, end)` in code points."""

    start: int
    end: int
    label: str
    score: float | None = None


class Answer(NamedTuple):
    """What a detector says of one text. `status` is ok, error or truncated; `chars_seen` counts code points."""

    spans: tuple[Span, ...]
    chars_seen: int
    status: str = "ok"


class Description(NamedTuple):
    """What identifies a detector: the columns of `contracts.runs` that only the runner knows."""

    kind: str  # model, pipeline (around a model), rules or baseline
    runner: str
    model: str | None
    revision: str | None
    weights_sha256: str | None
    label_namespace: str
    settings: Mapping[str, str]  # what shapes its answers, of `SETTINGS` those that apply and any others
    libraries: Mapping[str, str]  # e.g. {"onnxruntime": "1.32.0", "provider": "CPUExecutionProvider", "device": "cpu"}
    is_pinned: bool = True  # whether what runs can be had again exactly, by commit, version or digest


class Detector(Protocol):
    """A loaded detector. A call answers each text, in the order given; a text that fails is answered with `error`."""

    @property
    def description(self) -> Description: ...

    def __call__(self, texts: Sequence[Text]) -> list[Answer]: ...
