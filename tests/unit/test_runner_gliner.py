"""The GLiNER runner: its windows and files by plain values, and the real library on a tiny model of random weights."""

import hashlib
import json
import re
import string
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import hub
from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Description, Span, Text, _gliner_files
from piibench_duck.runners._gliner_files import find, whole
from piibench_duck.runners.gliner import GlinerDetector
from piibench_duck.runners.registry import load_runner

COMMIT = "0123456789abcdef0123456789abcdef01234567"


# By plain values: a "model" that knows one name, and sees it only where all of it is in what it is given.


def knows_anna(seen: list[str], **changed: Any) -> GlinerDetector:
    def predict(pieces: list[str]) -> list[list[Span]]:
        seen.extend(pieces)
        return [
            [Span(*match.span(), "person", 0.9) for match in re.finditer("Anna Maria Smith", one)] for one in pieces
        ]

    fields: dict[str, Any] = {
        "description": Description("model", "gliner", "m", None, None, "gliner", {}, {}),
        "split": lambda text: [match.span() for match in re.finditer(r"\w+|\S", text)],
        "costs": lambda words: [len(word) for word in words],
        "predict": predict,
        "window": 10,
        "stride": 4,
        "budget": None,
        "is_flat": True,
    }
    return GlinerDetector(**{**fields, **changed})


@pytest.mark.parametrize("budget", [None, 30])
@pytest.mark.parametrize("filler", ["so", "😀", "e\u0301e\u0301", "שלום", "سلام"])
def test_a_name_is_found_once_wherever_it_stands_around_a_seam(filler: str, budget: int | None) -> None:
    for before in range(25):
        start = len(f"{filler} " * before)
        text = f"{filler} " * before + "Anna Maria Smith" + f" {filler}" * (25 - before)
        answers = knows_anna([], budget=budget)([Text("r", text)])
        assert answers == [Answer((Span(start, start + 16, "person", 0.9),), len(text))]


def test_all_of_a_long_text_is_given_to_the_model_in_pieces_that_it_takes() -> None:
    words = [f"w{index}" for index in range(3000)]
    seen: list[str] = []
    knows_anna(seen)([Text("long", " ".join(words)), Text("short", "w7")])
    assert all(len(piece.split()) <= 10 for piece in seen)
    assert {word for piece in seen for word in piece.split()} == set(words)


def test_a_text_without_words_has_nothing_and_is_seen() -> None:
    seen: list[str] = []
    texts = [Text("empty", ""), Text("blank", " \n\t"), Text("name", "Anna Maria Smith")]
    assert knows_anna(seen)(texts) == [
        Answer((), 0),
        Answer((), 3),
        Answer((Span(0, 16, "person", 0.9),), 16),
    ]
    assert seen == ["Anna Maria Smith"]


def test_a_word_that_is_longer_than_the_model_takes_is_said_to_be_unseen() -> None:
    text = f"{'x' * 31} Anna Maria Smith"
    (answer,) = knows_anna([], budget=30)([Text("r", text)])
    assert (answer.status, answer.chars_seen) == ("truncated", len(text) - 31)
    assert answer.spans == (Span(32, 48, "person", 0.9),)


# Files.


def folder_of(path: Path, config: dict[str, Any] | None = None, files: Sequence[str] = ("model.safetensors",)) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "gliner_config.json").write_text(json.dumps({"encoder_config": {"model_type": "bert"}, **(config or {})}))
    for name in ("tokenizer_config.json", *files):
        (path / name).write_text("{}")
    return path


def test_the_weights_that_gliner_would_load_are_the_ones_named(tmp_path: Path) -> None:
    files = find(str(folder_of(tmp_path / "tiny", files=["pytorch_model.bin", "model.safetensors"])), None)
    assert (files.model, files.revision, files.weights.name) == ("tiny", None, "model.safetensors")
    assert find(str(folder_of(tmp_path / "old", files=["pytorch_model.bin"])), None).weights.name == "pytorch_model.bin"


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"encoder_config": {"auto_map": {"AutoModel": "who--model.Model"}}}, r"names code to run \(auto_map\)"),
        ({"labels_decoder": "gpt2"}, "gives labels of its own"),
        ({"relations_layer": "dot"}, "gives relations"),
        ({"words_splitter_type": "stanza"}, "which fetches a model of its own"),
    ],
)
def test_a_model_that_would_run_code_or_does_something_else_is_refused(
    tmp_path: Path, config: dict[str, Any], why: str
) -> None:
    with pytest.raises(PiibenchError, match=why):
        find(str(folder_of(tmp_path / "tiny", config)), None)


def test_code_in_a_tokenizer_is_refused_too(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "tiny")
    (folder / "tokenizer_config.json").write_text('{"auto_map": {"AutoTokenizer": ["who--tokenizer.T", null]}}')
    with pytest.raises(PiibenchError, match=r"^tokenizer_config\.json of model 'tiny' names code to run"):
        find(str(folder), None)


