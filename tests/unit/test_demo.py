"""The demo corpus: its format, its marks, its sentences, and that its generator makes the same bytes again."""

import importlib.util
import ipaddress
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DEMO = Path(__file__).parents[2] / "data" / "demo"
LANGUAGES = ["de", "en", "es", "he", "ru"]
SCORED = {"PERSON", "ORGANIZATION", "LOCATION", "ADDRESS", "DATE_TIME"}
FIXED_FORMAT = {
    "EMAIL",
    "PHONE",
    "IBAN",
    "PAYMENT_CARD",
    "NATIONAL_ID",
    "PASSPORT",
    "URL",
    "IP_ADDRESS",
    "RECORD_NUMBER",
}

each_language = pytest.mark.parametrize("language", LANGUAGES)


def documents(language: str) -> list[dict[str, Any]]:
    lines = (DEMO / f"demo-{language}.jsonl").read_bytes().decode().split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines]


def surfaces(language: str, label: str) -> Iterator[str]:
    for document in documents(language):
        for span in document["spans"]:
            if span["label"] == label:
                yield document["text"][span["start"] : span["end"]]


def scripts(language: str) -> list[list[str]]:
    """The frames of each document, read as README.md describes them."""
    blocks = re.split(r"(?m)^\[[^]\n]*\]\n", (DEMO / "frames" / f"{language}.txt").read_text(encoding="utf-8"))
    return [block.splitlines() for block in blocks[1:]]


def installed_faker() -> str | None:
    try:
        return metadata.version("faker")
    except metadata.PackageNotFoundError:
        return None


@pytest.fixture(scope="module")
def make_demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo", DEMO / "make_demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_demo"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@each_language
def test_every_line_keeps_to_the_format(language: str) -> None:
    for number, document in enumerate(documents(language), start=1):
        assert list(document) == ["doc_id", "text", "spans", "slices"]
        assert document["doc_id"] == f"{language}-{number:03d}"
        assert document["text"] == document["text"].strip()
        assert list(document["slices"]) == ["domain"]
        for span in document["spans"]:
            assert list(span) == ["start", "end", "label"]
            assert span["label"] in SCORED | FIXED_FORMAT


@each_language
def test_every_span_is_some_text_without_space_around_it_and_touches_no_other(language: str) -> None:
    for document in documents(language):
        covered: set[int] = set()
        for span in document["spans"]:
            surface = document["text"][span["start"] : span["end"]]
            assert len(surface) == span["end"] - span["start"] > 0
            assert surface == surface.strip()
            assert "\n" not in surface
            assert covered.isdisjoint(range(span["start"], span["end"])), document["doc_id"]
            covered.update(range(span["start"], span["end"]))


@each_language
def test_all_labels_occur(language: str) -> None:
    assert {span["label"] for document in documents(language) for span in document["spans"]} == SCORED | FIXED_FORMAT


@each_language
def test_long_and_short_documents_are_many_enough(language: str) -> None:
    lengths = [len(document["text"]) for document in documents(language)]
    assert 25 <= len(lengths) <= 30
    assert sum(600 <= length <= 1500 for length in lengths) >= 8
    assert max(lengths) <= 1500


@each_language
def test_a_natural_share_of_the_documents_has_no_personal_data(language: str) -> None:
    bare = [not document["spans"] for document in documents(language)]
    assert 0.1 <= sum(bare) / len(bare) <= 0.25


@each_language
def test_a_name_is_marked_wherever_it_stands(language: str) -> None:
    for document in documents(language):
        text, spans = document["text"], document["spans"]
        marked = {at for span in spans for at in range(span["start"], span["end"])}
        for name in {text[span["start"] : span["end"]] for span in spans if span["label"] == "PERSON"}:
            at = text.find(name)
            while at >= 0:
                end = at + len(name)
                is_part_of_a_word = text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()
                assert is_part_of_a_word or marked.issuperset(range(at, end)), (document["doc_id"], at)
                at = text.find(name, at + 1)


@each_language
def test_sentences_are_many_and_seldom_repeated(language: str) -> None:
    uses = Counter(frame.lstrip("¶") for script in scripts(language) for frame in script)
    assert len(uses) >= 60
    assert max(uses.values()) <= 3


@each_language
def test_every_document_is_its_frames_with_values_in_the_slots(language: str) -> None:
    for document, script in zip(documents(language), scripts(language), strict=True):
        values = iter(document["spans"])
        text = ""
        for frame in script:
            body = frame.lstrip("¶")
            text += "\n" * (len(frame) - len(body)) or (" " if text else "")
            for plain, label, written in re.findall(r"([^{]+)|\{([A-Z_]+)(?: = ([^}]+))?[^}]*\}", body):
                if label:
                    span = next(values)
                    assert (span["label"], span["start"]) == (label, len(text)), document["doc_id"]
                    text += written or document["text"][span["start"] : span["end"]]
                text += plain
        assert text == document["text"]
        assert next(values, None) is None


@each_language
def test_nothing_in_it_can_be_reached(language: str) -> None:
    kept = [ipaddress.ip_network(block) for block in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")]
    assert all(re.fullmatch(r"[a-z.-]+@example\.(com|net|org)", surface) for surface in surfaces(language, "EMAIL"))
    assert all(
        re.fullmatch(r"https://([a-z]+\.)?example\.(com|net|org)(/\S*)?", surface)
        for surface in surfaces(language, "URL")
    )
    for surface in surfaces(language, "IP_ADDRESS"):
        assert any(ipaddress.ip_address(surface) in block for block in kept)


@each_language
def test_check_digits_of_cards_and_ibans_are_right(language: str) -> None:
    for surface in surfaces(language, "PAYMENT_CARD"):
        digits = [int(digit) for digit in re.sub(r"\D", "", surface)]
        assert len(digits) == 16
        assert sum(sum(divmod(digit * 2, 10)) for digit in digits[-2::-2]) % 10 == -sum(digits[-1::-2]) % 10
    for surface in surfaces(language, "IBAN"):
        bare = surface.replace(" ", "")
        assert int("".join(str(int(letter, 36)) for letter in bare[4:] + bare[:4])) % 97 == 1


def test_the_generator_makes_the_committed_bytes_whatever_the_hash_seed(tmp_path: Path, make_demo: ModuleType) -> None:
    wanted, found = make_demo.FAKER_VERSION, installed_faker()
    if found != wanted:
        pytest.skip(f"the demo corpus was made with Faker {wanted}, and here is {found or 'none'}")
    command = [sys.executable, str(DEMO / "make_demo.py"), str(tmp_path)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    for language in LANGUAGES:
        name = f"demo-{language}.jsonl"
        assert (tmp_path / name).read_bytes() == (DEMO / name).read_bytes(), name


def test_the_generator_refuses_a_second_mention_without_a_slot(make_demo: ModuleType) -> None:
    faker = pytest.importorskip("faker", reason="Faker is not installed")
    script = make_demo.Script("support", None, ("Ask {PERSON = Ann Lee}.", "Lee knows."))
    with pytest.raises(ValueError, match=r"en-001: .* at 13,"):
        make_demo.fill(script, "en", "en-001", faker.Faker("en_US"))


def test_the_readme_names_the_version_of_faker(make_demo: ModuleType) -> None:
    assert f"Faker {make_demo.FAKER_VERSION}" in (DEMO / "README.md").read_text(encoding="utf-8")
