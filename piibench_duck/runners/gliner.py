"""GLiNER, which marks what it is asked for in words; long texts in windows of our own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Description, Detector, Span, Text, _gliner_files
from piibench_duck.runners._extras import need
from piibench_duck.runners._options import asked, fraction, integer, only
from piibench_duck.runners._word_windows import Found, cut, merged

OPTIONS = (
    "backbone_revision",
    "batch",
    "labels",
    "labels_encoder_revision",
    "namespace",
    "spans",
    "stride",
    "threads",
    "threshold",
    "unpinned",
    "window",
)
_PRECISIONS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
_UNLIMITED = 10**6  # tokens; a tokenizer without a limit says some huge number

Words = list[tuple[int, int]]


@dataclass(frozen=True)
class GlinerDetector:
    """Cuts texts into windows of words, has each window marked, and puts the answers together again.

    A word of more tokens than the model takes makes the text `truncated`; its characters count as not seen.
    """

    description: Description
    split: Callable[[str], Words]
    costs: Callable[[Sequence[str]], list[int]]
    """The tokens of each word."""
    predict: Callable[[list[str]], list[list[Span]]]
    """What is in each piece of a text, at offsets of the piece."""
    window: int  # words
    stride: int  # words that neighbouring windows share
    budget: int | None  # tokens that the words of a window may have
    is_flat: bool

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        words = [self.split(text.text) for text in texts]
        costs = [
            self.costs([text.text[start:end] for start, end in spans]) for text, spans in zip(texts, words, strict=True)
        ]
        windows = [
            [(spans[start][0], spans[end - 1][1]) for start, end in cut(paid, self.window, self.budget, self.stride)]
            for spans, paid in zip(words, costs, strict=True)
        ]
        # Pieces of like length share a batch, to pad little.
        jobs = sorted(
            ((text, window) for text, cuts in enumerate(windows) for window in range(len(cuts))),
            key=lambda job: (windows[job[0]][job[1]][1] - windows[job[0]][job[1]][0], job),
        )
        answers = self.predict([texts[text].text[slice(*windows[text][window])] for text, window in jobs])
        found: list[list[Found]] = [[] for _ in texts]
        for (text, window), spans in zip(jobs, answers, strict=True):
            begin = windows[text][window][0]
            found[text] += [
                Found(span._replace(start=span.start + begin, end=span.end + begin), window) for span in spans
            ]
        return [
            self._answer(text.text, spans, paid, merged(seen, cuts, self.is_flat))
            for text, spans, paid, seen, cuts in zip(texts, words, costs, found, windows, strict=True)
        ]

    def _answer(self, text: str, words: Words, costs: Sequence[int], spans: Sequence[Span]) -> Answer:
        unseen = sum(
            end - start
            for (start, end), cost in zip(words, costs, strict=True)
            if self.budget is not None and cost > self.budget
        )
        return Answer(tuple(spans), len(text) - unseen, "truncated" if unseen else "ok")


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is a folder or a hub id with a full commit as `revision`.

    Options: `labels`, which have to be given; `threshold` of the score (0.5); `spans`, flat (default) or nested;
    `window` in words (as many as the model takes) and `stride`, the words that neighbouring windows share; `batch`
    windows (8); `threads` (0 for all); `namespace` of the labels (`gliner`); for models that leave their config or
    tokenizer to another model of the hub, its commit as `backbone_revision` or `labels_encoder_revision`.
    """
    only("gliner", options, OPTIONS)
    labels = asked("gliner", options)
    threshold = fraction("gliner", options, "threshold", 0.5)
    batch = integer("gliner", options, "batch", 8, 1, 4096)
    threads = integer("gliner", options, "threads", 0, 0, 1024)
    form = options.get("spans", "flat")
    if form not in ("flat", "nested"):
        raise PiibenchError(f"option 'spans' of runner 'gliner' is {form!r}; expected flat or nested")
    torch, library = need("gliner", "torch", "gliner"), need("gliner", "gliner", "gliner")
    files = _gliner_files.find(model, revision, options.get("unpinned") == "yes")
    revisions = {key: options[option] for key, option in _gliner_files.BACKBONES.items() if option in options}
    if threads:
        torch.set_num_threads(threads)
    loaded = _loaded(library, files, revisions)

    longest = int(loaded.config.max_len)
    window = integer("gliner", options, "window", longest, 1, longest)
    widest = int(loaded.config.max_width)
    stride = integer("gliner", options, "stride", min(max(24, 2 * widest), window // 2), 0, window - 1)
    budget = _budget(loaded, files.model, labels)
    weights = next(loaded.model.parameters())
    precision = str(weights.dtype).removeprefix("torch.")
    settings = {
        "aggregation": "none",
        "batch": str(batch),
        "config_sha256": _gliner_files.sha256(files.folder / _gliner_files.CONFIG),
        "labels_asked": ",".join(labels),
        "precision": _PRECISIONS.get(precision, precision),
        "spans": form,
        "stride": str(stride),
        "threshold": str(threshold),
        "window": str(window),
        "window_tokens": "any" if budget is None else str(budget),
        **{option: options[option] for option in _gliner_files.BACKBONES.values() if option in options},
    }
    libraries = _libraries() | {"device": str(weights.device), "threads": str(torch.get_num_threads())}
    described = Description(
        "model",
        "gliner",
        files.model,
        files.revision,
        _gliner_files.sha256(files.weights),
        options.get("namespace") or "gliner",
        settings,
        libraries,
        is_pinned=files.revision in (None, revision),
    )
    splitter, tokenizer = loaded.data_processor.words_splitter, loaded.data_processor.transformer_tokenizer

    def split(text: str) -> Words:
        return [(start, end) for _, start, end in splitter(text)]

    def predict(pieces: list[str]) -> list[list[Span]]:
        if not pieces:
            return []
        answers = loaded.inference(
            pieces, labels, flat_ner=form == "flat", threshold=threshold, multi_label=False, batch_size=batch
        )
        return [
            [Span(one["start"], one["end"], one["label"], float(one["score"])) for one in spans] for spans in answers
        ]

    return GlinerDetector(
        described, split, lambda words: _costs(tokenizer, words), predict, window, stride, budget, form == "flat"
    )


def _loaded(library: Any, files: _gliner_files.Files, revisions: Mapping[str, str]) -> Any:
    with _gliner_files.whole(files, revisions) as folder:
        try:
            return library.GLiNER.from_pretrained(str(folder), local_files_only=True, map_location="cpu")
        except PiibenchError:
            raise
        except Exception as error:  # of GLiNER, transformers or torch
            raise PiibenchError(
                f"GLiNER {library.__version__} cannot load model {files.model!r} ({type(error).__name__})"
            ) from error


def _budget(loaded: Any, model: str, labels: Sequence[str]) -> int | None:
    """How many tokens the words of a window may have beside the labels and special tokens; None without a limit."""
    tokenizer = loaded.data_processor.transformer_tokenizer
    limits = [int(tokenizer.model_max_length), *_positions(loaded.model.token_rep_layer)]
    if min(limits) >= _UNLIMITED:
        return None
    tokenizer.model_max_length = _UNLIMITED  # where it cuts, what the labels take could not be seen
    batch = loaded.collate_batch([{"tokenized_text": ["x"], "ner": None}], list(labels))
    tokenizer.model_max_length = limits[0]
    room = min(limits) - int(batch["input_ids"].shape[1]) + _costs(tokenizer, ["x"])[0]
    if room < 1:
        raise PiibenchError(
            f"option 'labels' of runner 'gliner' asks for {len(labels)} labels, which leave no room for text in the "
            f"{min(limits)} tokens of model {model!r}"
        )
    return room


def _positions(encoder: Any) -> Iterable[int]:
    """The tokens that there are positions for, of an encoder that has learnt each."""
    for name, module in encoder.named_modules():
        if name.rpartition(".")[2] == "position_embeddings" and hasattr(module, "num_embeddings"):
            # Roberta and its like begin behind the padding id.
            yield module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)


def _costs(tokenizer: Any, words: Sequence[str]) -> list[int]:
    counts = [0] * len(words)
    if words:
        encoded = tokenizer(
            list(words), is_split_into_words=True, add_special_tokens=False, truncation=False, verbose=False
        )
        for word in encoded.word_ids():
            counts[word] += 1
    return counts


def _libraries() -> dict[str, str]:
    import importlib.metadata

    return {name: importlib.metadata.version(name) for name in ("gliner", "tokenizers", "torch", "transformers")}
