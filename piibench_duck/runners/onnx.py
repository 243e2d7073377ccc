"""Token classifiers as ONNX graphs, run with onnxruntime and tokenizers alone."""

from collections.abc import Mapping

from piibench_duck.runners import Detector, _model_files, _token_classifier
from piibench_duck.runners._options import integer, only

OPTIONS = (*_token_classifier.OPTIONS, "file", "intra_threads", "provider")
terms = _token_classifier.terms


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is a folder, `package:<distribution>` or a hub id with a full commit as `revision`.

    Options: `aggregation` (first), `threshold` a word's or token's confidence must reach (0), `labels` of entities to
    keep (all), `window` and `stride` (shared by neighbouring windows) in tokens (as long as the model takes; 128),
    `batch` windows at most (32), `threads` (0 for all cores), `intra_threads` for one batch (1), `provider` (cpu),
    `file` the graph, `namespace` of its labels.
    """
    from piibench_duck.runners._encoders import read_config
    from piibench_duck.runners._graphs import open_graph, provider_named

    only("onnx", options, OPTIONS)
    threads = integer("onnx", options, "threads", 0, 0, 1024)
    intra_threads = integer("onnx", options, "intra_threads", 1, 1, 1024)
    provider = provider_named("onnx", options.get("provider"))
    files = _model_files.find(model, revision, options.get("file"), options.get("unpinned") == "yes")
    config = read_config(files)
    graph = open_graph(files, config, threads, provider, intra_threads)
    settings = {
        "intra_threads": str(intra_threads),
        "precision": _model_files.precision(files.weights_name),
    }
    return _token_classifier.classifier("onnx", files, config, graph, options, settings, "first")
