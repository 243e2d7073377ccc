"""Token classifiers as PyTorch models of the transformers library, on the processor."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Detector, _model_files, _token_classifier
from piibench_duck.runners._encoders import Encoder, cores, longest, read, read_config, read_tokenizer
from piibench_duck.runners._extras import need
from piibench_duck.runners._model_files import SAFETENSORS, Files
from piibench_duck.runners._options import integer, only

OPTIONS = _token_classifier.OPTIONS
terms = _token_classifier.terms


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is a folder, `package:<distribution>` or a hub id with a full commit as `revision`.

    Options and answers are those of the runner `onnx`, but that `aggregation` is `simple` where nothing is said. Code
    that comes with a model is never run, and neither are pickles.
    """
    only("transformers", options, OPTIONS)
    torch, library = (need("transformers", name, "transformers") for name in ("torch", "transformers"))
    threads = integer("transformers", options, "threads", 0, 0, 1024)
    unpinned = options.get("unpinned") == "yes"
    files = _model_files.find(model, revision, None, unpinned, runner="transformers", form=SAFETENSORS)
    config = read_config(files)
    encoder = _open(torch, library, files, config, threads)
    return _token_classifier.classifier(
        "transformers", files, config, encoder, options, {"precision": "fp32"}, "simple"
    )


def _open(torch: Any, transformers: Any, files: Files, config: Mapping[str, Any], threads: int) -> Encoder:
    import tokenizers

    reading = read_tokenizer(files)
    found = read(files, files.weights, lambda path: _model(transformers, files.model, path.parent))

    def run(arrays: dict[str, Any]) -> Any:
        torch.set_num_threads(1)  # each caller is a thread by itself; more in one would move the last digits
        with torch.inference_mode():
            return found(**{name: torch.from_numpy(array) for name, array in arrays.items()}).logits.numpy()

    n_threads = cores(threads)
    return Encoder(
        run=run,
        inputs={"input_ids": "int64", "attention_mask": "int64"},  # those of segments are zeros by default
        output_shape=(None, None, found.config.num_labels),
        tokenizer=reading.tokenizer,
        prefix=reading.prefix,
        suffix=reading.suffix,
        pad=config.get("pad_token_id") or 0,
        length=None,
        longest=longest(config),
        takes_batches=True,
        callers=n_threads,
        libraries={
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "tokenizers": tokenizers.__version__,
            "provider": "torch",
            "device": "cpu",
            "accelerators_unused": _accelerator(torch) or "none",
            "threads": str(n_threads),
        },
    )


def _model(transformers: Any, name: str, folder: Path) -> Any:
    """The model in float32; raises `PiibenchError` where the weights lack a part of it, which would be made up."""
    logging = transformers.utils.logging
    verbosity, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        found, about = transformers.AutoModelForTokenClassification.from_pretrained(
            str(folder),
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    finally:
        logging.set_verbosity(verbosity)
        if had_bars:
            logging.enable_progress_bar()
    lacking = sorted(map(str, [*about["missing_keys"], *about["mismatched_keys"]]))
    if lacking:
        raise PiibenchError(
            f"the weights of model {name!r} lack {lacking[0]}; expected those of a whole token classifier"
        )
    return found.float().eval()


def _accelerator(torch: Any) -> str | None:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None
