"""Encoders as ONNX graphs, whatever their outputs mean."""

from collections.abc import Mapping
from typing import Any

from piibench_duck.errors import PiibenchError
from piibench_duck.runners._encoders import Encoder, cores, longest, read, read_tokenizer
from piibench_duck.runners._model_files import Files

CPU = "CPUExecutionProvider"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_NO_DEVICE = (CPU, "AzureExecutionProvider")  # the latter sends what a graph marks so to a service


def provider_named(runner: str, name: str | None) -> str:
    """The provider of onnxruntime that `name` means (`cuda` for CUDAExecutionProvider), the processor by default."""
    import onnxruntime  # type: ignore[import-untyped]  # ships no types

    there = onnxruntime.get_available_providers()
    for provider in there:
        if (name or CPU).lower() in (provider.lower(), _short(provider)):
            return str(provider)
    raise PiibenchError(
        f"option 'provider' of runner {runner!r} is {name!r}; this onnxruntime has {', '.join(sorted(there))}"
    )


def open_graph(
    files: Files, config: Mapping[str, Any], threads: int, provider: str = CPU, intra_threads: int = 1
) -> Encoder:
    """The graph and tokenizer of a model, on so many threads (0 for all). Raises `PiibenchError` where one is unfit.

    A graph runs each batch on `intra_threads` and takes as many batches at once as there are threads for.
    """
    import onnxruntime

    reading = read_tokenizer(files)
    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = intra_threads
    session_options.use_deterministic_compute = True
    session_options.log_severity_level = 3
    # Threads that wait by spinning halve the speed where something else wants the processor, and gain nothing here.
    session_options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = list(dict.fromkeys((provider, CPU)))
    session = read(
        files, files.weights, lambda path: onnxruntime.InferenceSession(str(path), session_options, providers)
    )
    used = session.get_providers()
    if provider not in used:
        raise PiibenchError(f"the graph of model {files.model!r} cannot run on {provider}; onnxruntime took {used[0]}")
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
    n_threads = max(cores(threads), intra_threads)
    unused = [one for one in onnxruntime.get_available_providers() if one not in (provider, *_NO_DEVICE)]
    return Encoder(
        run=lambda arrays: session.run([output], arrays)[0],
        inputs={name: node.type.removeprefix("tensor(").rstrip(")") for name, node in inputs.items()},
        output_shape=outputs[output].shape,
        tokenizer=reading.tokenizer,
        prefix=reading.prefix,
        suffix=reading.suffix,
        pad=config.get("pad_token_id") or 0,
        length=fixed,
        longest=fixed or longest(config),
        takes_batches=not isinstance(rows, int),
        callers=n_threads // intra_threads if provider == CPU else 1,
        libraries={
            "onnxruntime": onnxruntime.__version__,
            "tokenizers": _version("tokenizers"),
            "provider": provider,
            "device": "cpu" if provider in _NO_DEVICE else _short(provider),
            "accelerators_unused": ", ".join(unused) or "none",
            "threads": str(n_threads),
        },
    )


def _short(provider: str) -> str:
    return provider.lower().removesuffix("executionprovider")


def _version(distribution: str) -> str:
    import importlib.metadata

    return importlib.metadata.version(distribution)
