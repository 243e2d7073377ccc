"""Labels of tokens to spans."""

import pytest

from piibench_duck.interchange import iob
from piibench_duck.interchange.iob import Tokens
from piibench_duck.interchange.records import Fault

TEXT = "Ana Fox saw  Bo."
TOKENS = ["Ana", "Fox", "saw", "Bo", "."]
PLACES = [(0, 3), (4, 7), (8, 11), (13, 15), (15, 16)]


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("B-PER I-PER O B-PER O", [(0, 7, "PER"), (13, 15, "PER")]),
        ("B-PER B-PER O O O", [(0, 3, "PER"), (4, 7, "PER")]),
        ("I-PER I-PER O I-PER O", [(0, 7, "PER"), (13, 15, "PER")]),
        ("B-PER I-LOC I-LOC O O", [(0, 3, "PER"), (4, 11, "LOC")]),
        ("B-PER O I-PER O O", [(0, 3, "PER"), (8, 11, "PER")]),
        ("MASK MASK NO_MASK MASK MASK", [(0, 7, "MASK"), (13, 16, "MASK")]),
        ("B I O B O", [(0, 7, "MASK"), (13, 15, "MASK")]),
        ("B- I- O O O", [(0, 7, "MASK")]),
        ("B-A-B I-A-B O O O", [(0, 7, "A-B")]),
        ("O O O O O", []),
    ],
)
def test_labels_make_spans_from_their_first_token_to_their_last(labels: str, spans: list[tuple[int, int, str]]) -> None:
    assert iob.fault(labels.split(), 5) is None
    assert iob.spans(PLACES, labels.split()) == spans


def test_no_tokens_make_no_spans() -> None:
    assert iob.spans([], []) == []
    assert iob.place([], "") == Tokens([], True)
    assert iob.place([], "Ana") == Tokens([], False)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["B-PER", "PER"], "labels[1] is none of MASK, NO_MASK, O, B-… and I-…"),
        (["B-PER", "E-PER"], "labels[1] is none of MASK, NO_MASK, O, B-… and I-…"),
        (["O", 1], "labels[1] is none of MASK, NO_MASK, O, B-… and I-…"),
        (["O"], "1 labels for 2 tokens"),
        ("OO", "'labels' is a string, an array was expected"),
        (None, "'labels' is null, an array was expected"),
    ],
)
def test_what_is_no_label_is_named_by_its_place(labels: object, said: str) -> None:
    assert iob.fault(labels, 2) == Fault("bad_schema", said)


@pytest.mark.parametrize(
    ("tokens", "text", "places"),
    [
        (TOKENS, TEXT, PLACES),
        (["a", " ", "b"], "a  b", [(0, 1), (1, 2), (3, 4)]),  # some tokenizers have tokens of white space
        (["a", "\n", "b"], "a \n\u00a0b", [(0, 1), (2, 3), (4, 5)]),
        (["😀", "é"], " 😀é", [(1, 2), (2, 3)]),
    ],
)
def test_tokens_are_found_with_white_space_between_them(
    tokens: list[str], text: str, places: list[tuple[int, int]]
) -> None:
    assert iob.place(tokens, text) == Tokens(places, True)


def test_tokens_that_stop_early_do_not_reach_the_whole_text() -> None:
    assert iob.place(TOKENS[:3], TEXT) == Tokens(PLACES[:3], False)
    assert iob.place(TOKENS, TEXT + " \n") == Tokens(PLACES, True)


@pytest.mark.parametrize(
    ("tokens", "fault"),
    [
        (["Ana", "saw"], Fault("surface_mismatch", "tokens[1] is not what the text has from code point 3")),
        (["Ana", "ana"], Fault("surface_mismatch", "tokens[1] is not what the text has from code point 3")),
        ([*TOKENS, "x"], Fault("surface_mismatch", "tokens[5] is not what the text has from code point 16")),
        (["Ana", ""], Fault("empty_span", "tokens[1] is empty")),
    ],
)
def test_a_token_that_is_not_there_is_named_by_its_place(tokens: list[str], fault: Fault) -> None:
    assert iob.place(tokens, TEXT) == fault


def test_tokens_lie_in_their_order() -> None:
    assert iob.disorder(PLACES) == []
    assert iob.disorder([(0, 3), (2, 7)]) == [Fault("bad_schema", "tokens[1] begins before tokens[0] ends")]
