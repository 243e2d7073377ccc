"""Weights by a masked language model, on small graphs made here whose probabilities are known by hand."""

import json
from collections.abc import Callable, Mapping, Sequence
from math import log2
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import mlm
from piibench_duck.errors import PiibenchError

onnx = pytest.importorskip("onnx", reason="onnx builds the test's graphs; install the dev extra")

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "call", "anna", "smith", "##son", "now", ".", "-"]
SHARES = {"call": 8, "anna": 4, "smith": 2, "##son": 1, "now": 1}  # sixteenths of what hides behind a mask
Make = Callable[..., Path]


def graph(path: Path, logits: Any, inputs: Sequence[str], shape: Sequence[Any], batched: bool = True) -> None:
    """Logits of a token are its row of a table, and those of `anna` gain by each `anna` that the model is shown."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    constants = {"table": logits, "anna": VOCABULARY.index("anna"), "axes": [1], "behind": [1, 2]}
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["by_piece"]),
        helper.make_node("Equal", ["input_ids", "anna"], ["is_anna"]),
        helper.make_node("Cast", ["is_anna"], ["counted"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["counted", "axes"], ["seen"], keepdims=1),
        helper.make_node("Unsqueeze", ["seen", "axes"], ["context"]),
        helper.make_node("Mul", ["context", "gain"], ["gained"]),
        helper.make_node("Add", ["by_piece", "gained"], ["logits" if batched else "three"]),
    ]
    if not batched:
        nodes.append(helper.make_node("Squeeze", ["three", "first"], ["logits"]))
    gain = np.zeros((1, 1, logits.shape[1]), np.float32)
    gain[0, 0, VOCABULARY.index("anna") :][:1] = np.log(2)
    arrays = {name: np.array(value) for name, value in constants.items()} | {"gain": gain, "first": np.array([0])}
    arrays["table"] = arrays["table"].astype(np.float32)
    used = {name for node in nodes for name in node.input}
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "masked",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(value, name) for name, value in arrays.items() if name in used],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    onnx.save(model, str(path))


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a model folder and gives its path."""

    def write(
        longest: int = 64,
        inputs: Sequence[str] = ("input_ids",),
        shape: Sequence[Any] = ("batch", "sequence"),
        vocabulary: Sequence[str] = VOCABULARY,
        never: float = -30.0,
        width: int = len(VOCABULARY),
        batched: bool = True,
    ) -> Path:
        import numpy as np
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

        folder = tmp_path / "tiny"
        folder.mkdir()
        tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "config.json").write_text(json.dumps({"max_position_embeddings": longest, "pad_token_id": 0}))
        logits = np.zeros((len(VOCABULARY), width), np.float32)  # a piece that is shown tells nothing
        for index, piece in enumerate(VOCABULARY[:width]):
            share = SHARES.get(piece, 0)
            logits[VOCABULARY.index("[MASK]"), index] = np.log(share) if share else never
        graph(folder / "model.onnx", logits, inputs, shape, batched)
        return folder

    return write


def bits(found: Mapping[str, list[Any]], row_id: str = "a") -> list[tuple[int, int, float]]:
    lines = zip(*(found[name] for name in mlm.WEIGHT_COLUMNS), strict=True)
    return [(start, end, weight) for named, start, end, weight in lines if named == row_id]


def surprise(word: str, n_annas: int) -> float:
    """Of a word behind a mask in a text where so many `anna` are shown."""
    shares = {**SHARES, "anna": SHARES["anna"] * 2**n_annas}
    pieces = {"smithson": ["smith", "##son"]}.get(word, [word])
    return round(max(log2(sum(shares.values()) / shares[piece]) for piece in pieces), 6)


def test_a_word_weighs_what_its_unlikeliest_piece_does_with_all_its_pieces_hidden(make: Make) -> None:
    found = mlm.weights(make(), {"a": "Call Smithson now."})
    assert list(found) == ["row_id", "start_char", "end_char", "bits"]
    assert [(start, end) for start, end, _ in bits(found)] == [(0, 4), (5, 13), (14, 17)]
    assert found["bits"] == pytest.approx([1.0, 4.0, 4.0], abs=1e-5)


def test_every_seventh_word_is_hidden_at_once_and_all_others_are_shown(make: Make) -> None:
    words = ["anna", "call", "now", "smithson", "call", "call", "now", "anna", "call", "anna"]
    found = bits(mlm.weights(make(), {"a": " ".join(words)}))
    for index, (word, (_, _, weight)) in enumerate(zip(words, found, strict=True)):
        hidden = range(index % mlm.EVERY, len(words), mlm.EVERY)
        shown = sum(other == "anna" for place, other in enumerate(words) if place not in hidden)
        assert weight == pytest.approx(surprise(word, shown), abs=1e-5), index


