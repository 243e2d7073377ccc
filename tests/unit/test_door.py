"""Files from outside: what is taken, what is refused, and what is said of it."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import places
from piibench_duck.door import Refused, as_json, read_predictions, read_rows, validate
from piibench_duck.errors import PiibenchError

ROW = {"id": "r1", "text": "Ana Fox", "spans": [{"start": 0, "end": 3, "label": "PERSON"}]}
PREDICTION = {"id": "r1", "spans": [{"start": 0, "end": 3, "label": "PERSON"}]}
TEXTS = {"r1": "Ana Fox", "r2": "Bo"}

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Lines, as objects, strings or bytes, into a file."""

    def write(*lines: Any, name: str = "file.jsonl") -> Path:
        encoded = [
            line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
            for line in lines
        ]
        path = tmp_path / name
        path.write_bytes(b"".join(line + b"\n" for line in encoded))
        return path

    return write


def reasons(action: Callable[[], object]) -> list[tuple[int | None, str]]:
    with pytest.raises(Refused) as refused:
        action()
    return [(finding.line, finding.reason) for finding in refused.value.findings]


def span(**changes: Any) -> dict[str, Any]:
    return {"id": "r1", "spans": [{"start": 0, "end": 3, "label": "PERSON", **changes}]}


def contract_columns(table: str) -> list[str]:
    statement = (places.sql_dir() / "contracts" / f"{table}.sql").read_text("utf-8")
    return re.findall(r"^    (\w+) ", statement, flags=re.MULTILINE)


# What is taken


def test_the_columns_are_those_of_the_contracts(write: Write) -> None:
    rows = read_rows(write(ROW))
    assert list(rows.rows) == contract_columns("rows")
    assert list(rows.gold_spans) == contract_columns("gold_spans")
    assert list(rows.alignments) == contract_columns("alignments")
    predictions = read_predictions(write(PREDICTION), rows)
    assert ["run_id", *predictions.run_rows] == contract_columns("run_rows")
    assert ["run_id", *predictions.pred_spans] == contract_columns("pred_spans")


def test_what_a_rows_line_leaves_out_has_a_default(write: Write) -> None:
    assert {name: column[0] for name, column in read_rows(write(ROW)).rows.items()} == {
        **{"row_id": "r1", "corpus": "all", "source": "all", "split": "all", "doc_id": "r1", "passage_id": "r1"},
        **{"passage_start": 0, "language": "und", "carrier": "unknown", "licence": "unknown"},
        **{"text": "Ana Fox", "n_chars": 7, "slices": []},
    }


def test_the_passage_is_the_id_without_its_carrier(write: Write) -> None:
    rows = read_rows(
        write(
            {**ROW, "id": "p7@json", "carrier": "json"},
            {**ROW, "id": "p7@xml", "carrier": "json"},
            {**ROW, "id": "p8@json", "carrier": "json", "passage_id": "p9"},
            {**ROW, "id": "@json", "carrier": "json"},
        )
    )
    assert rows.rows["passage_id"] == ["p7", "p7@xml", "p9", "@json"]


def test_everything_a_rows_line_can_say_is_kept(write: Write) -> None:
    full = {
        **{"id": "r1", "dataset": "c", "source": "s", "split": "dev", "doc_id": "d", "passage_id": "p"},
        **{"passage_start": 12, "language": "en", "carrier": "json", "licence": "MIT", "text": "{Ana}"},
        **{"slices": {"b": "2", "a": "1"}, "annotators": ["a1", "a2", "a1"], "colour": ["ignored"]},
        "spans": [
            {
                **{"start": 1, "end": 4, "label": "PERSON", "text": "Ana"},
                **{"entity_id": "e1", "identifier_type": "DIRECT", "annotator": "a1"},
            }
        ],
        "excluded": [{"start": 0, "end": 1, "label": "CODE"}],
        "alignments": [
            {"wire_start": 4, "wire_end": 5, "kind": "lookalike"},
            {
                **{"wire_start": 1, "wire_end": 4, "passage_start": 0, "passage_end": 3},
                **{"kind": "copied", "value_index": 0},
            },
        ],
    }
    rows = read_rows(write(full))
    assert {name: column[0] for name, column in rows.rows.items()} == {
        **{"row_id": "r1", "corpus": "c", "source": "s", "split": "dev", "doc_id": "d", "passage_id": "p"},
        **{"passage_start": 12, "language": "en", "carrier": "json", "licence": "MIT", "text": "{Ana}", "n_chars": 5},
        "slices": [("a", "1"), ("b", "2")],
    }
    assert list(zip(*rows.gold_spans.values(), strict=True)) == [
        ("r1", 0, 1, 4, "Ana", "PERSON", "scored", "e1", "DIRECT", "a1"),
        ("r1", 1, 0, 1, "{", "CODE", "excluded", None, None, None),
    ]
    assert list(zip(*rows.alignments.values(), strict=True)) == [
        ("r1", 0, 0, 1, 4, 0, 3, "copied"),
        ("r1", 1, None, 4, 5, None, None, "lookalike"),
    ]
    assert rows.annotators == {"row_id": ["r1", "r1"], "annotator": ["a1", "a2"]}
    assert read_rows(write(ROW, {**ROW, "id": "r2", "annotators": []})).annotators is None


