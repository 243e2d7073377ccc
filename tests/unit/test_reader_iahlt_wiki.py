"""Entity brackets of the Hebrew Wikipedia treebank."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.sources import load_sources, read

WIKI = load_sources()["iahlt_wiki"]


def word(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *"_" * 7, misc])


def sentence(text: str, *words: str, before: str = "") -> str:
    return "\n".join([*filter(None, before.split("|")), f"# text = {text}", *words, "", ""])


def read_spans(tmp_path: Path, *sentences: str) -> tuple[str, list[tuple[str, str]], dict[str, int]]:
    (tmp_path / "he_iahltwiki-ud-dev.conllu").write_text("")
    content = "# newdoc id = wiki_dana-cohen\n# meta::domain = law\n" + "".join(sentences)
    (tmp_path / "he_iahltwiki-ud-test.conllu").write_text(content)
    reading = read(WIKI, tmp_path)
    (document,) = reading.documents
    assert document.doc_id == "test-" + hashlib.sha256(b"wiki_dana-cohen").hexdigest()[:16]
    assert (document.split, document.slices) == ("test", {"domain": "law"})
    spans = [(document.text[span.start : span.end], span.source_label) for span in document.spans]
    return document.text, spans, reading.counts


def test_brackets_nest_and_may_close_on_one_word(tmp_path: Path) -> None:
    first = sentence(
        "עיריית תל אביב, דנה.",
        word("1", "עיריית", "Entity=(ORG"),
        word("2", "תל", "Entity=(GPE"),
        word("3", "אביב", "Entity=GPE)ORG)|SpaceAfter=No"),
        word("4", ",", "_"),
        word("5", "דנה", "Entity=(PER)|SpaceAfter=No"),
        word("6", "."),
    )
    _, spans, counts = read_spans(tmp_path, first)
    assert spans == [("תל אביב", "GPE"), ("עיריית תל אביב", "ORG"), ("דנה", "PER")]
    assert counts == {"sentences": 1, "unclosed_brackets": 0, "unopened_brackets": 0}


def test_a_word_inside_a_written_word_has_the_characters_that_spell_it(tmp_path: Path) -> None:
    _, spans, _ = read_spans(
        tmp_path,
        sentence(
            "גרה בחיפה ובבירה",
            word("1", "גרה"),
            word("2-3", "בחיפה"),
            word("2", "ב"),
            word("3", "חיפה", "Entity=(GPE)"),
            word("4-7", "ובבירה"),
            word("4", "ו"),
            word("5", "ב"),
            word("6", "ה", "Entity=(LOC"),  # a hidden article: no character of its own
            word("7", "בירה", "Entity=LOC)"),
        ),
    )
    assert spans == [("חיפה", "GPE"), ("בירה", "LOC")]


def test_sentences_are_joined_by_a_space_and_paragraphs_by_a_line_end(tmp_path: Path) -> None:
    text, spans, _ = read_spans(
        tmp_path,
        sentence("דנה.", word("1", "דנה", "SpaceAfter=No"), word("2", "."), before="# newpar"),
        sentence("היא.", word("1", "היא", "SpaceAfter=No"), word("2", ".")),
        sentence("רם.", word("1", "רם", "Entity=(PER)|SpaceAfter=No"), word("2", "."), before="# newpar"),
    )
    assert text == "דנה. היא.\nרם."
    assert spans == [("רם", "PER")]


def test_brackets_without_a_partner_are_dropped_and_counted(tmp_path: Path) -> None:
    _, spans, counts = read_spans(
        tmp_path,
        sentence("א ב", word("1", "א", "Entity=(PER(ORG)"), word("2", "ב", "Entity=GPE)")),
        sentence("ג", word("1", "ג", "Entity=PER)")),
    )
    assert spans == [("א", "ORG")]
    assert counts == {"sentences": 2, "unclosed_brackets": 1, "unopened_brackets": 2}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([word("1", "רם")], "test.conllu, sentence 0: the token 1 does not follow in the text"),
        ([word("1-2", "דנה"), word("1", "ד"), word("2", "ה")], "sentence 0: the words of the token before word 3"),
        ([word("1", "דנה", "Entity=PER")], "sentence 0: has an 'Entity' that is not brackets"),
    ],
)
def test_what_is_wrong_is_named_without_its_text(tmp_path: Path, words: list[str], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        read_spans(tmp_path, sentence("דנה", *words))
    assert said in str(caught.value)
    assert "דנה" not in str(caught.value)


@pytest.mark.corpora
def test_the_real_corpus_has_its_known_counts(mirror: Path) -> None:
    reading = read(WIKI, mirror / "iahlt_wiki")
    assert reading.counts["sentences"] == 348 + 393
    assert reading.counts["unclosed_brackets"] + reading.counts["unopened_brackets"] == 20
    assert Counter(document.split for document in reading.documents) == {"dev": 7, "test": 7}
    for split, n_spans in (("dev", 509), ("test", 817)):
        assert sum(len(document.spans) for document in reading.documents if document.split == split) == n_spans
    n_joiners = 348 + 393 - 14
    assert sum(len(document.text) for document in reading.documents) == 34_091 + 38_944 + n_joiners
