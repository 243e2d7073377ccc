"""A text encoder as files, its ONNX graph and its tokenizer, opened alike whatever its outputs mean."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.runners._model_files import Files

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Whose position ids begin behind the padding id, so that a few of the positions cannot be used.
_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "mpnet", "data2vec-text", "longformer")


class Graph(NamedTuple):
    """A loaded graph and what its files say: ids around a text, the id of padding, how many tokens it takes."""

    run: Callable[[dict[str, Any]], Any]  # arrays by input name to logits
    inputs: Mapping[str, str]  # the inputs that the graph asks for, with their numpy types
    output_shape: Sequence[int | str | None]  # of the logits, as far as the graph fixes it
    tokenizer: Any
    prefix: Sequence[int]
    suffix: Sequence[int]
    pad: int
    length: int | None  # tokens a window must have, where the graph fixes it
    longest: int  # tokens that a window may have with special ones
    takes_batches: bool
    libraries: Mapping[str, str]

    def encode(self, texts: list[str]) -> list[Any]:
        """The tokens of each text, without special ones."""
        found: list[Any] = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return found

    def arrays(self, windows: Sequence[Sequence[int]]) -> dict[str, Any]:
        """The inputs of a batch, its windows filled up to one width."""
        import numpy as np

        rows = [[*self.prefix, *ids, *self.suffix] for ids in windows]
        width = self.length or max(map(len, rows))
        values = {
            "input_ids": [row + [self.pad] * (width - len(row)) for row in rows],
            "attention_mask": [[1] * len(row) + [0] * (width - len(row)) for row in rows],
            "token_type_ids": [[0] * width for _ in rows],
        }
        return {name: np.array(values[name], dtype=kind) for name, kind in self.inputs.items()}


def read_config(files: Files) -> dict[str, Any]:
    """The model's config.json."""
    config: dict[str, Any] = _read(files, files.config, lambda path: json.loads(path.read_bytes()))
    return config


def open_graph(files: Files, config: Mapping[str, Any], threads: int) -> Graph:
    """The graph and tokenizer of a model, on so many threads (0 for all). Raises `PiibenchError` where one is unfit."""
    import onnxruntime  # type: ignore[import-untyped]  # ships no types
    import tokenizers

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
    inputs = {node.name: node for node in session.get_inputs()}
    strange = sorted(set(inputs) - set(_INPUTS))
    if strange or "input_ids" not in inputs:
        raise PiibenchError(
            f"the graph of model {files.model!r} asks for {', '.join(sorted(inputs))}; "
            f"this runner gives {', '.join(_INPUTS)}"
        )
    outputs = {node.name: node for node in session.get_outputs()}
    output = "logits" if "logits" in outputs else next(iter(outputs))
    rows, width = inputs["input_ids"].shape
    fixed = width if isinstance(width, int) else None
    return Graph(
        run=lambda arrays: session.run([output], arrays)[0],
        inputs={name: node.type.removeprefix("tensor(").rstrip(")") for name, node in inputs.items()},
        output_shape=outputs[output].shape,
        tokenizer=tokenizer,
        prefix=probe.ids[: own[0]],
        suffix=probe.ids[own[-1] + 1 :],
        pad=config.get("pad_token_id") or 0,
        length=fixed,
        longest=fixed or _longest(config),
        takes_batches=not isinstance(rows, int),
        libraries={
            "onnxruntime": onnxruntime.__version__,
            "tokenizers": tokenizers.__version__,
            "provider": session.get_providers()[0],
            "threads": str(threads) if threads else "all",
        },
    )


def _read(files: Files, path: Path, read: Callable[[Path], Any]) -> Any:
    try:
        return read(path)
    except Exception as error:  # each library has errors of its own, the tokenizers' a bare Exception
        raise PiibenchError(f"{path.name} of model {files.model!r} cannot be read ({type(error).__name__})") from error


def _longest(config: Mapping[str, Any]) -> int:
    longest = config.get("max_position_embeddings") or 512
    if config.get("model_type") in _OFFSET_POSITIONS:
        longest -= (config.get("pad_token_id") or 0) + 1
    return int(longest)