def test_null_is_as_good_as_absent_where_a_key_may_be_absent(write: Write) -> None:
    assert read_rows(write({**ROW, "dataset": None, "language": None})).rows["corpus"] == ["all"]
    assert read_predictions(write(span(score=None, text=None)), {"r1": "Ana Fox"}).pred_spans["score"] == [None]


@pytest.mark.parametrize(
    "line",
    [
        {"row_id": "r1", "entities": [{"start_offset": 0, "end_offset": 3, "entity_type": "PERSON", "confidence": 1}]},
        {"example_id": "r1", "predictions": [{"begin": 0, "stop": 3, "tag": "PERSON", "score": 1}]},
        {"id": "r1", "spans": [{"start_char": 0, "end_char": 3, "type": "PERSON", "value": "Ana", "score": 1.0}]},
    ],
)
def test_usual_other_spellings_are_understood(line: object, write: Write) -> None:
    taken = read_predictions(write(line), {"r1": "Ana Fox"})
    assert [column[0] for column in taken.pred_spans.values()] == ["r1", 0, 3, "PERSON", 1.0]


def test_two_spellings_of_one_key_are_ambiguous_and_a_map_settles_it(write: Write) -> None:
    path = write(span(begin=4))
    with pytest.raises(Refused) as refused:
        read_predictions(path, {"r1": "Ana Fox"})
    assert refused.value.findings[0].reason == "bad_schema"
    assert "both 'start' and 'begin'" in refused.value.findings[0].detail
    assert read_predictions(path, {"r1": "Ana Fox"}, key_map={"start": "start"}).pred_spans["start_char"] == [0]


def test_a_mapped_key_is_read_under_its_mapped_name_alone(write: Write) -> None:
    mapped = {"id": "r1", "spans": [{"from": 0, "end": 3, "label": "PERSON"}]}
    assert read_predictions(write(mapped), {"r1": "Ana Fox"}, key_map={"start": "from"}).pred_spans["end_char"] == [3]
    path = write(PREDICTION)
    assert reasons(lambda: read_predictions(path, {"r1": "Ana Fox"}, key_map={"start": "from"})) == [(1, "bad_schema")]


def test_a_map_of_a_key_that_no_file_has_is_refused(write: Write) -> None:
    with pytest.raises(PiibenchError, match=r"no key 'begin'; there are .*start"):
        read_rows(write(ROW), {"begin": "from"})


def test_one_map_may_serve_a_rows_file_and_its_predictions(write: Write) -> None:
    key_map = {"text": "body", "score": "p"}
    rows = read_rows(write({"id": "r1", "body": "Ana Fox", "spans": []}), key_map)
    assert read_predictions(write(span(p=0.5)), rows, key_map=key_map).pred_spans["score"] == [0.5]


def test_a_run_that_saw_part_of_a_text_says_so(write: Write) -> None:
    taken = read_predictions(write({**PREDICTION, "chars_seen": 4}, {"id": "r2", "spans": []}), TEXTS)
    assert taken.run_rows == {"row_id": ["r1", "r2"], "status": ["truncated", "ok"], "chars_seen": [4, 2]}


