"""Which runner `auto` takes for a model, by what the model is."""

import sys
from pathlib import Path

import pytest

from piibench_duck import pipelines
from piibench_duck.errors import PiibenchError
from piibench_duck.runners.registry import load_runner

FILES = {
    "onnx": ["config.json", "tokenizer.json", "onnx/model_quantized.onnx", "model.safetensors"],
    "transformers": ["config.json", "tokenizer.json", "model-00001-of-00002.safetensors"],
    "gliner": ["gliner_config.json", "tokenizer.json", "onnx/model.onnx", "model.safetensors"],
    "spacy": ["meta.json", "config.cfg", "ner/model"],
}


@pytest.mark.parametrize("runner", FILES)
@pytest.mark.parametrize("where", ["folder", "package"])
def test_the_files_of_a_model_say_which_runner_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runner: str, where: str
) -> None:
    folder = tmp_path / "a_model_of_mine" / "inside" if where == "package" else tmp_path / "model"
    for name in FILES[runner]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    model = str(folder)
    if where == "package":
        installed = tmp_path / "a_model_of_mine-1.0.dist-info"
        installed.mkdir()
        (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: a-model-of-mine\nVersion: 1.0\n")
        (tmp_path / "a_model_of_mine" / "__init__.py").touch()
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        model = "package:a-model-of-mine"
    assert pipelines.plan_of(model, None, "auto").runner == runner


def test_a_named_pipeline_counts_more_than_files(tmp_path: Path) -> None:
    plan = pipelines.plan_of(str(tmp_path), None, "transformers", {"aggregation": "max"})
    assert (plan.runner, plan.model, plan.options) == ("transformers", str(tmp_path), {"aggregation": "max"})


def test_an_address_is_a_service_and_a_runners_name_is_that_runner() -> None:
    assert pipelines.plan_of("http://localhost:1/x", None, "auto").runner == "http"
    plan = pipelines.plan_of("presidio", None, "auto", {"engine": "none"})
    assert (plan.runner, plan.model) == ("presidio", None)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            ["config.json", "tokenizer.json", "pytorch_model.bin"],
            "only pytorch_model.bin; pickled weights are not read",
        ),
        (["README.md"], "it looked for gliner_config.json, .* and for config.json with"),
        (["config.json", "tf_model.h5"], "--pipeline names its runner"),
        ([], "model 'mine' is of no kind that auto knows"),
    ],
)
def test_a_folder_without_a_model_hears_what_was_looked_for(tmp_path: Path, files: list[str], told: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in files:
        (folder / name).touch()
    with pytest.raises(PiibenchError, match=told) as caught:
        pipelines.plan_of(str(folder), None, "auto")
    assert str(tmp_path) not in str(caught.value)


def test_a_graph_of_another_name_is_for_the_runner_that_can_be_told_which(tmp_path: Path) -> None:
    (tmp_path / "mine.onnx").touch()
    assert pipelines.plan_of(str(tmp_path), None, "auto", {"file": "mine.onnx"}).runner == "onnx"


@pytest.mark.parametrize(
    ("model", "pipeline", "called"),
    [
        ("http://localhost:1/x?key=geheim", "auto", "localhost:1/x"),
        ("/opt/bin/detect --key geheim", "command", "detect"),
        ("owner/name", "transformers", "owner/name"),
        ("https://anna:geheim@host/x", "onnx", "onnx"),
    ],
)
def test_a_plan_is_named_without_what_may_be_secret(model: str, pipeline: str, called: str) -> None:
    plan = pipelines.plan_of(model, None, pipeline)
    assert (plan.name, plan.model) == (called, model)


@pytest.mark.parametrize(
    "model", ["detect --key geheim", "ftp://anna:geheim@host/x", "hxxp://host/geheim", "a@geheim", "x?k=geheim"]
)
@pytest.mark.parametrize("pipeline", ["auto", "onnx", "rules"])
def test_a_model_that_is_none_is_not_repeated_where_it_may_be_secret(model: str, pipeline: str) -> None:
    def load() -> None:
        plan = pipelines.plan_of(model, None, pipeline)
        load_runner(plan.runner, plan.model)

    with pytest.raises(PiibenchError) as caught:
        load()
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "revision", "pipeline", "told"),
    [
        ("nowhere", None, "auto", "no model 'nowhere'"),
        ("rules", None, "nosuch", "no pipeline 'nosuch'"),
        ("rules", "r", "auto", "takes no revision"),
        ("owner/name", None, "auto", "needs --revision with its commit, or --unpinned"),
    ],
)
def test_what_is_no_model_is_refused(model: str, revision: str | None, pipeline: str, told: str) -> None:
    with pytest.raises(PiibenchError, match=told):
        pipelines.plan_of(model, revision, pipeline)
