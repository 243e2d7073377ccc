"""How much each word tells, by a masked language model: the surprise of the word where it is hidden from the model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import Columns, append, empty
from piibench_duck.runners import _model_files
from piibench_duck.runners._encoders import Encoder, cores, read_config
from piibench_duck.runners._graphs import open_graph
from piibench_duck.runners._windows import Window, windows

WEIGHT_COLUMNS = ("row_id", "start_char", "end_char", "bits")
EVERY = 7
"""Every seventh word is hidden at once, so that a window takes seven passes and not one for each of its words. Such
models learn with about a seventh of their tokens hidden, so that each word is guessed from as much as they are used to.
"""

_WORD = re.compile(r"\w+")
_MASKS = ("[MASK]", "<mask>")  # how tokenizers spell it
_OVERLAP = 128  # tokens that neighbouring windows share at least, where they are long enough


class _Word(NamedTuple):
    start: int
    end: int
    pieces: Sequence[int]  # places of its tokens in the text


def weights(folder: Path, texts: Mapping[str, str], threads: int = 0) -> Columns:
    """Columns of `contracts.token_weights`: each word of each text with −log₂ of its unlikeliest piece's probability.

    All pieces of a word are hidden together. A word of which the tokenizer makes no piece weighs 0. `folder` holds
    config.json, tokenizer.json and an ONNX graph that gives logits (batch, length, vocabulary); nothing is downloaded.
    The same numbers each time, in 0.000001 bits. Raises `PiibenchError` where the model is unfit.
    """
    if not folder.is_dir():
        raise PiibenchError(f"no folder {str(folder)!r}; one with the files of a masked language model was expected")
    files = _model_files.find(str(folder), None, None)
    graph = open_graph(files, read_config(files), threads, intra_threads=cores(threads))
    mask = _mask(files.model, graph)
    size = graph.longest - len(graph.prefix) - len(graph.suffix)
    if size < 1:
        raise PiibenchError(f"model {files.model!r} takes {graph.longest} tokens, which leaves none for a text")
    found = empty(WEIGHT_COLUMNS)
    for row_id, text in texts.items():
        (encoding,) = graph.encode([text])
        words = _words(text, encoding.offsets)
        bits = [0.0] * len(words)
        for window in windows(len(encoding.ids), size, min(_OVERLAP, size // 2)):
            for index, piece_bits in _surprises(graph, files.model, mask, encoding.ids, words, window):
                bits[index] = max(bits[index], piece_bits)
        for word, word_bits in zip(words, bits, strict=True):
            append(found, row_id, word.start, word.end, round(word_bits, 6))
    return found


def _mask(model: str, graph: Encoder) -> int:
    for name in _MASKS:
        mask = graph.tokenizer.token_to_id(name)
        if mask is not None:
            return int(mask)
    raise PiibenchError(f"the tokenizer of model {model!r} has no token {' or '.join(_MASKS)} to hide a word behind")


def _words(text: str, offsets: Sequence[tuple[int, int]]) -> list[_Word]:
    """The words of a text with the tokens that share a character with them; both come from left to right."""
    words = []
    first = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        while first < len(offsets) and offsets[first][1] <= start:
            first += 1
        pieces = []
        for place in range(first, len(offsets)):
            if offsets[place][0] >= end:
                break
            if offsets[place][1] > start:
                pieces.append(place)
        words.append(_Word(start, end, pieces))
    return words


def _surprises(
    graph: Encoder, model: str, mask: int, ids: Sequence[int], words: Sequence[_Word], window: Window
) -> Iterator[tuple[int, float]]:
    """Each word with the bits of each of its pieces that the window answers for."""
    import numpy as np

    begin = len(graph.prefix) - window.start
    # A word that the window cuts is hidden as far as it is there.
    there = {
        index: places
        for index, word in enumerate(words)
        if (places := [place for place in word.pieces if window.start <= place < window.end])
    }
    for step in range(EVERY):
        hidden = list(ids[window.start : window.end])
        pairs = []
        for index, places in there.items():
            if index % EVERY == step:
                for place in places:
                    hidden[place - window.start] = mask
                    if window.keep_start <= place < window.keep_end:
                        pairs.append((index, place))
        if not pairs:
            continue
        true = [ids[place] for _, place in pairs]
        logits = np.asarray(graph.run(graph.arrays([hidden])))
        _check(model, logits, begin + window.end, max(true))
        picked = logits[0, [begin + place for _, place in pairs]].astype(np.float64)
        picked -= picked.max(axis=-1, keepdims=True)
        bits = (np.log(np.exp(picked).sum(axis=-1)) - picked[np.arange(len(true)), true]) / np.log(2)
        if not np.isfinite(bits).all():
            raise PiibenchError(f"the graph of model {model!r} gives logits that are not finite")
        for (index, _), piece_bits in zip(pairs, bits.tolist(), strict=True):
            yield index, piece_bits


def _check(model: str, logits: Any, n_tokens: int, largest: int) -> None:
    shape = logits.shape
    if len(shape) != 3 or shape[0] != 1 or shape[1] < n_tokens or shape[2] <= largest:
        raise PiibenchError(
            f"the graph of model {model!r} gives an array of shape {shape}; "
            "logits of shape (batch, length, vocabulary) were expected, as a masked language model gives"
        )
