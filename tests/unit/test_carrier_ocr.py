"""The scanner: what it does to a page, how often, and that it does the same again."""

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from piibench_duck import carriers, sources
from piibench_duck.carriers import Alignment, Wrapped
from piibench_duck.passages import cut

LETTER = (
    "Dear Ms Meridian, the parcel that you sent on 14 May has come back to our depot in Nether Fallow. It could not be "
    "handed over, because the house number was missing. Would you please tell us the full address, or call 01632 960"
    "123 between nine and five?\n"
    "Уважаемая Вера Павловна, посылка вернулась на склад. Сообщите, пожалуйста, полный адрес получателя.\n"
    "שלום רב, החבילה חזרה למחסן. נא למסור את הכתובת המלאה של הנמען.\n"
)


def kinds(passage: str, row: Wrapped) -> Counter[str]:
    """Passage characters by what became of them."""
    found: Counter[str] = Counter()
    for line in row.alignments:
        found[kind(passage, row, line)] += (line.passage_end or 0) - (line.passage_start or 0)
    return found


def kind(passage: str, row: Wrapped, line: Alignment) -> str:
    was, is_now = passage[line.passage_start : line.passage_end], row.text[line.wire_start : line.wire_end]
    if line.kind != "changed":
        return line.kind
    if was == " ":
        return {"\n": "line end", "  ": "doubled"}[is_now]
    return "hyphenated" if is_now == f"{was}-\n" else "look-alike"


def test_a_recorded_seed_gives_the_same_bytes() -> None:
    rows = [carriers.wrap("ocr", LETTER, [(8, 16), (98, 111)], [], key) for key in (0, 1, 2**64 - 1)]
    assert len({row.text for row in rows}) == 3
    digest = hashlib.sha256("\0".join(row.text for row in rows).encode()).hexdigest()
    assert digest == "842d10c406abc001edb901cbab60580ef39c2c1c3976db74a9a92d1267b7f898"


def test_a_page_has_all_that_a_scanner_does_to_it() -> None:
    found = sum((kinds(LETTER, carriers.wrap("ocr", LETTER, [], [], key)) for key in range(100)), Counter[str]())
    assert set(found) == {"copied", "lost", "doubled", "line end", "hyphenated", "look-alike"}
    assert 0.01 <= 1 - found["copied"] / found.total() <= 0.03


def test_lines_end_where_the_page_does_and_hyphens_stand_inside_words() -> None:
    prose = "the quick brown fox jumps over the lazy dog and sleeps " * 40
    for key in range(50):
        row = carriers.wrap("ocr", prose, [], [], key)
        *lines, last = row.text.split("\n")
        assert all(60 <= len(line) <= 115 for line in lines)
        assert len(last) <= 115
        for line in row.alignments:
            if kind(prose, row, line) == "hyphenated":
                at = line.passage_start or 0
                assert re.fullmatch("[a-z]{4}", prose[at - 1 : at + 3])


def test_a_text_without_spaces_has_no_line_ends() -> None:
    for text in ("-" * 1000, "漢字" * 500):
        assert carriers.wrap("ocr", text, [(0, 5)], [], 3).text == text


def test_lines_of_the_passage_stay_and_are_not_broken_where_they_are_short() -> None:
    text = "a short line of a form\n" * 30
    row = carriers.wrap("ocr", text, [], [], 1)
    assert row.text.count("\n") == 30
    assert kinds(text, row)["look-alike"] > 0


def test_a_space_that_begins_or_ends_a_span_is_never_lost() -> None:
    text = "a b " * 200
    spaces = [(at, at + 1) for at, char in enumerate(text) if char == " "]
    assert sum(kinds(text, carriers.wrap("ocr", text, [], [], key))["lost"] for key in range(30)) > 20
    for key in range(30):
        row = carriers.wrap("ocr", text, spaces, [], key)
        assert kinds(text, row)["lost"] == 0
        assert {row.text[start:end] for start, end in row.spans} <= {" ", "  ", "\n"}


def test_a_changed_split_or_lost_character_still_belongs_to_its_span() -> None:
    text = "Maria del Carmen Villanueva Montes " * 30
    span = (6, len(text) - 1)
    seen: Counter[str] = Counter()
    for key in range(30):
        row = carriers.wrap("ocr", text, [span], [], key)
        ((start, end),) = row.spans
        assert carriers.to_passage(row.alignments, start, end) == span
        assert len(row.text) - (end - start) <= 10
        seen += kinds(text, row)
    assert set(seen) == {"copied", "lost", "doubled", "line end", "hyphenated", "look-alike"}


def test_letters_of_every_script_are_misread_and_a_misread_character_is_another() -> None:
    for text in ("mnopqrstuvwe", "шщжзиклмнопы", "בגדהוזחטסעצר", "بتجحخدرسعفقه", "0123456789"):
        seen = Counter[str]()
        for key in range(40):
            row = carriers.wrap("ocr", text * 10, [], [], key)
            for line in row.alignments:
                if line.kind == "changed":
                    was = (text * 10)[line.passage_start : line.passage_end]
                    seen[was] += 1
                    assert row.text[line.wire_start : line.wire_end] != was
        assert len(seen) >= len(text) - 2


@pytest.mark.parametrize("language", ["de", "en", "es", "he", "ru"])
def test_one_to_three_characters_in_a_hundred_of_each_demo_corpus_are_misread(language: str) -> None:
    source = sources.load_sources()[f"demo-{language}"]
    found: Counter[str] = Counter()
    for document in sources.read(source, sources.fetch(source, None, Path("unused"))).documents:
        for passage in cut(document):
            text = document.text[passage.start : passage.end]
            key = carriers.row_key(f"{source.name}/{document.doc_id}/{passage.index}", "ocr")
            found += kinds(text, carriers.wrap("ocr", text, [], [], key))
    assert 0.01 <= 1 - found["copied"] / found.total() <= 0.03


def test_what_is_read_back_is_the_wire() -> None:
    assert not carriers.reads_back("ocr")
    row = carriers.wrap("ocr", LETTER, [], [], 7)
    assert carriers.unwrap("ocr", row.text) == [row.text]
    assert carriers.wrap("ocr", "", [], [], 7) == ("", [], [])