def test_a_folder_that_is_no_model_and_a_model_without_a_commit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PiibenchError, match=r"^runner 'gliner' needs a model"):
        find(None, None)
    with pytest.raises(PiibenchError, match=r"is none of GLiNER: it has no gliner_config\.json$"):
        find(str(tmp_path), None)
    with pytest.raises(PiibenchError, match=r"has no revisions"):
        find(str(tmp_path), COMMIT)
    with pytest.raises(PiibenchError, match=r"needs its revision as a full commit"):
        find("owner/tiny", "main")
    (tmp_path / "gliner_config.json").write_text("{}")
    with pytest.raises(PiibenchError, match=r"has no weights of GLiNER"):
        find(str(tmp_path), None)


def test_a_model_that_leaves_its_config_to_another_asks_for_the_commit_of_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backbone = tmp_path / "cache" / "backbone"
    backbone.mkdir(parents=True)
    (backbone / "config.json").write_text('{"model_type": "bert"}')
    asked: list[tuple[str, str]] = []

    def snapshot(model: str, commit: str, choices: object, lacks: str) -> hub.Snapshot:
        asked.append((model, commit))
        return hub.Snapshot(backbone, commit)

    monkeypatch.setattr(_gliner_files.hub, "snapshot", snapshot)
    config = {"encoder_config": None, "model_name": "owner/backbone"}
    files = find(str(folder_of(tmp_path / "tiny", config)), None)
    with pytest.raises(PiibenchError, match=r"leaves part of it to 'owner/backbone' .* option 'backbone_revision'$"):
        whole(files, {}).__enter__()
    with whole(files, {"model_name": COMMIT}) as folder:
        assert folder != files.folder
        assert json.loads((folder / "gliner_config.json").read_text())["model_name"] == str(backbone)
        assert (folder / "model.safetensors").read_text() == "{}"
    assert asked == [("owner/backbone", COMMIT)]
    assert not folder.exists()
    (backbone / "config.json").write_text('{"auto_map": {}}')
    with pytest.raises(PiibenchError, match=r"of model 'owner/backbone' names code to run"):
        whole(files, {"model_name": COMMIT}).__enter__()


def test_options_are_checked_before_anything_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for options, why in (
        ({}, r"^option 'labels' of runner 'gliner' names no label"),
        ({"labels": " ,"}, r"^option 'labels' of runner 'gliner' names no label"),
        ({"labels": "person", "spans": "deep"}, r"expected flat or nested$"),
        ({"labels": "person", "trust_remote_code": "yes"}, r"has no option 'trust_remote_code'"),
        (
            {"labels": "person"},
            r"package torch; `pip install torch==2\.13\.0 && pip install 'piibench-duck\[gliner\]'`",
        ),
    ):
        with pytest.raises(PiibenchError, match=why):
            load_runner("gliner", "somewhere", options=options)


# The real library.


def build(folder: Path, span_mode: str = "markerV0", limit: int = 64) -> Path:
    """A GLiNER model of random weights that takes 16 words and `limit` tokens, a letter of a word each."""
    gliner = pytest.importorskip("gliner", reason="GLiNER is not installed; `just test-extras` installs it")
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    marks = ["<<ENT>>", "<<SEP>>"]
    letters = string.ascii_letters + string.digits
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *marks, *letters, *(f"##{one}" for one in letters), "."]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=1000))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        additional_special_tokens=marks,
        model_max_length=limit,
    )
    fast.save_pretrained(str(folder / "tokenizer"))
    encoder = {"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = gliner.GLiNERConfig(
        model_name=str(folder / "tokenizer"),
        encoder_config={
            **encoder,
            "intermediate_size": 32,
            "vocab_size": len(pieces),
            "max_position_embeddings": limit,
        },
        hidden_size=32,
        max_width=4,
        max_len=16,
        span_mode=span_mode,
        vocab_size=len(pieces),
        class_token_index=vocabulary["<<ENT>>"],
    )
    torch.manual_seed(7)
    model = gliner.GLiNER.from_config(config, backbone_from_pretrained=False, local_files_only=True)
    model.save_pretrained(str(folder / "tiny"))
    return folder / "tiny"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("gliner"))


OPTIONS = {"labels": "person, location", "threshold": "0.4", "batch": "4"}


@pytest.mark.extras
def test_the_real_library_marks_what_it_is_asked_for(tiny: Path) -> None:
    detector = load_runner("gliner", str(tiny), options=OPTIONS)
    text = "😀 Call Anna Smith now, e\u0301t שלום in Paris."
    first, empty = detector([Text("r", text), Text("e", "")])
    import gliner

    model = gliner.GLiNER.from_pretrained(str(tiny), local_files_only=True)
    told = model.predict_entities(text, ["person", "location"], threshold=0.4)
    assert told
    assert [(span.start, span.end, span.label) for span in first.spans] == sorted(
        (one["start"], one["end"], one["label"]) for one in told
    )
    assert all(text[one["start"] : one["end"]] == one["text"] for one in told)
    assert (first.status, first.chars_seen) == ("ok", len(text))
    assert empty == Answer((), 0)


