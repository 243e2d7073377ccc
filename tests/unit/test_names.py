"""Texts where names should stand: refused where results would repeat them, and repeated by no message."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import door, label_maps, sources, warehouse
from piibench_duck.corpora import Document, Gold, _documents
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tab
from piibench_duck.interchange.records import Fault
from piibench_duck.names import is_text, labels_with_text, may_be_told
from piibench_duck.predict import answers, predict
from piibench_duck.runners import Answer, Description, Span, Text, _reply

TEXT = "Quillon met Zbyszko in Person."
SECRETS = ("Quillon", "Zbyszko")
SOURCE = sources.load_sources()["demo-en"]


def written(folder: Path, *lines: object) -> Path:
    path = folder / "file.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def told(read: Any) -> tuple[list[str], str]:
    """The reasons of a refusal, and all that it says."""
    with pytest.raises(door.Refused) as caught:
        read()
    findings = caught.value.findings
    said = "\n".join([str(caught.value), *map(str, findings), door.as_json(findings)])
    assert not any(secret.lower() in said.lower() for secret in SECRETS)
    return [finding.reason for finding in findings], said


@pytest.mark.parametrize(
    ("name", "text", "is_told"),
    [
        ("doc-7/3#0@json", "", True),
        ("f" * 64, "", True),
        ("метка", "", True),
        ("7", "7 of 9", True),
        ("1234567", "call 1234567", False),
        ("Ana", "Ask Ana.", False),
        ("Ana Fox", "", False),
        ("a\nb", "", False),
        ("", "", False),
        ("я" * 41, "", False),
        ("f" * 121, "", False),
        ("\ud83d", "", False),
        (7, "", False),
    ],
)
def test_a_name_is_told_where_it_is_one_short_word_and_no_part_of_its_text(
    name: object, text: str, is_told: bool
) -> None:
    assert may_be_told(name, text) == is_told


def test_a_name_is_text_from_four_characters_on_unless_it_is_a_label_that_is_known() -> None:
    assert is_text("QUILLON", "Quillon")
    assert not is_text("Ana", "Ana")
    assert not is_text("PERSON", "Person")
    assert not is_text("customer", "Customer", {"customer"})


LONG = "Quillon Zbyszko of 17 Elm Street rang 555-0142 about her date of birth and her favourite_colour."
MARKED = [(0, 15), (19, 32), (38, 46)]
CARRIERS = [
    *("Name\nQuillon", "Name\tX", "N\x00", "N\x85X", "N\u2028X", "\x1b[31mN", "N" * 65),
    *("Quillon Zbyszko", "NAME:QUILLON_ZBYSZKO", "[quillon-zbyszko]", "17 elm  street?", "x555-0142"),
    *("555-0142", "555 0142", "zbyszko of 17 elm street rang"),
]
HONEST = [
    *("PERSON", "date_of_birth", "DATE OF BIRTH", "B-LOC", "street", "birth", "Name", "LABEL_0", "0", "17", "ж"),
    *("favourite_colour", "FAVOURITE-COLOUR", "the colour that one likes best, by one's own words", "N" * 64),
]


@pytest.mark.parametrize("label", CARRIERS)
def test_a_label_that_carries_text_of_its_row_is_refused_at_every_door(tmp_path: Path, label: str) -> None:
    spans = [{"start": start, "end": end, "label": label if start else "NAME"} for start, end in MARKED]
    path = written(tmp_path, {"id": "r1", "spans": spans})
    with pytest.raises(door.Refused) as caught:
        door.read_predictions(path, {"r1": LONG})
    assert {finding.reason for finding in caught.value.findings} == {"bad_label"}
    said = "\n".join(map(str, [caught.value, *caught.value.findings])).casefold()
    assert not any(secret in said for secret in ("quillon", "zbyszko", "elm", "0142"))
    assert answered(tmp_path, label) == {"BadAnswerError": 1}
    [fault] = _reply.answers([{"id": "r1", "spans": spans}], [Text("r1", LONG)], "codepoint", "it")
    assert isinstance(fault, Fault)
    assert fault.reason == "bad_label"


@pytest.mark.parametrize("label", HONEST)
def test_an_honest_label_is_taken_wherever_its_words_stand_too(tmp_path: Path, label: str) -> None:
    spans = [{"start": start, "end": end, "label": label} for start, end in MARKED]
    taken = door.read_predictions(written(tmp_path, {"id": "r1", "spans": spans}), {"r1": LONG})
    assert set(taken.pred_spans["source_label"]) == {label}
    assert answered(tmp_path, label) == {}


def test_labels_without_texts_are_checked_for_all_that_needs_none(tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 1, "label": label} for label in ("N\n", "N" * 65, "N")]
    found = door.validate(written(tmp_path, {"id": "r1", "spans": spans}))
    assert [finding.detail for finding in found] == [
        "spans[0] has a label that holds a line break or control character",
        "spans[1] has a label that is longer than 64 characters",
    ]


def test_many_labels_and_many_spans_cost_little() -> None:
    marked = [f"surface number {place}" for place in range(20_000)]
    labels = [f"a label that is number {place}" for place in range(2_000)]
    began = time.perf_counter()
    assert labels_with_text([*labels * 10, "surface_number-7"], marked, " ".join(marked)) == [20_000]
    assert time.perf_counter() - began < 10


def answered(folder: Path, label: str) -> dict[str, int]:
    """The errors of a run whose detector gives a label to all that is marked."""

    class Labels:
        description = Description("rules", "labels", None, None, None, "*", {}, {})

        def __call__(self, texts: Any) -> list[Answer]:
            return [Answer(tuple(Span(start, end, label) for start, end in MARKED), len(LONG)) for _ in texts]

    predict([Text("a", LONG)], Labels(), folder / "run", "inputs")
    return dict(answers(folder / "run").errors)


@pytest.mark.parametrize("label", ["Zbyszko", "zbyszko", "ZBYSZKO"])
def test_a_prediction_labelled_with_what_it_marks_is_refused(tmp_path: Path, label: str) -> None:
    spans = [{"start": 0, "end": 7, "label": "PERSON"}, {"start": 12, "end": 19, "label": label}]
    path = written(tmp_path, {"id": "r1", "spans": spans})
    assert told(lambda: door.read_predictions(path, {"r1": TEXT}))[0] == ["bad_label"]
    in_bytes = written(tmp_path, {"id": "r1", "spans": [{"start": 13, "end": 20, "label": label}]})
    assert told(lambda: door.read_predictions(in_bytes, {"r1": "é" + TEXT[1:]}, "byte"))[0] == ["bad_label"]
    allowed = written(tmp_path, {"id": "r1", "spans": [{"start": 23, "end": 29, "label": "PERSON"}]})
    assert door.read_predictions(allowed, {"r1": TEXT}).pred_spans["source_label"] == ["PERSON"]


@pytest.mark.parametrize("role", ["spans", "excluded"])
def test_gold_labelled_with_what_it_marks_is_refused(tmp_path: Path, role: str) -> None:
    row = {"id": "r1", "text": TEXT, "spans": [], role: [{"start": 0, "end": 7, "label": "Quillon"}]}
    assert told(lambda: door.read_rows(written(tmp_path, row)))[0] == ["bad_label"]


@pytest.mark.parametrize("key", ["id", "dataset", "doc_id", "passage_id", "source", "split", "carrier", "language"])
@pytest.mark.parametrize("name", [TEXT, "quillon"])
def test_a_row_named_after_its_text_or_its_gold_is_refused(tmp_path: Path, key: str, name: str) -> None:
    row = {"id": "r1", "text": TEXT, "spans": [{"start": 0, "end": 7, "label": "NAME"}]}
    reasons, said = told(lambda: door.read_rows(written(tmp_path, {**row, key: name})))
    assert reasons == ["bad_name"]
    assert repr(key) in said
    assert door.read_rows(written(tmp_path, {**row, "dataset": "Person"})).rows["corpus"] == ["Person"]


def test_a_slice_named_after_gold_is_refused(tmp_path: Path) -> None:
    row = {"id": "r1", "text": TEXT, "spans": [{"start": 0, "end": 7, "label": "NAME"}], "slices": {"Quillon": "x"}}
    assert told(lambda: door.read_rows(written(tmp_path, row)))[0] == ["bad_name"]


def test_rows_whose_ids_are_text_are_told_by_their_place(tmp_path: Path) -> None:
    lines = [{"text": text, "spans": []} for text in (TEXT, f"{TEXT} Twice.", TEXT)]
    path = written(tmp_path, *lines)
    assert told(lambda: door.read_rows(path, {"id": "text"}))[0] == ["bad_name", "bad_name", "duplicate_row"]
    texts = {"r1": TEXT, f"{TEXT} is": "x", "Quillon": TEXT}
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("")
    reasons, said = told(lambda: door.read_predictions(nothing, texts))
    assert reasons == ["missing_rows"] * 3
    assert "row 2: the file has no line for it" in said
    assert "row 3: the file has no line for it" in said


def test_a_detector_that_labels_with_what_it_marks_has_not_answered(tmp_path: Path) -> None:
    class Careless:
        description = Description("rules", "careless", None, None, None, "*", {}, {})

        def __call__(self, texts: Any) -> list[Answer]:
            return [Answer((Span(0, 7, text.text[:7] if text.row_id == "b" else "NAME"),), 30) for text in texts]

    predict([Text("a", TEXT), Text("b", TEXT)], Careless(), tmp_path / "run", "inputs")
    found = answers(tmp_path / "run")
    assert (found.errors, found.pred_spans["row_id"].to_pylist()) == ({"BadAnswerError": 1}, ["a"])


def test_masks_and_gold_of_tab_labelled_with_what_they_mark_are_refused(tmp_path: Path) -> None:
    masks = {"d1": {"tokens": ["Quillon"], "labels": ["B-Quillon"]}}
    assert told(lambda: tab.read_masked(written(tmp_path, masks), {"d1": TEXT}))[0] == ["bad_label"]
    mention = {"entity_id": "e", "entity_type": "Quillon", "identifier_type": "DIRECT"}
    mention |= {"start_offset": 0, "end_offset": 7, "span_text": "Quillon"}
    document = {"doc_id": "Zbyszko", "text": TEXT, "annotations": {"a1": {"entity_mentions": [mention]}}}
    assert told(lambda: tab.read_gold(written(tmp_path, [document])))[0] == ["bad_label"]
    assert told(lambda: tab.read_masked(written(tmp_path, {TEXT: []}), {"d1": TEXT}))[0] == ["unknown_row"]


def document(**changes: Any) -> Document:
    return Document("d1", SOURCE.splits[0], TEXT, (), None, {})._replace(**changes)


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([document(doc_id="d2"), document(), document()], "has two documents d1"),
        ([document(doc_id=TEXT), document(), document(doc_id=TEXT)], "documents number 1 and 3 have one id"),
        ([document(split="odd")], "document d1 is of the split 'odd', expected one of "),
        ([document(split="Zbyszko")], "document d1 is of a split that is not listed, expected one of "),
        ([document(doc_id="Quillon", split=TEXT)], "document number 1 is of a split that is not listed"),
        ([document(slices={"k": "v"})], "document d1 has the unlisted slice 'k'"),
        ([document(slices={"Quillon": "v"})], "document d1 has an unlisted slice"),
        ([document(spans=(Gold(0, 7, "quillon"),))], "document d1 has a span 0 to 7 whose label is the text"),
        ([document(doc_id=7)], "document number 1: its id, text, split or a slice is not a text"),
        ([document(spans=(Gold(0, 7, "X", 7),))], "document number 1: an entity id, identifier type or annotator"),  # type: ignore[arg-type]  # what a careless reader gives
        ([document(doc_id="\ud83d")], "document number 1: holds half of a surrogate pair"),
        ([document(spans=(Gold(0, 7, "\ud83d"),))], "document number 1: holds half of a surrogate pair"),
        ([document(spans=(Gold(0, 7, "X", "\ud83d"),))], "document number 1: holds half of a surrogate pair"),
        ([document(annotators=("\ud83d",))], "document number 1: holds half of a surrogate pair"),
        ([document(slices={"k": "\ud83d"})], "document number 1: holds half of a surrogate pair"),
    ],
)
def test_a_document_that_cannot_be_is_refused_and_none_of_its_text_told(documents: list[Document], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        _documents.check(SOURCE, documents)
    assert said in str(caught.value)
    assert not any(secret in str(caught.value) for secret in SECRETS)
    str(caught.value).encode()


def test_labels_that_may_be_text_are_counted_and_not_told() -> None:
    con = warehouse.connect()
    spans = {"row_id": ["r"] * 2, "span_id": [0, 1], "start_char": [0, 3], "end_char": [3, 6]}
    warehouse.fill(con, "gold_spans", {**spans, "surface": ["Bob", "Eve"], "source_label": ["bob", "NAME"]})
    labels = [
        {"corpus": "c", "source_label": label, "n_spans": n_spans}
        for label, n_spans in (("NAME", 2), ("bob", 1), ("Quillon met Zbyszko", 3))
    ]
    shown, hidden = label_maps._told(con, labels)
    assert shown == "c:NAME (2 spans)"
    assert hidden.startswith("2 labels that are no single word and may be text (4 spans;")