def test_the_digest_is_of_the_bytes_of_the_file(write: Write) -> None:
    path = write(ROW)
    assert read_rows(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_empty_lines_are_no_lines_but_are_counted(write: Write) -> None:
    path = write(b"", b"\r", json.dumps(ROW).encode() + b"\r", b"", b"{")
    assert reasons(lambda: read_rows(path)) == [(5, "bad_json")]


def test_one_byte_order_mark_goes_and_a_second_stays(write: Write) -> None:
    assert read_rows(write(b"\xef\xbb\xbf" + json.dumps(ROW).encode())).rows["row_id"] == ["r1"]
    path = write(b"\xef\xbb\xbf\xef\xbb\xbf" + json.dumps(ROW).encode())
    assert reasons(lambda: read_rows(path)) == [(1, "bad_json")]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x7f"])
def test_a_line_ends_at_a_line_feed_and_nowhere_else(separator: str, write: Write) -> None:
    text = f"a{separator}b"
    path = write(json.dumps({"id": "r1", "text": text, "spans": []}, ensure_ascii=False))
    assert read_rows(path).rows["text"] == [text]


def test_text_is_never_normalised(write: Write) -> None:
    text = "Jose\u0301 \ufeff\u200b A\u030a \x00"
    assert read_rows(write({"id": "r1", "text": text, "spans": []})).rows["text"] == [text]


# What is refused


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "bad_json"),
        (b'{"id": "\xff"}', "bad_json"),
        (b"\xff\xfe{\x00}\x00", "bad_json"),
        ("  ", "bad_json"),
        ('{"id": "r1", "spans": []} junk', "bad_json"),
        ('{"id": "r1", "spans": [], "x": NaN}', "bad_json"),
        ('{"id": "r1", "spans": [], "x": -Infinity}', "bad_json"),
        ("[" * 100_000, "bad_json"),
        ('{"id": "r1", "spans": [], "x": "\n"}'.replace("\n", "\t"), "bad_json"),
        ("[]", "bad_schema"),
        ("null", "bad_schema"),
        ("7", "bad_schema"),
        ({"id": "r1"}, "bad_schema"),
        ({"spans": []}, "bad_schema"),
        ({"id": 1, "spans": []}, "bad_schema"),
        ({"id": ["r1"], "spans": []}, "bad_schema"),
        ({"id": None, "spans": []}, "bad_schema"),
        ({"id": "", "spans": []}, "bad_schema"),
        ({"id": "r1", "spans": None}, "bad_schema"),
        ({"id": "r1", "spans": {}}, "bad_schema"),
        ({"id": "r1", "spans": [[0, 3, "PERSON"]]}, "bad_schema"),
        ({"id": "r1", "row_id": "r1", "spans": []}, "bad_schema"),
        ('{"id": "r1", "id": "r1", "spans": []}', "bad_schema"),
        ('{"id": "r1", "spans": [{"start": 0, "start": 1, "end": 3, "label": "X"}]}', "bad_schema"),
        (span(start="0"), "bad_schema"),
        (span(start=1.0), "bad_schema"),
        (span(start=None), "bad_schema"),
        (span(end=False), "bad_schema"),
        ('{"id": "r1", "spans": [{"start": 0, "end": 3e0, "label": "X"}]}', "bad_schema"),
        (span(label=7), "bad_schema"),
        (span(label=None), "bad_schema"),
        ({"id": "r1", "spans": [{"start": 0, "end": 3}]}, "bad_schema"),
        (span(score="0.5"), "bad_schema"),
        (span(score=True), "bad_schema"),
        ('{"id": "r1", "spans": [{"start": 0, "end": 3, "label": "X", "score": 1e999}]}', "bad_schema"),
        (span(score=10**400), "bad_schema"),
        (span(text=3), "bad_schema"),
        ({**PREDICTION, "chars_seen": "7"}, "bad_schema"),
        (r'{"id": "r1", "spans": [], "\udc00": 1}', "lone_surrogate"),
        (r'{"id": "r1\ud800", "spans": []}', "lone_surrogate"),
        (r'{"id": "r1", "spans": [], "x": [["\ud83dx"]]}', "lone_surrogate"),
        (r'{"id": "r1", "spans": [], "x": "\\ud83d\ude42"}', "lone_surrogate"),
        (r'{"id": "r1", "spans": [], "x": "\ude42\ud83d"}', "lone_surrogate"),
        (r'{"id": "r9", "spans": [], "x": "\uD83D"}', "lone_surrogate"),
        ({"id": "r9", "spans": [{"start": 5, "end": 1, "label": "X"}]}, "unknown_row"),
        ({"id": "R1", "spans": []}, "unknown_row"),
        (span(end=10**18), "out_of_range"),
        (span(end=10**400), "out_of_range"),
        ('{"id": "r1", "spans": [{"start": -%s, "end": 3, "label": "X"}]}' % ("9" * 5000), "out_of_range"),
        (span(start=9, end=8), "out_of_range"),
        (span(start=7, end=7), "empty_span"),
        (span(start=3, end=1, text="x"), "inverted_span"),
        (span(text="ana"), "surface_mismatch"),
        ({**PREDICTION, "chars_seen": 8}, "out_of_range"),
        ({**PREDICTION, "chars_seen": -1}, "out_of_range"),
    ],
)
def test_a_bad_predictions_line_is_refused_for_its_first_reason(line: object, reason: str, write: Write) -> None:
    path = write(line)
    assert reasons(lambda: read_predictions(path, {"r1": "Ana Fox"})) == [(1, reason)]


