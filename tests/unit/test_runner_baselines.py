"""The baselines, and how runners are found and refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Span, Text
from piibench_duck.runners.registry import load_runner, runner_names, terms


def found(runner: str, text: str) -> list[str]:
    (answer,) = load_runner(runner)([Text("r", text)])
    assert answer.chars_seen == len(text)
    assert all(span.label == "OTHER" for span in answer.spans)
    return [text[span.start : span.end] for span in answer.spans]


def test_every_module_that_loads_is_a_runner_under_its_own_name():
    assert runner_names() == [
        "capitalised-words",
        "command",
        "gliner",
        "http",
        "mask-everything",
        "mask-nothing",
        "onnx",
        "presidio",
        "rules",
        "spacy",
        "transformers",
    ]


def test_mask_nothing_finds_nothing():
    assert found("mask-nothing", "Anna Smith") == []


def test_mask_everything_marks_all_of_a_text_and_nothing_of_an_empty_one():
    assert found("mask-everything", "a 😀") == ["a 😀"]
    assert found("mask-everything", "") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Call Anna Smith now, she-Said 2Nd", ["Call", "Anna", "Smith", "Said"]),
        ("Ärzte, Élodie und ǅabc", ["Ärzte", "Élodie", "ǅabc"]),
        ("Jose\u0301 E\u0301lodie", ["Jose\u0301", "E\u0301lodie"]),
        ("Иван пошёл", ["Иван"]),
        ("יוסי כהן", []),
        ("王小明", []),
        ("😀Anna😀", ["Anna"]),
        ("", []),
    ],
)
def test_capitalised_words_are_those_that_begin_with_a_capital_in_any_script(text: str, words: list[str]):
    assert found("capitalised-words", text) == words


@pytest.mark.parametrize("runner", ["mask-nothing", "mask-everything", "capitalised-words"])
def test_baselines_say_that_they_are(runner: str):
    description = load_runner(runner).description
    assert (description.kind, description.runner, description.label_namespace) == ("baseline", runner, "*")


def test_a_batch_is_answered_in_its_order():
    answers = load_runner("mask-everything")([Text("b", "xx"), Text("a", "y")])
    assert answers == [Answer((Span(0, 2, "OTHER"),), 2), Answer((Span(0, 1, "OTHER"),), 1)]


def test_naming_the_runners_and_the_flow_load_no_library_of_theirs():
    heavy = "onnxruntime tokenizers huggingface_hub stdnum numpy pyarrow polars duckdb"
    heavy += " gliner presidio_analyzer spacy torch transformers"
    code = f"""
import sys
import piibench_duck.predict
from piibench_duck.runners.registry import load_runner, runner_names
runner_names(), load_runner("mask-nothing")
print(*sorted(set({heavy.split()}) & set(sys.modules)))
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_our_own_detectors_have_no_terms():
    assert terms(load_runner("rules").description) == (None, None)


def test_an_unknown_runner_is_refused_with_those_there_are():
    with pytest.raises(PiibenchError, match=r"^no runner 'rule'; there are capitalised-words, .*, transformers$"):
        load_runner("rule")


@pytest.mark.parametrize("runner", ["mask-nothing", "mask-everything", "capitalised-words", "rules"])
def test_a_runner_without_model_or_options_refuses_them(runner: str):
    with pytest.raises(PiibenchError, match="takes no model"):
        load_runner(runner, "some/model")
    with pytest.raises(PiibenchError, match="has no option 'threshold'; it has none"):
        load_runner(runner, options={"threshold": "0.5"})
