"""A detector around any encoder that labels tokens: windows, small batches on all cores, then words and spans."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Description, Span, Text, _model_files
from piibench_duck.runners._encoders import Encoder
from piibench_duck.runners._model_files import Files
from piibench_duck.runners._options import asked, fraction, integer
from piibench_duck.runners._windows import Window, windows
from piibench_duck.runners._words import Tag, Tagged, spans, tags

AGGREGATIONS = ("first", "max", "average", "simple", "none")
OPTIONS = ("aggregation", "batch", "labels", "namespace", "stride", "threads", "threshold", "unpinned", "window")
"""What every runner of token classifiers takes."""

# A processor multiplies at its peak from a few hundred tokens on. More of them together, or filling up short windows
# beside long ones, costs more than it gains.
_TOKENS_A_BATCH = 512
_ALIKE = 0.9


class _Job(NamedTuple):
    text: int
    window: Window
    ids: Sequence[int]


class _Said(NamedTuple):
    """What the model says of the tokens of a window."""

    labels: list[int]
    scores: list[float]
    odds: Any  # (tokens, labels), where they are wanted


@dataclass(frozen=True)
class TokenClassifier:
    """Cuts texts into windows, tags their tokens, and makes words and spans of them."""

    description: Description
    encoder: Encoder
    tags: Sequence[Tag]  # by label id
    aggregation: str
    labels: frozenset[str]  # types that are asked for
    window: int  # tokens of the text in a window, special ones not counted
    stride: int  # tokens that neighbouring windows share
    batch: int
    threshold: float

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        encodings = self.encoder.encode([text.text for text in texts])
        jobs = []
        for index, encoding in enumerate(encodings):
            ids = encoding.ids
            jobs += [
                _Job(index, window, ids[window.start : window.end])
                for window in windows(len(ids), self.window, self.stride)
            ]
        batches = _batches([len(job.ids) for job in jobs], self.batch)
        said: dict[int, _Said] = {}
        for batch, answers in self._answered(batches, jobs):
            said.update(zip(batch, answers, strict=True))
        tagged = [Tagged(encoding.offsets, encoding.word_ids, [], [], []) for encoding in encodings]
        for place, job in enumerate(jobs):
            answer, tokens = said[place], tagged[job.text]
            kept = slice(job.window.keep_start - job.window.start, job.window.keep_end - job.window.start)
            tokens.labels.extend(answer.labels[kept])
            tokens.scores.extend(answer.scores[kept])
            if answer.odds is not None:
                tokens.odds.extend(answer.odds[kept])
        return [
            Answer(self._spans(text.text, tokens), len(text.text)) for text, tokens in zip(texts, tagged, strict=True)
        ]

    def _spans(self, text: str, tokens: Tagged) -> tuple[Span, ...]:
        found = spans(text, tokens, self.tags, self.aggregation, self.threshold)
        return tuple(span for span in found if span.label in self.labels)

    def _answered(
        self, batches: Sequence[Sequence[int]], jobs: Sequence[_Job]
    ) -> Iterator[tuple[Sequence[int], list[_Said]]]:
        """Each batch with what is said of its jobs; as many batches at once as the encoder has callers."""

        def answer(batch: Sequence[int]) -> list[_Said]:
            return self._answer([jobs[place] for place in batch])

        callers = min(self.encoder.callers, len(batches))
        if callers < 2:
            yield from ((batch, answer(batch)) for batch in batches)
            return
        with ThreadPoolExecutor(callers) as pool:
            yield from zip(batches, pool.map(answer, batches), strict=True)

    def _answer(self, jobs: Sequence[_Job]) -> list[_Said]:
        import numpy as np

        logits = np.asarray(self.encoder.run(self.encoder.arrays([job.ids for job in jobs])), dtype=np.float32)
        if not np.isfinite(logits).all():
            raise ArithmeticError("logits that are not finite")
        odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
        odds /= odds.sum(axis=-1, keepdims=True)
        labels, scores = odds.argmax(axis=-1), odds.max(axis=-1)
        begin = len(self.encoder.prefix)
        said = []
        for place, job in enumerate(jobs):
            kept = slice(begin, begin + len(job.ids))
            of_labels = odds[place, kept] if self.aggregation == "average" else None
            said.append(_Said(labels[place, kept].tolist(), scores[place, kept].tolist(), of_labels))
        return said


def classifier(
    runner: str,
    files: Files,
    config: Mapping[str, Any],
    encoder: Encoder,
    options: Mapping[str, str],
    settings: Mapping[str, str],
    aggregation: str,
) -> TokenClassifier:
    """The detector of an encoder with `OPTIONS`; `aggregation` is the runner's default, and `settings` are added.

    Raises `PiibenchError` where an option or what the model says of its labels is unfit.
    """
    how = options.get("aggregation", aggregation)
    if how not in AGGREGATIONS:
        raise PiibenchError(
            f"option 'aggregation' of runner {runner!r} is {how!r}; expected one of {', '.join(AGGREGATIONS)}"
        )
    batch = integer(runner, options, "batch", 32, 1, 4096)
    threshold = fraction(runner, options, "threshold", 0.0)
    found = _tags(files.model, config)
    _check_labels(files.model, encoder, len(found))
    types = list(dict.fromkeys(tag.type for tag in found if tag.type is not None))
    wanted = asked(runner, options, types)
    special = len(encoder.prefix) + len(encoder.suffix)
    window = integer(runner, options, "window", encoder.longest, special + 2, encoder.longest) - special
    stride = integer(runner, options, "stride", min(128, window // 2), 0, window - 1)
    shaping = {
        "aggregation": how,
        "batch": str(batch),
        "config_sha256": _digest(files.config.read_bytes()),
        "file": files.weights_name,
        "labels_asked": ", ".join(wanted) if "labels" in options else "all",
        "stride": str(stride),
        "score": "mean",
        "threshold": str(threshold),
        "tokenizer_sha256": _digest(files.tokenizer.read_bytes()),
        "window": str(window + special),
        **settings,
    }
    namespace = options.get("namespace") or (
        "rampart" if files.model == _model_files.RAMPART else files.model.rpartition("/")[2]
    )
    described = Description(
        "model",
        runner,
        files.model,
        files.revision,
        _model_files.weights_sha256(files),
        namespace,
        shaping,
        encoder.libraries,
        files.is_pinned,
    )
    return TokenClassifier(
        description=described,
        encoder=encoder,
        tags=found,
        aggregation=how,
        labels=frozenset(wanted),
        window=window,
        stride=stride,
        batch=batch if encoder.takes_batches else 1,
        threshold=threshold,
    )


def terms(model: str | None) -> tuple[str | None, str | None]:
    """The model's licence and the credit that it asks for, where they are known."""
    if model == _model_files.RAMPART:
        return "CC-BY-4.0", "Rampart, © 2026 National Design Studio, CC BY 4.0"
    return None, None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _check_labels(model: str, encoder: Encoder, n_named: int) -> None:
    n_labels = encoder.output_shape[-1]
    if isinstance(n_labels, int) and n_labels != n_named:
        raise PiibenchError(
            f"the graph of model {model!r} gives {n_labels} labels, but its config.json names {n_named}"
        )


def _tags(model: str, config: Mapping[str, Any]) -> list[Tag]:
    try:
        labels = {int(index): str(label) for index, label in (config.get("id2label") or {}).items()}
    except (AttributeError, TypeError, ValueError):
        raise PiibenchError(f"config.json of model {model!r} has no id2label of numbers and labels") from None
    found = tags(labels)
    if sorted(labels) != list(range(len(labels))) or len({tag.type is None for tag in found}) != 2:
        raise PiibenchError(
            f"config.json of model {model!r} names {len(labels)} labels in id2label; "
            "expected labels of entities and O for what is none"
        )
    return found


def _batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Places of jobs of like length together, at most `size` and so many tokens; the longest come first.

    >>> _batches([100, 20, 98, 300, 19], 8)
    [[3], [0, 2], [1, 4]]
    """
    batches: list[list[int]] = []
    width = 0
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        length = lengths[place]
        if (
            not batches
            or len(batches[-1]) >= size
            or (len(batches[-1]) + 1) * width > _TOKENS_A_BATCH
            or length < _ALIKE * width
        ):
            batches.append([])
            width = length
        batches[-1].append(place)
    return batches