def test_a_surrogate_pair_is_a_character_and_an_escaped_backslash_is_not_an_escape(write: Write) -> None:
    lines = (r'{"id": "r1", "spans": [], "x": "\ud83d\ude42"}', r'{"id": "r2", "spans": [], "x": "\\ud83d"}')
    assert read_predictions(write(*lines), TEXTS).run_rows["row_id"] == ["r1", "r2"]


def copied(*numbers: int) -> dict[str, object]:
    """An alignment: wire_start, wire_end, passage_start, passage_end."""
    names = ("wire_start", "wire_end", "passage_start", "passage_end")
    return {**dict(zip(names, numbers, strict=True)), "kind": "copied", "value_index": 0}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"text": None}, "bad_schema"),
        ({"text": ["Ana"]}, "bad_schema"),
        ({"dataset": 7}, "bad_schema"),
        ({"dataset": ""}, "bad_schema"),
        ({"excluded": None}, "bad_schema"),
        ({"excluded": [{"start": 0, "end": 3}]}, "bad_schema"),
        ({"passage_start": -1}, "bad_schema"),
        ({"passage_start": 2**63}, "bad_schema"),
        ({"passage_start": 1.0}, "bad_schema"),
        ({"slices": {"a": 1}}, "bad_schema"),
        ({"slices": []}, "bad_schema"),
        ({"annotators": "a1"}, "bad_schema"),
        ({"annotators": ["a1", 2]}, "bad_schema"),
        ({"annotators": [""]}, "bad_schema"),
        ({"spans": [{"start": 0, "end": 3, "label": "X", "identifier_type": "MAYBE"}]}, "bad_schema"),
        ({"spans": [{"start": 0, "end": 3, "label": "X", "entity_id": 4}]}, "bad_schema"),
        ({"alignments": [{"wire_start": 0, "wire_end": 3, "kind": "copied"}]}, "bad_schema"),
        ({"alignments": [{"wire_start": 0, "wire_end": 3, "kind": "moved"}]}, "bad_schema"),
        ({"alignments": [{"wire_start": 0, "wire_end": 3, "kind": "lookalike", "value_index": 0}]}, "bad_schema"),
        ({"alignments": [{"wire_start": 0, "wire_end": 8, "kind": "lookalike"}]}, "out_of_range"),
        ({"alignments": [{"wire_start": 3, "wire_end": 2, "kind": "lookalike"}]}, "inverted_span"),
        ({"alignments": [copied(0, 3, 1, 4)]}, "bad_schema"),  # not from the passage's start
        ({"alignments": [copied(0, 3, 0, 2)]}, "bad_schema"),  # not as long
        ({"alignments": [copied(0, 2, 0, 2), copied(1, 3, 2, 4)]}, "bad_schema"),  # over each other
        ({"alignments": [copied(0, 1, 0, 1), copied(1, 2, 2, 3)]}, "bad_schema"),  # a gap in the passage
        ({"alignments": [copied(0, 2, 0, 2), {"wire_start": 1, "wire_end": 3, "kind": "lookalike"}]}, "bad_schema"),
        ({"alignments": [{**copied(0, 1, 0, 1), "kind": "lost"}]}, "bad_schema"),  # lost and there
        ({"alignments": [{**copied(0, 0, 0, 1), "kind": "escaped"}]}, "bad_schema"),  # escaped into nothing
        ({"excluded": [{"start": 4, "end": 8, "label": "X"}]}, "out_of_range"),
        ({"spans": [{"start": 4, "end": 7, "label": "X", "text": "Ana"}]}, "surface_mismatch"),
    ],
)
def test_a_bad_rows_line_is_refused_for_its_first_reason(changes: dict[str, Any], reason: str, write: Write) -> None:
    path = write({**ROW, **changes})
    assert reasons(lambda: read_rows(path)) == [(1, reason)]


