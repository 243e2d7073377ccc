"""Tokens that are forgiven: the list of words always, parts of speech where spaCy is installed."""

import importlib.util
from pathlib import Path

import pytest

from piibench_duck import forgiven, warehouse
from piibench_duck.errors import PiibenchError
from tests.tables import Gold, Row, connect

needs_spacy = pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")
without_spacy = pytest.mark.skipif(importlib.util.find_spec("spacy") is not None, reason="spaCy is installed")
JUDGED = (Gold(0, 1, entity_id="e1", identifier_type="DIRECT"),)
TEXT = "The Fox of Mr. Bo and no"


def filled(con: warehouse.Connection) -> list[tuple[str, int, int, str]]:
    return con.sql("select row_id, start_char, end_char, source from contracts.forgiven order by all").fetchall()


def surfaces(text: str) -> list[str]:
    return [text[start:end] for start, end in forgiven.tokens(text)]


def test_words_of_the_list_are_found_whole_and_in_any_letter_case() -> None:
    text = "MR mr Mrs. Ms, No. 5 nr_ (nr) about; abouts norm Mr's mrſ no٣ no"
    assert surfaces(text) == ["MR", "mr", "Mrs", "Ms", "No", "nr", "about", "Mr", "no"]
    assert forgiven.tokens("") == []
    assert forgiven.tokens("😀 no") == [(2, 4)]


def test_only_corpora_with_entities_and_identifier_types_are_filled() -> None:
    rows = [
        Row("a1", TEXT, JUDGED, corpus="judged"),
        Row("a2", "about", corpus="judged", language="de"),
        Row("b", TEXT, (Gold(0, 1, entity_id="e1"),), corpus="entities"),
        Row("c", TEXT, (Gold(0, 1, identifier_type="DIRECT"),), corpus="kinds"),
        Row("d", TEXT, corpus="none"),
    ]
    con = connect(rows, [])
    assert forgiven.fill(con, forgiven.WORDS) == ["words"]
    assert filled(con) == [("a1", 11, 13, "words"), ("a1", 22, 24, "words"), ("a2", 0, 5, "words")]


def test_a_design_limits_what_is_filled() -> None:
    rows = [Row("a1", "no", JUDGED), Row("a2", "no", JUDGED, in_documents=False)]
    con = connect(rows, [], documents_design="whole")
    forgiven.fill(con, forgiven.WORDS, "whole")
    assert filled(con) == [("a1", 0, 2, "words")]


@pytest.mark.parametrize("rows", [[], [Row("a", "")], [Row("a", "x", JUDGED)]])
def test_nothing_to_forgive_is_no_error(rows: list[Row]) -> None:
    con = connect(rows, [])
    assert forgiven.fill(con, forgiven.WORDS) == (["words"] if rows and rows[0].gold else [])
    assert filled(con) == []


@without_spacy
def test_without_spacy_the_list_serves_and_a_named_model_is_refused() -> None:
    con = connect([Row("a", TEXT, JUDGED)], [])
    assert forgiven.fill(con) == ["words"]
    with pytest.raises(PiibenchError, match="spaCy is not installed"):
        forgiven.fill(con, "en_core_web_sm")


def tiny_model(folder: Path, parts: dict[str, str]) -> str:
    """A pipeline that knows the parts of speech of a few words."""
    import spacy

    model = spacy.blank("en")
    ruler = model.add_pipe("attribute_ruler")
    for word, part in parts.items():
        ruler.add([[{"LOWER": word}]], {"POS": part})
    model.meta.update(name="tiny", version="1.2.3")
    model.to_disk(folder / "model")
    return str(folder / "model")


@needs_spacy
def test_a_model_says_which_tokens_have_no_content(tmp_path: Path) -> None:
    import spacy

    name = tiny_model(tmp_path, {"the": "DET", "of": "ADP", "fox": "NOUN", "and": "CCONJ"})
    con = connect([Row("a", TEXT, JUDGED), Row("b", TEXT, JUDGED, language="de")], [])
    source = f"en_tiny 1.2.3 of spaCy {spacy.__version__}"
    assert forgiven.fill(con, name) == [source, "words"]
    # `Mr.` is one token of spaCy and not in the list, as in TAB's own script.
    of_model = [("a", start, end, source) for start, end in ((0, 3), (8, 10), (18, 21), (22, 24))]
    assert filled(con) == [*of_model, ("b", 11, 13, "words"), ("b", 22, 24, "words")]


@needs_spacy
def test_a_model_that_tells_no_parts_of_speech_is_refused(tmp_path: Path) -> None:
    con = connect([Row("a", TEXT, JUDGED)], [])
    with pytest.raises(PiibenchError, match="tells no parts of speech") as caught:
        forgiven.fill(con, tiny_model(tmp_path, {}))
    assert "Fox" not in str(caught.value)
    assert filled(con) == []


@needs_spacy
@pytest.mark.parametrize("name", ["no_such_model", "."])
def test_a_model_that_cannot_be_loaded_is_refused(name: str) -> None:
    with pytest.raises(PiibenchError, match=r"spaCy model '.*' cannot be loaded"):
        forgiven.fill(connect([Row("a", TEXT, JUDGED)], []), name)
