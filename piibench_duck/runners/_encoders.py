"""A text encoder: its tokenizer, what turns token ids into logits whatever library does it, how long it may read."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import machine
from piibench_duck.errors import PiibenchError
from piibench_duck.runners._model_files import Files

# Whose position ids begin behind the padding id, so that a few of the positions cannot be used.
_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "mpnet", "data2vec-text", "longformer")


class Encoder(NamedTuple):
    """A loaded model and what its files say: ids around a text, the id of padding, how many tokens it takes."""

    run: Callable[[dict[str, Any]], Any]  # arrays by input name to logits; several threads may call it at once
    inputs: Mapping[str, str]  # the inputs that the model asks for, with their numpy types
    output_shape: Sequence[int | str | None]  # of the logits, as far as the model fixes it
    tokenizer: Any
    prefix: Sequence[int]
    suffix: Sequence[int]
    pad: int
    length: int | None  # tokens a window must have, where the model fixes it
    longest: int  # tokens that a window may have with special ones
    takes_batches: bool
    callers: int  # how many threads are to call `run` at once
    libraries: Mapping[str, str]

    def encode(self, texts: list[str]) -> list[Any]:
        """The tokens of each text, without special ones."""
        if self.callers == 1:  # a batch is encoded on every core there is
            return [self.tokenizer.encode(text, add_special_tokens=False) for text in texts]
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


class Reading(NamedTuple):
    """The part of an encoder that lies in tokenizer.json."""

    tokenizer: Any
    prefix: Sequence[int]
    suffix: Sequence[int]


def read_config(files: Files) -> dict[str, Any]:
    """The model's config.json."""
    config: dict[str, Any] = read(files, files.config, lambda path: json.loads(path.read_bytes()))
    return config


def read_tokenizer(files: Files) -> Reading:
    """The tokenizer, which neither cuts nor fills, and the ids that it puts around a text."""
    import tokenizers

    tokenizer = read(files, files.tokenizer, lambda path: tokenizers.Tokenizer.from_file(str(path)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # a text that says [SEP] is a text
    probe = tokenizer.encode("a")
    own = [place for place, special in enumerate(probe.special_tokens_mask) if not special]
    return Reading(tokenizer, probe.ids[: own[0]], probe.ids[own[-1] + 1 :])


def read(files: Files, path: Path, how: Callable[[Path], Any]) -> Any:
    """What `how` makes of one of a model's files; raises `PiibenchError` where it raises anything."""
    try:
        return how(path)
    except PiibenchError:
        raise
    except Exception as error:  # each library has errors of its own, the tokenizers' a bare Exception
        raise PiibenchError(f"{path.name} of model {files.model!r} cannot be read ({type(error).__name__})") from error


def longest(config: Mapping[str, Any]) -> int:
    """Tokens that a text may have together with special ones, as config.json says."""
    positions = config.get("max_position_embeddings") or 512
    if config.get("model_type") in _OFFSET_POSITIONS:
        positions -= (config.get("pad_token_id") or 0) + 1
    return int(positions)


def cores(threads: int) -> int:
    """How many threads an option `threads` means: those of all cores that this process may use where it is 0."""
    return threads or machine.cores()