def test_long_texts_are_read_in_windows_in_which_each_word_has_its_neighbours(make: Make) -> None:
    """With one `anna` in the middle, the words near it and no others see it."""
    words = ["call"] * 40
    words[20] = "anna"
    found = [weight for _, _, weight in bits(mlm.weights(make(longest=14), {"a": " ".join(words)}))]
    alone, beside = surprise("call", 0), surprise("call", 1)
    assert len(found) == 40
    for index, weight in enumerate(found):
        expected = alone if abs(index - 20) > 12 or index % 7 == 20 % 7 else beside
        if abs(index - 20) <= 3 or abs(index - 20) > 12:
            assert weight == pytest.approx(expected if index != 20 else surprise("anna", 0), abs=1e-5), index


@pytest.mark.parametrize("longest", [3, 4, 5, 6])
def test_a_word_cut_by_windows_weighs_what_its_unlikeliest_piece_does(make: Make, longest: int) -> None:
    found = mlm.weights(make(longest=longest), {"a": "call smithson call smithson smithson"})
    assert [weight for _, _, weight in bits(found)] == pytest.approx([1.0, 4.0, 1.0, 4.0, 4.0], abs=1e-5)


@pytest.mark.parametrize(
    "shape",
    [
        {"inputs": ("input_ids", "attention_mask", "token_type_ids")},
        {"shape": (1, 16)},
        {"inputs": ("input_ids", "attention_mask"), "shape": (1, "sequence")},
    ],
)
def test_a_graph_gets_the_inputs_that_it_asks_for(make: Make, shape: dict[str, Any]) -> None:
    found = mlm.weights(make(**shape), {"a": "call anna now"})
    expected = [surprise("call", 1), surprise("anna", 0), surprise("now", 1)]
    assert [weight for _, _, weight in bits(found)] == pytest.approx(expected, abs=1e-5)


def test_words_are_those_of_python_and_one_without_a_piece_weighs_nothing(make: Make) -> None:
    found = mlm.weights(make(), {"a": "call-anna", "b": "", "c": " . ", "d": "\u0301"})
    assert [(start, end) for start, end, _ in bits(found)] == [(0, 4), (5, 9)]
    assert bits(found, "b") == bits(found, "c") == bits(found, "d") == []
    words = mlm._words("call _ anna", [(0, 4), (7, 11)])
    assert [(word.start, list(word.pieces)) for word in words] == [(0, [0]), (5, []), (7, [1])]


def test_pieces_that_share_a_character_with_a_word_are_its_pieces() -> None:
    words = mlm._words("a.b 😀c", [(0, 2), (1, 3), (3, 5), (4, 5), (4, 5), (5, 6)])
    assert [(word.start, word.end, list(word.pieces)) for word in words] == [
        *((0, 1, [0]), (2, 3, [1]), (5, 6, [5])),
    ]
    assert mlm._words("ab", [(0, 1), (0, 1), (1, 2)])[0].pieces == [0, 1, 2]


def test_the_answer_is_the_same_each_time_and_for_each_text_alone(make: Make) -> None:
    folder = make()
    texts = {"a": "call anna smithson now", "b": "anna anna"}
    both = mlm.weights(folder, texts)
    assert both == mlm.weights(folder, texts)
    assert bits(both, "b") == bits(mlm.weights(folder, {"b": "anna anna"}), "b")


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_folder_without_all_files_is_refused(make: Make, missing: str) -> None:
    folder = make()
    (folder / missing).unlink()
    with pytest.raises(PiibenchError, match=r"model 'tiny' has no (config.json|tokenizer.json|ONNX graph)"):
        mlm.weights(folder, {"a": "call"})
    with pytest.raises(PiibenchError, match="no folder"):
        mlm.weights(folder / "absent", {})


def test_a_tokenizer_without_a_mask_is_refused(make: Make) -> None:
    folder = make(vocabulary=[word if word != "[MASK]" else "masked" for word in VOCABULARY])
    with pytest.raises(PiibenchError, match=r"has no token \[MASK\] or <mask> to hide a word behind"):
        mlm.weights(folder, {"a": "call"})


@pytest.mark.parametrize("shape", [{"width": 3}, {"batched": False}])
def test_outputs_of_another_shape_are_refused(make: Make, shape: dict[str, Any]) -> None:
    with pytest.raises(PiibenchError, match=r"logits of shape \(batch, length, vocabulary\) were expected") as caught:
        mlm.weights(make(**shape), {"a": "call anna"})
    assert "anna" not in str(caught.value)


def test_a_piece_that_can_never_be_is_refused(make: Make) -> None:
    with pytest.raises(PiibenchError, match="not finite"):
        mlm.weights(make(never=float("-inf")), {"a": "unknown"})


def test_a_model_that_leaves_no_room_for_a_text_is_refused(make: Make) -> None:
    with pytest.raises(PiibenchError, match="takes 2 tokens, which leaves none for a text"):
        mlm.weights(make(longest=2), {"a": "call"})
