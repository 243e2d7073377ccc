"""Presidio's analyzer with the recognizers that it comes with, around a spaCy pipeline that is named or around none."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Description, Detector, Span, Text, _spacy_pipelines
from piibench_duck.runners._extras import need
from piibench_duck.runners._model_files import PACKAGE
from piibench_duck.runners._options import asked, fraction, integer, no_model, only

OPTIONS = ("batch", "engine", "labels", "language", "namespace", "threshold")
_SPACY = "spacy:"
_NAME = "presidio-analyzer"
_LICENCE = "MIT"


class _Log(logging.Filter):
    """Lets nothing of Presidio's log through, which may quote a text; keeps whether a pattern was given up."""

    def __init__(self) -> None:
        super().__init__()
        self.gave_up = False

    def filter(self, record: logging.LogRecord) -> bool:
        self.gave_up = self.gave_up or "timed out" in str(record.msg)
        return False


_LOG = _Log()  # one for all detectors: of several filters of a logger only the first hears what it refuses


@dataclass(frozen=True)
class PresidioDetector:
    """Answers with all results of the analyzer, those that overlap too.

    A text of which one of its patterns took too long is an error: the analyzer goes on without that pattern.
    """

    description: Description
    analyzer: Any
    language: str
    labels: Sequence[str]
    threshold: float
    batch: int
    longest: int | None  # code points that the pipeline takes

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        read = [text.text[: self.longest] for text in texts]
        engine = self.analyzer.nlp_engine
        artifacts = engine.process_batch(read, language=self.language, batch_size=self.batch)
        return [self._answer(text, artifact) for text, (_, artifact) in zip(texts, artifacts, strict=True)]

    def _answer(self, text: Text, artifacts: Any) -> Answer:
        read = text.text[: self.longest]
        _LOG.gave_up = False
        results = self.analyzer.analyze(
            read,
            self.language,
            entities=list(self.labels),
            score_threshold=self.threshold,
            nlp_artifacts=artifacts,
        )
        if _LOG.gave_up:
            return Answer((), 0, "error")
        return Answer(tuple(_spans(results)), len(read), "ok" if len(read) == len(text.text) else "truncated")


def terms(model: str | None) -> tuple[str | None, str | None]:
    """The licence of Presidio and of the pipeline in it, where that is known."""
    pipeline = (model or "").partition("+")[2]
    licence = _spacy_pipelines.terms(pipeline)[0] if pipeline else _LICENCE
    return licence and (_LICENCE if licence == _LICENCE else f"{_LICENCE} AND {licence}"), None


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """Takes no model: the pipeline is part of `engine`, which has to be given, as nothing is ever downloaded.

    Options: `engine`, `spacy:<distribution or folder of a pipeline>` or `none`; `language` (the pipeline's own, or en);
    `labels`, Presidio's names of entities (all that its own configuration looks for, to which ORGANIZATION does not
    belong); `threshold` of the score (0); `batch` texts (32); `namespace` of its labels (`presidio`).
    """
    only("presidio", options, OPTIONS)
    no_model("presidio", model, revision)
    batch = integer("presidio", options, "batch", 32, 1, 4096)
    threshold = fraction("presidio", options, "threshold", 0.0)
    pipeline = _pipeline(options.get("engine"))
    library = need("presidio", "presidio_analyzer", "presidio")
    _keep_to_itself()

    nlp = _spacy_pipelines.open_pipeline("presidio", pipeline) if pipeline else None
    language = options.get("language") or (nlp.meta["lang"] if nlp else "en")
    engine = _engine(nlp, language, _labels_of(options))
    analyzer = library.AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
    labels = asked("presidio", options, sorted(analyzer.get_supported_entities(language)))
    settings = {
        "aggregation": "none",
        "batch": str(batch),
        "engine": f"{_SPACY}{pipeline.model}" if pipeline else "none",
        "labels_asked": ",".join(labels),
        "language": language,
        "recognizers": ",".join(sorted({one.name for one in analyzer.get_recognizers(language)})),
        "threshold": str(threshold),
    }
    libraries = _libraries()
    described = Description(
        "pipeline" if pipeline else "rules",
        "presidio",
        # Both together, so that a pipeline in Presidio and the same one by itself are two things.
        f"{_NAME}+{pipeline.model}" if pipeline else _NAME,
        "+".join(filter(None, (libraries[_NAME], pipeline.revision if pipeline else None))),
        pipeline.sha256 if pipeline else None,
        options.get("namespace") or "presidio",
        settings,
        libraries,
    )
    longest = nlp.max_length if nlp else None
    return PresidioDetector(described, analyzer, language, labels, threshold, batch, longest)


def _labels_of(options: Mapping[str, str]) -> set[str]:
    return {label.strip() for label in options.get("labels", "").split(",")}


def _pipeline(engine: str | None) -> _spacy_pipelines.Pipeline | None:
    if engine == "none":
        return None
    name = (engine or "").removeprefix(_SPACY)
    if engine is None or not engine.startswith(_SPACY) or not name:
        raise PiibenchError(
            f"option 'engine' of runner 'presidio' is {engine!r}; expected spacy:<an installed pipeline's package or "
            "a pipeline's folder>, or none for the rules alone: Presidio itself would download a pipeline"
        )
    model = name if name.startswith(PACKAGE) or Path(name).is_dir() else PACKAGE + name
    return _spacy_pipelines.find("presidio", model, None)


def _engine(nlp: Any, language: str, wanted: Iterable[str]) -> Any:
    """The engine as Presidio's own configuration has it, but for the pipeline and for labels that are asked for."""
    library = need("presidio", "presidio_analyzer.nlp_engine", "presidio")
    models = [{"lang_code": language, "model_name": "none"}]
    if nlp is None:
        engine = library.NoOpNlpEngine(models)
        engine.load()
        return engine
    entities = dict(library.NlpEngineProvider().nlp_configuration["ner_model_configuration"])
    entities["labels_to_ignore"] = [label for label in entities["labels_to_ignore"] if label not in wanted]
    engine = library.SpacyNlpEngine(models, library.NerModelConfiguration.from_dict(entities))
    engine.nlp = {language: nlp}  # it would load by name, and download a name that it does not find
    return engine


def _keep_to_itself() -> None:
    """Keeps Presidio off the network, and what it logs to this process."""
    domains: Any = need("presidio", "tldextract.tldextract", "presidio")
    logging.getLogger(_NAME).addFilter(_LOG)
    # It checks addresses of mail against a list of domains that this library would fetch: the list that it comes with
    # serves, and is the same for everyone.
    domains.TLD_EXTRACTOR = domains.TLDExtract(suffix_list_urls=(), cache_dir=None)


def _spans(results: Iterable[Any]) -> list[Span]:
    """Presidio's results in order of place: it gives them in one that changes from run to run."""
    return sorted(Span(one.start, one.end, one.entity_type, float(one.score)) for one in results)


def _libraries() -> dict[str, str]:
    import importlib.metadata

    names = ("phonenumbers", _NAME, "spacy", "tldextract")
    return {**{name: importlib.metadata.version(name) for name in names}, "device": "cpu"}