def test_the_same_row_twice_is_refused_at_the_second(write: Write) -> None:
    path = write(ROW, {**ROW, "id": "r2"}, ROW)
    assert reasons(lambda: read_rows(path)) == [(3, "duplicate_row")]


def test_one_bad_line_does_not_hide_what_is_wrong_elsewhere(write: Write) -> None:
    path = write(
        r'{"id": "r1", "spans": [], "x": "\ud83d"}',
        "{",
        PREDICTION,
        {"id": "r2", "spans": [{"start": 0, "end": 3, "label": "X"}, {"start": 1, "end": 1, "label": "X"}]},
        {"id": "r9", "spans": []},
        PREDICTION,
    )
    assert reasons(lambda: read_predictions(path, TEXTS)) == [
        (1, "lone_surrogate"),
        (2, "bad_json"),
        (4, "out_of_range"),
        (4, "empty_span"),
        (5, "unknown_row"),
        (6, "duplicate_row"),
    ]


def test_missing_rows_are_looked_for_when_all_else_is_right(write: Write) -> None:
    path = write("", name="empty.jsonl")
    assert reasons(lambda: read_predictions(path, TEXTS)) == [(None, "missing_rows")] * 2
    assert read_predictions(path, TEXTS, allow_missing=True).missing_row_ids == ["r1", "r2"]
    path = write("{")
    assert reasons(lambda: read_predictions(path, TEXTS)) == [(1, "bad_json")]


def test_a_rows_file_without_rows_is_refused_in_a_sentence(write: Write) -> None:
    with pytest.raises(PiibenchError, match="no rows; at least one line"):
        read_rows(write(""))


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_what_cannot_be_read_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(PiibenchError, match="cannot be read"):
        read_rows(tmp_path / name)


def test_an_offset_unit_that_is_none_is_refused(write: Write) -> None:
    with pytest.raises(PiibenchError, match="no offset unit 'utf8'; there are codepoint, utf16, byte"):
        read_predictions(write(PREDICTION), TEXTS, "utf8")  # type: ignore[arg-type]  # what a caller may do


# What is said


def test_a_refusal_is_one_sentence_with_the_list_behind_it(write: Write) -> None:
    path = write(PREDICTION, span(end=9), "{")
    with pytest.raises(Refused) as refused:
        read_predictions(path, TEXTS)
    assert str(refused.value) == f"{path}: 2 faults, the first at line 2: duplicate_row"
    assert json.loads(refused.value.as_json()) == [
        {
            **{"file": str(path), "line": 2, "row_id": "r1", "reason": "duplicate_row"},
            "detail": "the id stands on an earlier line",
        },
        {
            **{"file": str(path), "line": 3, "row_id": None, "reason": "bad_json"},
            "detail": "not JSON at character 1 of the line",
        },
    ]


def test_a_finding_names_the_span_and_its_offsets(write: Write) -> None:
    path = write(span(start=4, end=999))
    (finding,) = validate(path, write(ROW, name="rows.jsonl"))
    assert str(finding) == f"{path}:1: row 'r1': out_of_range: spans[0] is [4, 999) of a text of 7 code points"


def test_validate_tells_rows_from_predictions_by_their_text(write: Write) -> None:
    assert validate(write({**ROW, "spans": [{"start": 0, "end": 9, "label": "X"}]}))[0].reason == "out_of_range"
    assert validate(write(span(end=9))) == []
    assert [finding.reason for finding in validate(write(span(start=3), span(start=-1)))] == [
        "empty_span",
        "duplicate_row",
    ]
    assert [finding.reason for finding in validate(write(PREDICTION), write(ROW, {**ROW, "id": "r2"}, name="r"))] == [
        "missing_rows"
    ]
    assert as_json([]) == "[]"
