"""TAB's own files: what is read from them, and what is wrong with them, which never says a word of their text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import warehouse
from piibench_duck.door import Refused
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tab

TEXT = "Ms Jane Roe applied in 2001."
TEXTS = {"d1": TEXT, "d2": "😀 Bo Fox left.", "d3": ""}


def mention(start: int, end: int, kind: str = "DIRECT", entity: object = "e1", text: str = TEXT) -> dict[str, object]:
    return {
        "span_text": text[start:end],
        "start_offset": start,
        "end_offset": end,
        "entity_type": "PERSON",
        "entity_id": entity,
        "entity_mention_id": "m",
        "identifier_type": kind,
    }


def document(doc_id: object = "d1", **annotations: list[dict[str, object]]) -> dict[str, Any]:
    annotated = {annotator: {"entity_mentions": mentions} for annotator, mentions in annotations.items()}
    return {"doc_id": doc_id, "text": TEXT, "dataset_type": "dev", "annotations": annotated}


def written(folder: Path, value: object) -> Path:
    path = folder / "file.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def test_a_document_is_a_row_and_spans_keep_the_order_of_the_file(tmp_path: Path) -> None:
    a2 = [mention(23, 27, "QUASI", "e9"), mention(3, 11, "NO_MASK", "e8")]
    other = {**document("d2"), "dataset_type": None, "meta": {"year": 2001, "applicant": "Jane Roe"}}
    gold = tab.read_gold(written(tmp_path, [document("d1", a1=[mention(3, 11)], a2=a2, a3=[]), other]))
    assert gold.texts == {"d1": TEXT, "d2": TEXT}
    assert [dict(zip(gold.rows, line, strict=True)) for line in zip(*gold.rows.values(), strict=True)] == [
        {
            **dict.fromkeys(("row_id", "doc_id", "passage_id"), row_id),
            **{"corpus": "tab", "source": "tab", "split": split, "passage_start": 0, "language": "en"},
            **{"carrier": "prose", "licence": "unknown", "text": TEXT, "n_chars": len(TEXT), "slices": slices},
        }
        for row_id, split, slices in (("d1", "dev", []), ("d2", "all", [("year", "2001")]))
    ]
    spans = gold.gold_spans
    assert spans["span_id"] == [0, 1, 2]
    assert list(zip(spans["start_char"], spans["end_char"], spans["surface"], strict=True)) == [
        *((3, 11, "Jane Roe"), (23, 27, "2001"), (3, 11, "Jane Roe"))
    ]
    assert spans["role"] == [None] * 3
    assert list(zip(spans["entity_id"], spans["identifier_type"], spans["annotator"], strict=True)) == [
        *(("e1", "DIRECT", "a1"), ("e9", "QUASI", "a2"), ("e8", "NO_MASK", "a2"))
    ]
    assert gold.annotators == {"row_id": ["d1"] * 3, "annotator": ["a1", "a2", "a3"]}


def test_what_is_read_passes_the_contracts(tmp_path: Path) -> None:
    gold = tab.read_gold(written(tmp_path, [document("d1", a1=[mention(3, 11)])]))
    masks = tab.read_masked(written(tmp_path, {"d1": [[0, 2], [0, 2]]}), gold.texts)
    forgiven = tab.read_forgiven(written(tmp_path, {"d1": [[0, 2]]}), gold.texts)
    weights = tab.read_weights(written(tmp_path, {"d1": [[0, 2, 1], [3, 7, 0.5]]}), gold.texts)
    con = warehouse.connect()
    for table, columns in (
        *(("rows", gold.rows), ("gold_spans", gold.gold_spans), ("annotators", gold.annotators)),
        *(("forgiven", forgiven.columns), ("token_weights", weights.columns)),
    ):
        warehouse.fill(con, table, columns)
    for table, columns in (("run_rows", masks.run_rows), ("pred_spans", masks.pred_spans)):
        warehouse.fill(con, table, {"run_id": ["m"] * len(columns["row_id"]), **columns})
    assert con.sql("select * from contracts.forgiven").fetchall() == [("d1", 0, 2, "file")]
    assert con.sql("select * from contracts.token_weights").fetchall() == [("d1", 0, 2, 1.0), ("d1", 3, 7, 0.5)]
    assert len(con.sql("select * from contracts.pred_spans").fetchall()) == 2


def test_a_surface_that_differs_is_counted_and_the_offsets_win(tmp_path: Path) -> None:
    gold = tab.read_gold(written(tmp_path, [document("d1", a1=[mention(3, 11) | {"span_text": "jane roe"}])]))
    assert (gold.n_surface_mismatches, gold.gold_spans["surface"]) == (1, ["Jane Roe"])
    told = tab.surface_warning(gold)
    assert told is not None
    assert "1 of 1" in told
    assert "UTF-16" in told
    assert "Roe" not in told
    assert tab.surface_warning(tab.read_gold(written(tmp_path, [document("d1", a1=[mention(3, 11)])]))) is None


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ({"d1": []}, "an object, a JSON array of TAB's documents was expected"),
        ([], "no documents; at least one was expected"),
        ([document(), document()], "1 fault, in 'd1': duplicate_row"),
        (["Roe"], "document 0: is a string, an object was expected"),
        ([document(), document("")], "document 1: 'doc_id' is empty"),
        ([document(7)], "document 0: 'doc_id' is an integer, a string was expected"),
        ([{**document(), "text": None}], "row 'd1': bad_schema: 'text' is null, a string was expected"),
        ([{**document(), "text": ["Roe"]}], "'text' is an array, a string was expected"),
        ([{**document(), "dataset_type": 3}], "'dataset_type' is an integer, a string was expected"),
        ([{**document(), "meta": "Roe"}], "'meta' is a string, an object was expected"),
        ([{"doc_id": "d1", "text": TEXT}], "no 'annotations'; an object with a key for each annotator was expected"),
        ([{**document(), "annotations": [TEXT]}], "'annotations' is an array, an object with a key for each annotator"),
        ([{**document(), "annotations": {"a1": []}}], "annotator 'a1': is an array, an object with 'entity_mentions'"),
        ([{**document(), "annotations": {"a1": {}}}], "annotator 'a1': no 'entity_mentions'; an array was expected"),
        ([document(a1=["Roe"])], "annotator 'a1': mention 0: is a string, an object was expected"),  # type: ignore[list-item]  # wrong on purpose
        (
            [document(a1=[mention(3, 99)])],
            "out_of_range: annotator 'a1': mention 0: [3, 99) of a text of 28 code points",
        ),
        ([document(a1=[mention(3, 11) | {"end_offset": 10**400}])], "[3, a huge number) of a text of 28 code points"),
        ([document(a1=[mention(3, 3)])], "empty_span: annotator 'a1': mention 0: [3, 3)"),
        ([document(a1=[mention(5, 3)])], "inverted_span: annotator 'a1': mention 0: [5, 3)"),
        ([document(a1=[mention(3, 11) | {"start_offset": 3.0}])], "mention 0: 'start_offset' is a number, an integer"),
        ([document(a1=[mention(3, 11) | {"end_offset": True}])], "mention 0: 'end_offset' is true or false"),
        ([document(a1=[mention(3, 11) | {"span_text": 7}])], "mention 0: 'span_text' is an integer, a string was"),
        ([document(a1=[mention(3, 11) | {"entity_type": ""}])], "mention 0: 'entity_type' is empty"),
        (
            [document(), document("d2", a1=[mention(3, 11)], a2=[mention(3, 11), mention(3, 11, entity=None)])],
            "row 'd2': bad_schema: annotator 'a2': mention 1: 'entity_id' is null, a string was expected",
        ),
        (
            [document(a1=[{key: value for key, value in mention(3, 11).items() if key != "entity_id"}])],
            "row 'd1': bad_schema: annotator 'a1': mention 0: no 'entity_id'; a string was expected",
        ),
        ([document(a1=[mention(3, 11, "MAYBE")])], "mention 0: 'identifier_type' is none of DIRECT, QUASI, NO_MASK"),
        ([document(**{"": [mention(3, 11)]})], "row 'd1': bad_schema: annotator 0: has no name"),
        ('[{"doc_id": "d1", "doc_id": "Roe"}]', "bad_schema"),
        ('[{"doc_id": "d1", "text": "\\ud83d"}]', "lone_surrogate"),
        ('[{"text": "Roe"', "not JSON at character 15; a JSON array of TAB's documents was expected"),
        (
            '{"text": "Roe"}\n{"text": "Bo"}',
            "one JSON value and more from character 16, as in JSON lines; a JSON array",
        ),
        ("[NaN]", "bad_json"),
        ("[" * 100_000, "bad_json"),
    ],
)
def test_gold_that_is_wrong_is_refused_in_one_sentence_without_its_text(tmp_path: Path, gold: Any, said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        tab.read_gold(written(tmp_path, gold))
    told = "\n".join([str(caught.value), *map(str, getattr(caught.value, "findings", []))])
    assert said in told
    assert "Roe" not in told
    assert "\n" not in str(caught.value)


def test_every_fault_of_the_gold_is_told_with_the_first_in_the_sentence(tmp_path: Path) -> None:
    wrong = [document("d1", a1=[mention(3, 11, "MAYBE"), mention(3, 99)]), "Roe", document("d3", a1=[mention(5, 3)])]
    with pytest.raises(Refused) as caught:
        tab.read_gold(written(tmp_path, wrong))
    assert [(finding.row_id, finding.reason) for finding in caught.value.findings] == [
        *(("d1", "bad_schema"), ("d1", "out_of_range"), (None, "bad_schema"), ("d3", "inverted_span"))
    ]


def test_masks_are_spans_with_twins_and_what_is_not_named_is_missing(tmp_path: Path) -> None:
    masks = tab.read_masked(written(tmp_path, {"d2": [[2, 8], [2, 8], [2, 4]], "d3": []}), TEXTS)
    assert masks.run_rows == {"row_id": ["d2", "d3"], "status": ["ok", "ok"], "chars_seen": [14, 0]}
    assert masks.pred_spans == {
        "row_id": ["d2"] * 3,
        "start_char": [2, 2, 2],
        "end_char": [8, 8, 4],
        "source_label": ["MASK"] * 3,
        "score": [None] * 3,
    }
    assert masks.missing_row_ids == ["d1"]


def test_offsets_may_count_other_units(tmp_path: Path) -> None:
    masks = tab.read_masked(written(tmp_path, {"d2": [[3, 9]]}), TEXTS, "utf16")
    assert (masks.pred_spans["start_char"], masks.pred_spans["end_char"]) == ([2], [8])


@pytest.mark.parametrize(
    ("tokens", "n_seen"),
    [
        (["😀", "Bo", "Fox", "left", "."], 14),
        ([[0, 1], [2, 4], [5, 8], [9, 13], [13, 14]], 14),
        (["😀", "Bo", "Fox", "left"], 13),
        ([[0, 1], [2, 4], [5, 8], [9, 13]], 14),  # offsets may leave out what is no word
        ([[0, 1], [2, 4], [5, 8]], 8),
    ],
)
def test_labels_of_tokens_are_read_as_well(tmp_path: Path, tokens: list[Any], n_seen: int) -> None:
    labels = ["O", "B-PER", "I-PER", "NO_MASK", "MASK"][: len(tokens)]
    masks = tab.read_masked(written(tmp_path, {"d2": {"tokens": tokens, "labels": labels}}), TEXTS)
    spans = list(zip(*(masks.pred_spans[name] for name in ("start_char", "end_char", "source_label")), strict=True))
    assert spans == [(2, 8, "PER"), *([(13, 14, "MASK")] if len(tokens) == 5 else [])]
    status = "ok" if n_seen == 14 else "truncated"
    assert masks.run_rows == {"row_id": ["d2"], "status": [status], "chars_seen": [n_seen]}


@pytest.mark.parametrize(
    ("masks", "reason", "detail"),
    [
        ({"Roe-9": []}, "unknown_row", "there is no such document"),
        ({"d1": [[3, 29]]}, "out_of_range", "spans[0] is [3, 29) of a text of 28 code points"),
        ({"d1": [[-1, 2]]}, "out_of_range", "spans[0] is [-1, 2) of a text of 28 code points"),
        ({"d1": [[3, 10**40]]}, "out_of_range", "spans[0] is [3, a huge number) of a text of 28 code points"),
        ({"d1": [[0, 1], [5, 3]]}, "inverted_span", "spans[1] is [5, 3) of a text of 28 code points"),
        ('{"d1": [[3, 1%s]]}' % ("0" * 5000), "out_of_range", "[3, a huge number)"),
        ({"d1": [[5, 5]]}, "empty_span", "spans[0] is [5, 5) of a text of 28 code points"),
        ({"d1": [[5.0, 6]]}, "bad_schema", "spans[0] is [a number, an integer], [start, end] with integers"),
        ({"d1": [[True, 6]]}, "bad_schema", "spans[0] is [true or false, an integer], [start, end]"),
        ({"d1": [[5, 6, "Roe"]]}, "bad_schema", "spans[0] is [an integer, an integer, a string], [start, end]"),
        (
            {"d1": [[0, 1], {"start": 5}]},
            "bad_schema",
            "spans[1] is an object, [start, end] with integers as its first",
        ),
        ({"d1": [[1, 2, 3, 4]]}, "bad_schema", "spans[0] is an array of 4, [start, end]"),
        ({"d1": "Roe"}, "bad_schema", "a string, an array of [start, end], or an object of token labels, was expected"),
        ({"d1": {"tokens": ["Ms"]}}, "bad_schema", "an object without 'labels', arrays 'tokens' and 'labels' were"),
        ({"d1": {"tokens": "Ms", "labels": ["O"]}}, "bad_schema", "'tokens' is a string, arrays 'tokens' and 'labels'"),
        ({"d1": {"tokens": ["Ms", [3, 7]], "labels": ["O", "O"]}}, "bad_schema", "'tokens' mixes strings with others"),
        (
            {"d1": {"tokens": ["Ms"], "labels": ["O"], "more": 1}},
            "bad_schema",
            "3 keys, only 'tokens' and 'labels' were expected",
        ),
        ({"d1": {"tokens": [3], "labels": ["O"]}}, "bad_schema", "tokens[0] is an integer, [start, end] with"),
        ({"d1": {"tokens": ["Roe"], "labels": ["O"]}}, "surface_mismatch", "tokens[0] is not what the text has"),
        ({"d1": {"tokens": ["Ms"], "labels": ["Roe"]}}, "bad_schema", "labels[0] is none of"),
        ({"d1": {"tokens": ["Ms"], "labels": []}}, "bad_schema", "0 labels for 1 tokens"),
        ({"d1": {"tokens": [[0, 99]], "labels": ["O"]}}, "out_of_range", "tokens[0] is [0, 99)"),
        ({"d1": {"tokens": [[3, 7], [0, 2]], "labels": ["O", "O"]}}, "bad_schema", "tokens[1] begins before tokens[0]"),
        ('{"d1": [], "d1": [[0, 2]]}', "duplicate_row", "the document stands twice"),
        ('{"d1": {"tokens": [], "tokens": [], "labels": []}}', "bad_schema", "a key stands twice in one object"),
        ('{"\\ud83d": []}', "lone_surrogate", "half of a surrogate pair"),
        ([["Roe"]], "bad_schema", "an array, a JSON object with the masks of each document was expected"),
        ('{"d1": [[3, 11]]} Roe', "bad_json", "more from character 18, as in JSON lines; a JSON object with"),
    ],
)
def test_masks_that_are_wrong_are_refused_with_a_reason(tmp_path: Path, masks: Any, reason: str, detail: str) -> None:
    with pytest.raises(Refused) as caught:
        tab.read_masked(written(tmp_path, masks), TEXTS)
    (finding,) = caught.value.findings
    assert finding.reason == reason
    assert detail in finding.detail
    assert "Roe" not in finding.detail


def test_every_fault_of_every_document_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        tab.read_masked(written(tmp_path, {"d1": [[5, 3], [1, 99], [0, 2]], "d9": [], "d2": [[1, 1]]}), TEXTS)
    assert [(finding.row_id, finding.reason) for finding in caught.value.findings] == [
        *(("d1", "inverted_span"), ("d1", "out_of_range"), ("d9", "unknown_row"), ("d2", "empty_span"))
    ]
    assert str(caught.value) == f"{tmp_path / 'file.json'}: 4 faults, the first in 'd1': inverted_span"


@pytest.mark.parametrize("read", [tab.read_masked, tab.read_forgiven, tab.read_weights])
def test_an_empty_object_is_a_file_of_nothing(tmp_path: Path, read: Callable[[Path, dict[str, str]], Any]) -> None:
    read(written(tmp_path, "{}"), TEXTS)
    assert tab.read_masked(written(tmp_path, "{}"), TEXTS).missing_row_ids == ["d1", "d2", "d3"]
    with pytest.raises(PiibenchError, match="cannot be read"):
        read(tmp_path / "absent.json", TEXTS)


@pytest.mark.parametrize("bits", [-0.1, "1", None, True, 10**400])
def test_weights_are_finite_and_not_negative(tmp_path: Path, bits: object) -> None:
    with pytest.raises(Refused) as caught:
        tab.read_weights(written(tmp_path, {"d1": [[0, 2, 1.5], [3, 7, bits]]}), TEXTS)
    (finding,) = caught.value.findings
    assert "weights[1]" in finding.detail
    assert "as its third, a number of bits from 0 to" in finding.detail


def test_a_bom_is_no_fault(tmp_path: Path) -> None:
    assert tab.read_masked(written(tmp_path, '\ufeff{"d1": []}'), TEXTS).run_rows["row_id"] == ["d1"]


@pytest.mark.corpora
def test_real_documents_and_masks_are_read(mirror: Path) -> None:
    folder = mirror.parent / "cases" / "tab_compat"
    gold = tab.read_gold(folder / "gold.json")
    assert (len(gold.texts), len(gold.gold_spans["row_id"]), len(gold.annotators["row_id"])) == (52, 2942, 72)
    masks = tab.read_masked(folder / "masked_jitter.json", gold.texts)
    assert (len(masks.run_rows["row_id"]), len(masks.pred_spans["row_id"])) == (52, 1918)
    assert len(tab.read_forgiven(folder / "ignorable.json", gold.texts).columns["row_id"]) == 10_848
    assert len(tab.read_weights(folder / "weights.json", gold.texts).columns["row_id"]) == 31_714
