"""Passages of small documents that a person can check by eye."""

import pytest

from piibench_duck import passages
from piibench_duck.corpora import Document, Gold
from piibench_duck.errors import PiibenchError
from piibench_duck.passages import LONGEST, cut


def document(text: str, *spans: tuple[int, int], passage_starts: tuple[int, ...] | None = None) -> Document:
    return Document("d1", "all", text, tuple(Gold(*span, "PERSON") for span in spans), passage_starts, {})


def values(of: Document) -> list[list[str]]:
    """The text of each value of each passage."""
    return [[of.text[p.start + a : p.start + b] for a, b in p.value_bounds] for p in cut(of)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Anna came home. ", "She slept.\n", "Then what? ", "Nothing!"],
        ["Anna kam heim. ", "Größe 3.5 m.\n", "Älter war sie nie."],
        ["¿Quién es Ana? ", "¡Nadie! ", "Vive en Ávila."],
        ["Анна пришла домой. ", "Она спала! ", "Всё."],
        ["דנה חזרה הביתה. ", "היא ישנה. ", "למה?"],
    ],
)
def test_values_are_sentences_in_all_five_languages(sentences: list[str]) -> None:
    assert values(document("".join(sentences))) == [sentences]


def test_what_has_no_letter_goes_with_the_sentence_before_it_and_at_the_start_with_the_next() -> None:
    assert values(document("* * *\nOne. \n\n---\n\nTwo.\n***")) == [["* * *\nOne. \n\n---\n\n", "Two.\n***"]]


def test_a_text_without_any_letter_is_one_sentence() -> None:
    assert values(document("?! \n...")) == [["?! \n..."]]


def test_an_empty_document_has_no_passages() -> None:
    assert cut(document("")) == []
    assert cut(document("", passage_starts=())) == []


def test_a_passage_holds_as_many_sentences_as_fit() -> None:
    sentence = "x" * 98 + ". "
    text = document((sentence[0].upper() + sentence[1:]) * 9)
    assert [(p.start, p.end, len(p.value_bounds), p.is_long) for p in cut(text)] == [
        (0, 400, 4, False),
        (400, 800, 4, False),
        (800, 900, 1, False),
    ]


def test_a_long_sentence_stands_alone_and_is_marked() -> None:
    text = document("Short. " + "X" + "x" * LONGEST + ". Short.")
    assert [p.is_long for p in cut(text)] == [False, True, False]


def test_a_span_over_a_sentence_end_joins_the_sentences() -> None:
    text = document("He saw Ann! Smith. He left.", (7, 17))
    assert values(text) == [["He saw Ann! Smith. ", "He left."]]
    assert values(document(text.text)) == [["He saw Ann! ", "Smith. ", "He left."]]


def test_a_span_may_force_a_long_passage() -> None:
    first, second = "A" + "a" * 300 + ". ", "B" + "b" * 300 + "."
    assert [p.is_long for p in cut(document(first + second))] == [False, False]
    assert [p.is_long for p in cut(document(first + second, (290, 310)))] == [True]


def test_spans_that_only_touch_a_sentence_end_join_nothing() -> None:
    assert values(document("One. Two.", (0, 5), (5, 9))) == [["One. ", "Two."]]


def test_sentences_that_the_source_gives_are_passages_of_one_value() -> None:
    given = document("Dr. Who? Yes.\nNo.", (0, 8), passage_starts=(0, 14))
    assert values(given) == [["Dr. Who? Yes.\n"], ["No."]]


@pytest.mark.parametrize("starts", [(), (1,), (0, 3, 3), (0, 9)])
def test_given_sentences_that_do_not_partition_are_refused(starts: tuple[int, ...]) -> None:
    with pytest.raises(PiibenchError, match="document d1: its sentences do not partition it"):
        cut(document("One. Two.", passage_starts=starts))


def test_given_sentences_that_cut_a_span_are_refused() -> None:
    with pytest.raises(PiibenchError, match="document d1: one of its sentences ends inside a span"):
        cut(document("One. Two.", (3, 7), passage_starts=(0, 5)))


def test_a_lone_surrogate_is_refused_by_its_place() -> None:
    with pytest.raises(PiibenchError, match="document d1: has a lone surrogate at code point 4"):
        cut(document("One \ud800."))


@pytest.mark.parametrize(
    ("text", "n_values"),
    [
        ("Dear Dr. Fox, come. Now!", 2),
        ("La Sra. Gil vino. Luego se fue.", 2),
        ("Er kam z.B. Montag vorbei. Dann ging er.", 2),
        ("Живёт в г. Тверь на ул. Мира. Он дома.", 2),
        ("By J. K. Fox. She wrote it.", 2),
        ("It ended there. Then it began. Again.", 3),
        ("הוא בא שלום. היא הלכה. סוף.", 3),
        ("In section 3. Then more.", 2),
    ],
)
def test_no_value_ends_in_what_may_be_an_abbreviation(text: str, n_values: int) -> None:
    found = passages.values(text, [])
    assert len(found) == n_values
    assert "".join(text[start:end] for start, end in found) == text


def test_passages_do_not_depend_on_abbreviations() -> None:
    text = "Dr. Fox came. " * 60
    assert [passage.end - passage.start for passage in cut(document(text))] == [
        end - start for start, end in packed_by_hand(text)
    ]


def packed_by_hand(text: str) -> list[tuple[int, int]]:
    """Whole sentences of UAX #29, which takes `Dr.` for one, up to the longest length."""
    ends = [place + 4 for place in range(len(text)) if text.startswith("Dr. ", place)]
    ends += [place + 6 for place in range(len(text)) if text.startswith("came. ", place)]
    packed, start, reached = [], 0, 0
    for end in sorted(ends):
        if end - start > LONGEST:
            packed.append((start, reached))
            start = reached
        reached = end
    return [*packed, (start, reached)]
