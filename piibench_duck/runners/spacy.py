"""The entities of a spaCy pipeline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piibench_duck.runners import Answer, Description, Detector, Span, Text, _spacy_pipelines
from piibench_duck.runners._extras import need
from piibench_duck.runners._options import asked, integer, only

OPTIONS = ("batch", "labels", "namespace")

terms = _spacy_pipelines.terms


@dataclass(frozen=True)
class SpacyDetector:
    """Answers with what a pipeline leaves in `doc.ents`; of a text that is too long for it, it sees the beginning."""

    description: Description
    nlp: Any
    labels: frozenset[str]
    batch: int

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        longest = self.nlp.max_length
        docs = self.nlp.pipe((text.text[:longest] for text in texts), batch_size=self.batch)
        return [
            Answer(
                tuple(
                    Span(entity.start_char, entity.end_char, entity.label_)
                    for entity in doc.ents
                    if entity.label_ in self.labels
                ),
                min(len(text.text), longest),
                "truncated" if len(text.text) > longest else "ok",
            )
            for text, doc in zip(texts, docs, strict=True)
        ]


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is a pipeline's folder or `package:<distribution>`; the revision is the package's version.

    Options: `labels` to keep (all that the pipeline knows), `batch` texts (32), `namespace` of its labels (`spacy`).
    """
    only("spacy", options, OPTIONS)
    batch = integer("spacy", options, "batch", 32, 1, 4096)
    library = need("spacy", "spacy", "spacy")
    found = _spacy_pipelines.find("spacy", model, revision)
    nlp = _spacy_pipelines.open_pipeline("spacy", found)
    _spacy_pipelines.leave_entities_alone(nlp)
    labels = asked("spacy", options, _spacy_pipelines.entity_labels(nlp))
    settings = {
        "aggregation": "none",
        "batch": str(batch),
        "components": ",".join(nlp.pipe_names),
        "labels_asked": ",".join(labels),
        "pipeline": f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}",
    }
    libraries = {"spacy": library.__version__, "device": "cpu"}
    namespace = options.get("namespace") or "spacy"
    described = Description("model", "spacy", found.model, found.revision, found.sha256, namespace, settings, libraries)
    return SpacyDetector(described, nlp, frozenset(labels), batch)
