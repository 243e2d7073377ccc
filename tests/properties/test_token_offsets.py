"""Offsets through every family of tokenizers: names stay where they are, at each seam, in any script and with emoji."""

import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck.runners import Detector, Text
from piibench_duck.runners.registry import load_runner
from tests.tiny_graphs import LONGEST, graph, table

pytest.importorskip("onnx", reason="onnx builds the test's graphs; install the dev extra")

NAMES = ["Anna", "שרה", "محمد", "Мария", "Zoë", "Zoe\u0308", "ज्योति", "😀", "👩\u200d👩\u200d👧", "e\u0301ve\u0301"]
FILLERS = ["und", "דבר", "כן", "это", "نعم", "o\u0302r", "🚀", "🏳\ufe0f\u200d🌈", "…", "\u202bup\u202c", "का", "§"]
BLANKS = [" ", "  ", "\n", "\t", "\u00a0 ", " \u3000"]
AROUND = ["", "(", ")", ",", " - ", '"']
FAMILIES = ["wordpiece", "byte-level", "unigram", "unigram-words", "unigram-whole"]
AGGREGATIONS = ["first", "max", "average", "simple"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
TEMPORARY = tempfile.TemporaryDirectory(prefix="piibench-")


def tokenizer(family: str) -> Any:
    """Knows the words by heart, or in bytes most of each."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    words = NAMES + FILLERS
    if family == "wordpiece":
        normalizer = normalizers.BertNormalizer(lowercase=True)
        known = dict.fromkeys([*SPECIAL, *map(normalizer.normalize_str, words), *'(),-."'])
        made = Tokenizer(models.WordPiece({word: place for place, word in enumerate(known)}, unk_token="[UNK]"))
        made.normalizer = normalizer
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    elif family == "byte-level":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        trainer = trainers.BpeTrainer(
            vocab_size=800, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
        )
        made.train_from_iterator([f"{word} {word}" for word in words] * 20, trainer)
    else:
        normalized = [normalizers.NFKC().normalize_str(word) for word in words]
        pieces = dict.fromkeys(SPECIAL, -20.0)
        pieces |= dict.fromkeys(sorted({*"".join(normalized), *'(),-."\n\t▁'}), -9.0)
        pieces |= {piece: -2.0 for word in normalized for piece in (word, f"▁{word}")}
        made = Tokenizer(models.Unigram(list(pieces.items()), unk_id=1))
        made.normalizer = normalizers.NFKC()
        space = pre_tokenizers.Metaspace(split=family != "unigram-whole")  # whole: no word but the text
        made.pre_tokenizer = (
            pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), space]) if family == "unigram-words" else space
        )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


@cache
def folder(family: str) -> Path:
    """A model that says of every token that only names have that it is of a name."""
    made = tokenizer(family)
    place = Path(TEMPORARY.name) / family
    place.mkdir()
    made.save(str(place / "tokenizer.json"))
    labels = {"0": "O", "1": "I-PER"}
    (place / "config.json").write_text(json.dumps({"id2label": labels, "max_position_embeddings": LONGEST}))

    def tokens(words: Sequence[str]) -> set[str]:
        return {
            token
            for word in words
            for before in [*AROUND, *BLANKS]
            for behind in [*AROUND, *BLANKS]
            for token in made.encode(before + word + behind, add_special_tokens=False).tokens
        }

    of_names = tokens(NAMES) - tokens([*FILLERS, "", *AROUND, *BLANKS])
    vocabulary = [made.id_to_token(index) for index in range(made.get_vocab_size())]
    graph(place / "model.onnx", table(dict.fromkeys(of_names, 1), vocabulary, len(labels)))
    return place


@cache
def detector(family: str, aggregation: str = "first", **options: str) -> Detector:
    chosen = {"aggregation": aggregation, "threads": "1", **options}
    return load_runner("onnx", str(folder(family)), None, chosen)


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """A text in which names and fillers take turns, and where the names are."""
    text = ""
    places = []
    for _ in range(draw(st.integers(1, 12))):
        text += draw(st.sampled_from(FILLERS)) + draw(st.sampled_from(BLANKS)) + draw(st.sampled_from(AROUND))
        name = draw(st.sampled_from(NAMES))
        places.append((len(text), len(text) + len(name)))
        text += name + draw(st.sampled_from(AROUND)) + draw(st.sampled_from(BLANKS))
    return text + draw(st.sampled_from(FILLERS)), places


@pytest.mark.parametrize("family", FAMILIES)
@settings(deadline=None, max_examples=60)
@given(case=texts(), aggregation=st.sampled_from(AGGREGATIONS))
def test_names_keep_their_places(family: str, case: tuple[str, list[tuple[int, int]]], aggregation: str):
    text, places = case
    (answer,) = detector(family, aggregation)([Text("r", text)])
    assert [(span.start, span.end) for span in answer.spans] == places
    assert answer.chars_seen == len(text)


@pytest.mark.parametrize("family", FAMILIES)
@settings(deadline=None, max_examples=30)
@given(case=texts())
def test_tokens_by_themselves_cover_the_names_and_nothing_else(family: str, case: tuple[str, list[tuple[int, int]]]):
    text, places = case
    (answer,) = detector(family, "none")([Text("r", text)])
    marked = {char for span in answer.spans for char in range(span.start, span.end)}
    assert marked == {char for start, end in places for char in range(start, end)}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("stride", [0, 1, 3, 5])
def test_a_name_of_several_words_is_whole_wherever_the_seam_falls(family: str, stride: int):
    name = "Anna Zoe\u0308 شرה Мария".replace("شرה", "שרה")
    for aggregation in AGGREGATIONS:
        tagger = detector(family, aggregation, window="10", stride=str(stride))
        cases = [Text(str(n), "und " * n + name + " это" * (24 - n)) for n in range(25)]
        for case, answer in zip(cases, tagger(cases), strict=True):
            found = [case.text[span.start : span.end] for span in answer.spans]
            assert found == [name], f"{aggregation}, {case.row_id} words before the name"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_of_three_thousand_tokens_loses_nothing(family: str):
    words = [NAMES[n // 7 % len(NAMES)] if n % 7 == 0 else FILLERS[n % len(FILLERS)] for n in range(3000)]
    text = " ".join(words)
    (answer,) = detector(family)([Text("r", text)])
    assert [text[span.start : span.end] for span in answer.spans] == words[::7]
    assert answer == answer._replace(chars_seen=len(text), status="ok")


@pytest.mark.parametrize(("family", "knows_words"), [("wordpiece", True), ("unigram-whole", False)])
def test_words_are_the_tokenizers_or_else_letters_that_touch(family: str, knows_words: bool):
    import tokenizers

    made = tokenizers.Tokenizer.from_file(str(folder(family) / "tokenizer.json"))
    ids = made.encode("und это und", add_special_tokens=False).word_ids
    assert ids == ([0, 1, 2] if knows_words else [0, 0, 0])
    (answer,) = detector(family)([Text("r", "Annaund это Anna-und")])
    found = [(span.start, span.end) for span in answer.spans]
    assert found == ([(12, 16)] if knows_words else [(0, 7), (12, 16)])