@pytest.mark.extras
def test_the_run_says_what_shaped_its_answers(tiny: Path) -> None:
    described = load_runner("gliner", str(tiny), options=OPTIONS | {"spans": "nested"}).description
    weights = hashlib.sha256((tiny / "pytorch_model.bin").read_bytes()).hexdigest()
    assert described[:6] == ("model", "gliner", "tiny", None, weights, "gliner")
    config = hashlib.sha256((tiny / "gliner_config.json").read_bytes()).hexdigest()
    # [CLS], two labels with a mark before each, the mark behind them, [SEP]: 19 of the 64 tokens.
    assert described.settings == {
        "aggregation": "none",
        "batch": "4",
        "config_sha256": config,
        "labels_asked": "person,location",
        "precision": "fp32",
        "spans": "nested",
        "stride": "8",
        "threshold": "0.4",
        "window": "16",
        "window_tokens": "45",
    }
    assert described.libraries.keys() == {"device", "gliner", "threads", "tokenizers", "torch", "transformers"}


@pytest.mark.extras
@pytest.mark.parametrize("span_mode", ["markerV0", "token_level"])
def test_the_model_is_given_every_word_of_a_long_text_within_what_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, span_mode: str
) -> None:
    folder = build(tmp_path, span_mode)
    detector = load_runner("gliner", str(folder), options=OPTIONS | {"batch": "64"})
    import gliner.model

    seen: set[str] = set()
    run_batch = gliner.model.BaseEncoderGLiNER.run_batch

    def spy(self: Any, batch: dict[str, Any], *given: Any, **named: Any) -> Any:
        for words, ids, mask in zip(batch["tokens"], batch["input_ids"], batch["words_mask"], strict=True):
            assert len(words) <= 16
            assert len(ids) <= 64
            assert int(mask.max()) == len(words)  # the tokenizer has cut none off
            seen.update(words)
        return run_batch(self, batch, *given, **named)

    monkeypatch.setattr(gliner.model.BaseEncoderGLiNER, "run_batch", spy)
    words = [f"w{index}" + "x" * (index % 17 // 4) for index in range(3000)]
    (answer,) = detector([Text("r", " ".join(words))])
    assert seen == set(words)
    assert (answer.status, answer.chars_seen) == ("ok", len(" ".join(words)))


@pytest.mark.extras
def test_a_flat_run_has_no_overlaps_and_a_nested_one_has_whatever_the_model_says(tiny: Path) -> None:
    text = "one two three four five six seven eight nine ten " * 6
    flat, nested = (
        load_runner("gliner", str(tiny), options=OPTIONS | {"spans": form})([Text("r", text)])[0].spans
        for form in ("flat", "nested")
    )
    assert flat
    assert all(before.end <= after.start for before, after in pairwise(flat))
    assert len(nested) > len(flat)
    assert len({span[:3] for span in nested}) == len(nested)


@pytest.mark.extras
def test_labels_that_leave_no_room_for_text_are_refused(tiny: Path) -> None:
    with pytest.raises(PiibenchError, match=r"asks for 9 labels, which leave no room for text in the 64 tokens"):
        load_runner("gliner", str(tiny), options={"labels": ",".join(f"label{index}" for index in range(9))})


@pytest.mark.extras
def test_weights_that_do_not_fit_are_refused_without_a_path(tiny: Path, tmp_path: Path) -> None:
    for name in ("gliner_config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((tiny / name).read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"no weights")
    with pytest.raises(PiibenchError, match=r"^GLiNER 0\.\S+ cannot load model '[^/]+' \(\w+\)$"):
        load_runner("gliner", str(tmp_path), options=OPTIONS)


@pytest.mark.extras
def test_a_model_with_a_backbone_elsewhere_gives_the_same_answers(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backbone, folder = tmp_path / "backbone", tmp_path / "lean"
    for path in (backbone, folder):
        path.mkdir()
    config = json.loads((tiny / "gliner_config.json").read_text())
    (backbone / "config.json").write_text(json.dumps(config["encoder_config"]))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (backbone / name).write_bytes((tiny / name).read_bytes())
    (folder / "gliner_config.json").write_text(
        json.dumps({**config, "encoder_config": None, "model_name": "owner/backbone"})
    )
    (folder / "pytorch_model.bin").write_bytes((tiny / "pytorch_model.bin").read_bytes())
    monkeypatch.setattr(_gliner_files.hub, "snapshot", lambda model, commit, *_: hub.Snapshot(backbone, commit))
    lean = load_runner("gliner", str(folder), options=OPTIONS | {"backbone_revision": COMMIT})
    assert lean.description.settings["backbone_revision"] == COMMIT
    texts = [Text("r", "Call Anna Smith now in Paris or write to Bob in Rome")]
    assert lean(texts) == load_runner("gliner", str(tiny), options=OPTIONS)(texts)
