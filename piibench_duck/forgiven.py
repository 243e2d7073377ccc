"""Tokens that carry no content, which TAB's metrics forgive to leave readable: by a list of words, or by spaCy."""

import importlib
import importlib.util
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from piibench_duck import warehouse
from piibench_duck.errors import PiibenchError

WORDS = "words"
"""What `fill` takes for no model, and the source of tokens that the list names."""

_LIST = ("mr", "mrs", "ms", "no", "nr", "about")  # TAB's own
_POS = ("ADP", "PART", "CCONJ", "DET")
_LISTED = re.compile(rf"\b(?:{'|'.join(_LIST)})\b", re.IGNORECASE)
_MODELS = {"en": "en_core_web_sm"}
"""By language, the model whose parts of speech are asked for where it is installed."""
# Not needed for parts of speech; the parser is, since some of them are told apart by what it finds.
_NOT_NEEDED = ("ner", "lemmatizer")
_ROWS = """
select rows.row_id, rows.language, rows.text
from contracts.rows as rows
where
    rows.corpus in (
        select judged.corpus
        from contracts.gold_spans as spans
        inner join contracts.rows as judged on spans.row_id = judged.row_id
        where spans.entity_id is not null and spans.identifier_type is not null
    )
    and ($design is null or rows.row_id in (select row_id from contracts.designs where design = $design))
order by rows.row_id
"""


def tokens(text: str) -> list[tuple[int, int]]:
    """Where the words of the list stand, as whole words in any letter case.

    >>> tokens("No. 7 is about Mr Fox, nobody else")
    [(0, 2), (9, 14), (15, 17)]
    """
    # The last condition is for letters like ſ, which only the regular expression takes for an s.
    return [match.span() for match in _LISTED.finditer(text) if match.group().lower() in _LIST]


def fill(con: warehouse.Connection, spacy_model: str | None = None, design: str | None = None) -> list[str]:
    """Fill `contracts.forgiven` for rows of corpora with entities and identifier types; the sources that serve.

    `design` limits it to that design's rows. Texts of the model's language go through it; where none is named, English
    ones through `en_core_web_sm` if that is installed, and `words` asks for none. Every other text goes by the list.
    Nothing is ever downloaded. Raises `PiibenchError` where a named model cannot be loaded or tells no parts of speech.
    """
    texts: dict[str, dict[str, str]] = {}
    for row_id, language, text in con.sql(_ROWS, params={"design": design}).fetchall():
        texts.setdefault(language, {})[row_id] = text
    found: list[tuple[str, int, int, str]] = []
    sources = set()
    models = _models(spacy_model, texts)
    for language, of_language in sorted(texts.items()):
        model = models.get(language)
        source = WORDS if model is None else _name(model)
        sources.add(source)
        by_row = _by_list(of_language) if model is None else _by_model(model, of_language)
        found += [(row_id, start, end, source) for row_id, spans in by_row for start, end in spans]
    names = ("row_id", "start_char", "end_char", "source")
    if found:
        warehouse.fill(con, "forgiven", dict(zip(names, map(list, zip(*found, strict=True)), strict=True)))
    return sorted(sources)


def _models(named: str | None, languages: Mapping[str, object]) -> dict[str, Any]:
    """Loaded models by the language that they serve."""
    if named == WORDS or not languages:
        return {}
    if named is not None:
        model = _load(named)
        return {model.lang: model}
    # Looked for before spaCy is imported, which takes seconds.
    wanted = {language: name for language, name in _MODELS.items() if language in languages}
    there = importlib.util.find_spec("spacy") is not None
    return {language: _load(name) for language, name in wanted.items() if there and importlib.util.find_spec(name)}


def _load(name: str) -> Any:
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        raise PiibenchError(
            f"spaCy model {name!r} was asked for, but spaCy is not installed; the extra 'spacy' brings it"
        ) from None
    try:
        with warnings.catch_warnings():  # a model of another minor version loads with a warning
            warnings.simplefilter("ignore")
            model = spacy.load(name, exclude=_NOT_NEEDED)
    except Exception as error:  # spaCy lets whatever it meets in a folder through
        raise PiibenchError(
            f"spaCy model {name!r} cannot be loaded ({type(error).__name__}); an installed one or a folder was expected"
        ) from None
    model.max_length = 2**62  # a long document costs memory, but is no error
    return model


def _name(model: Any) -> str:
    """The model and its versions; never where it lies."""
    library = importlib.import_module("spacy").__version__
    return f"{model.meta['lang']}_{model.meta['name']} {model.meta['version']} of spaCy {library}"


def _by_list(texts: Mapping[str, str]) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    return ((row_id, tokens(text)) for row_id, text in texts.items())


def _by_model(model: Any, texts: Mapping[str, str]) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    n_tokens = n_tagged = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row_id, document in zip(texts, model.pipe(texts.values()), strict=True):
            n_tokens += len(document)
            n_tagged += sum(token.pos_ != "" for token in document)
            yield (
                row_id,
                [
                    (token.idx, token.idx + len(token))
                    for token in document
                    if token.pos_ in _POS or token.lower_ in _LIST
                ],
            )
    if n_tokens and not n_tagged:
        raise PiibenchError(f"spaCy model {_name(model)!r} tells no parts of speech; one that does was expected")
