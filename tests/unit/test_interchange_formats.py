"""Other tools' files: what each reader takes, what it says of how it was read, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from piibench_duck.door import Refused
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange import formats
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.taking import UncountedError
from tests.shell import SENTINEL

TEXTS = {"r1": "Ask Bo Fox, 🙂 Ana.", "r2": "Nobody here"}
NAME, ANA = (4, 10), (14, 17)


def read(
    tmp_path: Path, kind: str, content: object, texts: dict[str, str] = TEXTS, unit: Any = "codepoint"
) -> Predictions:
    """What a file of a format says of the rows; a content that is no text is written as JSON, lists of lines apart."""
    path = tmp_path / ("folder" if kind == "brat" else "given")
    if isinstance(content, dict) and kind == "brat":
        for name, lines in content.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(lines, "utf-8")
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return formats.reader(kind)(path, texts, unit)


def spans(taken: Predictions) -> list[tuple[Any, ...]]:
    names = ("row_id", "start_char", "end_char", "source_label")
    return list(zip(*(taken.pred_spans[name] for name in names), strict=True))


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def task(data: dict[str, Any], *results: dict[str, Any], key: str = "predictions", **more: Any) -> dict[str, Any]:
    return {"id": 7, "data": data, key: [{"result": list(results), **more}]}


def labelled(start: int, end: int, *labels: str, **more: Any) -> dict[str, Any]:
    return {"type": "labels", "value": {"start": start, "end": end, "labels": list(labels), **more}, "score": 0.5}


FOUND: list[tuple[str, Any, list[tuple[Any, ...]], dict[str, str]]] = [
    (
        "nervaluate",
        [[{"label": "PER", "start": 4, "end": 9}], []],
        [("r1", *NAME, "PER")],
        {"ends": "inclusive", "matched_by": "position"},
    ),
    (
        "nervaluate",
        {"r2": [], "r1": [{"label": "PER", "start": 14, "end": 16}]},
        [("r1", *ANA, "PER")],
        {"ends": "inclusive"},
    ),
    (
        *("nervaluate", [["O", "B-PER", "I-PER", "O", "B-PER"], ["O", "O"]]),
        *(
            [("r1", 4, 11, "PER"), ("r1", 14, 18, "PER")],
            {"tags_of": "words between white space", "matched_by": "position"},
        ),
    ),
    (
        "presidio",
        {
            "r1": [{"entity_type": "PERSON", "start": 4, "end": 10, "score": 0.85, "analysis_explanation": None}],
            "r2": [],
        },
        *([("r1", *NAME, "PERSON")], {}),
    ),
    (
        "presidio",
        [[], [{"entity_type": "X", "start": 0, "end": 6, "score": 1}]],
        [("r2", 0, 6, "X")],
        {"matched_by": "position"},
    ),
    (
        "conll",
        "# id = r2\nNobody O\nhere O\n\n# id = r1\nAsk O\nBo S-PER\nFox I-PER\n, O\n\n🙂 O\nAna U-LOC\n. O\n",
        *([("r1", 4, 10, "PER"), ("r1", *ANA, "LOC")], {}),
    ),
    (
        "conll",
        "-DOCSTART-\tX\tO\n\nAsk\tVB\tO\nBo\tN\tB-PER\nFox\tN\tE-PER\n\n,\t,\tO\n🙂\tX\tO\nAna\tN\tO\n.\t.\tO\n\n-DOCSTART-\tX\tO\n",
        *([("r1", *NAME, "PER")], {"matched_by": "position"}),
    ),
    (
        "conll",
        "Ask O\r\nBo B-P\r\nFox B-P\r\n\r\nNobody O\r\nhere O\r\n",
        [("r1", 4, 6, "P"), ("r1", 7, 10, "P")],
        {"matched_by": "position"},
    ),
    (
        "brat",
        {"r1.ann": "T1\tPER 4 10\tBo Fox\n#1\tAnnotatorNotes T1\tsure\n", "r2.ann": ""},
        [("r1", *NAME, "PER")],
        {},
    ),
    (
        "brat",
        {"r1.ann": "T1\tPER 4 6;14 17\tBo Ana\nR1\tx Arg1:T1 Arg2:T1\n", "r1.txt": TEXTS["r1"], "r2.ann": "\n"},
        *([("r1", 4, 6, "PER"), ("r1", *ANA, "PER")], {}),
    ),
    (
        "label-studio",
        [task({"id": "r1", "text": TEXTS["r1"]}, labelled(4, 10, "PER", "X", text="Bo Fox")), task({"id": "r2"})],
        *([("r1", *NAME, "PER"), ("r1", *NAME, "X")], {"read_from": "predictions"}),
    ),
    (
        "label-studio",
        [task({"text": TEXTS["r1"]}, labelled(14, 17, "PER"), {"type": "choices"}, key="annotations"), {"data": {}}],
        *([("r1", *ANA, "PER")], {"read_from": "annotations", "matched_by": "position"}),
    ),
    (
        "doccano",
        lines({"id": 31, "text": TEXTS["r1"], "label": [[4, 10, "PER"]]}, {"id": 32, "text": TEXTS["r2"], "label": []}),
        [("r1", *NAME, "PER")],
        {"matched_by": "position"},
    ),
    (
        "doccano",
        lines(
            {"id": 1, "row_id": "r2", "entities": []},
            {
                "id": 2,
                "row_id": "r1",
                "entities": [{"id": 5, "label": "PER", "start_offset": 4, "end_offset": 10}],
                "relations": [],
            },
        ),
        *([("r1", *NAME, "PER")], {}),
    ),
    (
        "frame",
        "row_id,start,end,label,score\nr1,4,10,PER,0.5\nr1,14,17,PER,\nr2,,,,\n",
        [("r1", *NAME, "PER"), ("r1", *ANA, "PER")],
        {},
    ),
    (
        "redacted",
        lines({"id": "r1", "text": "Ask [PERSON_1], 🙂 ***."}, {"id": "r2", "text": "Nobody  here"}),
        [("r1", *NAME, "PERSON"), ("r1", *ANA, "MASK")],
        {"aligned": "true"},
    ),
    (
        "jsonl",
        lines({"id": "r1", "spans": [{"start": 4, "end": 10, "label": "X"}]}, {"id": "r2", "spans": []}),
        [("r1", *NAME, "X")],
        {},
    ),
    ("tab", {"r1": [[4, 10]], "r2": []}, [("r1", *NAME, "MASK")], {}),
]


@pytest.mark.parametrize(("kind", "content", "wanted", "settings"), FOUND)
def test_a_file_of_each_format_is_read(
    tmp_path: Path, kind: str, content: Any, wanted: list[Any], settings: dict[str, str]
) -> None:
    taken = read(tmp_path, kind, content)
    assert spans(taken) == wanted
    assert dict(taken.settings) == settings
    assert (sorted(taken.run_rows["row_id"]), taken.missing_row_ids) == (["r1", "r2"], [])
    assert len(taken.sha256) == 64


def test_every_format_that_is_read_has_an_example() -> None:
    assert {kind for kind, *_ in FOUND} == {*formats.names("read")}


def test_scores_come_along_where_a_format_has_them(tmp_path: Path) -> None:
    result = {"entity_type": "X", "start": 0, "end": 3, "score": 0.25}
    assert read(tmp_path, "presidio", {"r1": [result]}).pred_spans["score"] == [0.25]
    assert read(tmp_path, "frame", "row_id,start,end,label,score\nr1,0,3,X,1e-1\n").pred_spans["score"] == [0.1]
    assert read(tmp_path, "label-studio", [task({"id": "r1"}, labelled(0, 3, "X"))]).pred_spans["score"] == [0.5]


def test_rows_that_a_file_does_not_name_are_missing(tmp_path: Path) -> None:
    assert read(tmp_path, "presidio", {"r2": []}).missing_row_ids == ["r1"]
    assert read(tmp_path, "brat", {"r1.ann": ""}).missing_row_ids == ["r2"]


def test_names_of_files_that_say_each_other_in_a_url_are_told_apart(tmp_path: Path) -> None:
    texts = {"a/b": "Bo", "a%2Fb": "Ana", ".c": "Cy"}
    files = {"a%2Fb.ann": "T1\tX 0 2\tBo\n", "a%252Fb.ann": "T1\tX 0 3\tAna\n", "%2Ec.ann": ""}
    assert spans(read(tmp_path, "brat", files, texts)) == [("a%2Fb", 0, 3, "X"), ("a/b", 0, 2, "X")]
    lower = {"a/b.ann": "T1\tX 0 2\tBo\n"}
    assert spans(read(tmp_path / "other", "brat", lower, texts)) == [("a/b", 0, 2, "X")]


def test_tokens_that_end_before_the_text_leave_the_row_truncated(tmp_path: Path) -> None:
    taken = read(tmp_path, "conll", "# id = r1\nAsk O\nBo B-P\n")
    assert taken.run_rows == {"row_id": ["r1"], "status": ["truncated"], "chars_seen": [6]}


def test_offsets_of_other_units_are_converted_inclusive_ends_too(tmp_path: Path) -> None:
    given = [[{"label": "PER", "start": 15, "end": 17}, {"label": "X", "start": 12, "end": 13}], []]
    assert spans(read(tmp_path, "nervaluate", given, unit="utf16")) == [("r1", *ANA, "PER"), ("r1", 12, 13, "X")]
    given = [[{"label": "X", "start": 12, "end": 12}], []]
    with pytest.raises(Refused, match="splits_a_character"):
        read(tmp_path, "nervaluate", given, unit="utf16")
    assert spans(read(tmp_path, "brat", {"r1.ann": "T1\tP 15 18\tAna\n"}, unit="utf16")) == [("r1", *ANA, "P")]


@pytest.mark.parametrize("kind", ["nervaluate", "presidio", "doccano", "label-studio", "conll"])
def test_answers_without_ids_are_matched_only_where_there_are_as_many_as_rows(tmp_path: Path, kind: str) -> None:
    one = {
        **{"nervaluate": [[]], "presidio": [[]], "doccano": lines({"text": TEXTS["r1"], "label": []})},
        **{"label-studio": [{"data": {}}], "conll": "Ask O\n"},
    }
    with pytest.raises(UncountedError) as caught:
        read(tmp_path, kind, one[kind])
    assert "without ids for 2 rows" in caught.value.findings[0].detail


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("doccano", lines({"text": TEXTS["r1"] + " ", "label": []}, {"text": TEXTS["r2"], "label": []})),
        ("label-studio", [task({"id": "r1", "text": "Other"})]),
        ("brat", {"r1.ann": "", "r1.txt": "Other"}),
        ("brat", {"r1.ann": "T1\tPER 4 10\tBo Fix\n"}),
        ("conll", "# id = r1\nAsk O\nBob O\n"),
    ],
)
def test_an_answer_to_another_text_is_refused(tmp_path: Path, kind: str, content: Any) -> None:
    with pytest.raises(Refused) as caught:
        read(tmp_path, kind, content)
    assert [finding.reason for finding in caught.value.findings] == ["surface_mismatch"]


_SPAN = {"label": "X", "start": 0, "end": 2}


def with_span(kind: str) -> Callable[..., Any]:
    """A file of one span of r1, by its parts."""

    def made(start: Any = 0, end: Any = 2, label: Any = "X", row_id: Any = "r1") -> Any:
        by_name = {"start": start, "end": end, "label": label}
        if kind in ("nervaluate", "presidio"):
            return {row_id: [by_name | {"score": 0.5}]}
        if kind == "doccano":
            return lines({"row_id": row_id, "label": [[start, end, label]]})
        if kind == "label-studio":
            return [task({"id": row_id}, {"type": "labels", "value": {"start": start, "end": end, "labels": [label]}})]
        return f"row_id,start,end,label\n{row_id},{json.dumps(start)},{json.dumps(end)},X\n"

    return made


WITH_OFFSETS = ["nervaluate", "presidio", "doccano", "label-studio", "frame"]


@pytest.mark.parametrize("kind", WITH_OFFSETS)
@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"end": True}, "bad_schema"),
        ({"start": 0.0}, "bad_schema"),
        ({"end": None}, "bad_schema"),
        ({"end": 10**40}, "out_of_range"),
        ({"start": -1}, "out_of_range"),
        ({"start": 8}, "inverted_span"),
        ({"row_id": "r9"}, "unknown_row"),
    ],
)
def test_a_span_that_is_wrong_is_refused_with_its_reason(
    tmp_path: Path, kind: str, parts: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Refused) as caught:
        read(tmp_path, kind, with_span(kind)(**parts))
    assert {finding.reason for finding in caught.value.findings} == {reason}


@pytest.mark.parametrize("kind", ["nervaluate", "presidio", "label-studio", "doccano"])
@pytest.mark.parametrize(
    "content",
    [
        *("", "\ufeff", "{", "7", '"x"', "null", "[7]", "{} {}", "[[7]]", "NaN", "[" * 100_000),
        *('{"r1": 7}', '{"r1": [7]}', '{"r1": [[0, 1]]}', '{"r1": [], "r1": []}'),
        '[{"data": {"id": "r1"}, "predictions": 7}]',
        '[{"data": {"id": "r1"}, "predictions": [{"result": [{"type": "labels"}]}]}]',
        *('{"row_id": "r1"}', '{"row_id": "r1", "label": 7}', '{"row_id": "r1", "label": [[1, 2]]}'),
        '{"row_id": "r1", "label": [], "entities": []}',
        '{"r1": [{"label": "\\ud800", "start": 0, "end": 1}]}',
        b'{"r1": [{"label": "\xff"}]}',
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, kind: str, content: Any) -> None:
    with pytest.raises(PiibenchError):
        read(tmp_path, kind, content)


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("conll", "Ask O\nBo\n", "1 columns, 2 were expected"),
        ("conll", "# id = r1\nAsk X\n", "labels[0] is none of"),
        ("conll", "Ask O\n# id = r1\nBo O\n", "tokens before the first id"),
        ("conll", "Ask O\n-DOCSTART- O\nBo O\n", "tokens before the first -DOCSTART-"),
        ("conll", b"Ask O\n\xff O\n", "not UTF-8 at byte 6"),
        ("conll", "# id = r1\nAsk O\n# id = r2\nNobody O\n# id = r1\nAsk O\n", "the id stands on an earlier line"),
        ("brat", {"r1.ann": "T1 PER 4 10 Bo\n"}, "no `T1⇥LABEL start end⇥text`"),
        ("brat", {"r1.ann": "T1\tPER 10 4\tx\n"}, "[10, 4)"),
        ("brat", {"r1.ann": "T1\tPER 0 99999999999999999999999\tx\n"}, "a huge number"),
        ("brat", {"r1.ann": "", "%721.ann": ""}, "another file is of this row"),
        ("brat", {"r9.ann": ""}, "no such id"),
        ("label-studio", [{"data": {"id": "r1"}, "predictions": [{}, {}]}], "2 predictions of one task"),
        ("frame", "row_id,start,end\nr1,0,1\n", "no column 'label'"),
        ("frame", "row_id,id,start,end,label\nr1,r1,0,1,X\n", "both 'id' and 'row_id'"),
        ("frame", "row_id,start,end,label\nr1,0,1\n", "3 cells in 4 columns"),
        ("frame", "row_id,start,end,label\n,0,1,X\n", "null"),
        ("frame", 'row_id,start,end,label\n"r1,0,1,X\n', "a line that is no CSV"),
        ("redacted", lines({"id": "r1"}), "no id or no text"),
        ("redacted", lines({"id": "r1", "text": 7}), "'text' is an integer"),
        ("redacted", lines({"id": "r9", "text": ""}), "no such id"),
        ("redacted", lines({"id": "r1", "text": ""}, {"id": "r1", "text": ""}), "the id stands on an earlier line"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, kind: str, content: Any, said: str) -> None:
    with pytest.raises(Refused) as caught:
        read(tmp_path, kind, content)
    assert said in "; ".join(f"{finding.reason}: {finding.detail}" for finding in caught.value.findings)


def test_a_fault_of_a_folder_is_named_by_its_file_and_the_line_in_it_and_once(tmp_path: Path) -> None:
    texts = {**TEXTS, "Nobody": "Nobody there"}
    given = {
        **{"Nobody.ann": "T1\tP 0 999\tx\n", "r1.ann": "#1\tnote\nT1\tPER 4 10\tBo Fix\nT2 x\n"},
        **{"r2.ann": "T1\tP 0 6\tNobody\nT2\tP 0 999;1000 1001\tx\n", "r9.ann": ""},
    }
    with pytest.raises(Refused, match=r"folder: 5 faults, the first in .*folder: out_of_range") as caught:
        read(tmp_path, "brat", given, texts)
    folder = tmp_path / "folder"
    places = [(finding.file, finding.line, finding.row_id) for finding in caught.value.findings]
    assert places == [
        *((str(folder), None, None), (str(folder / "r1.ann"), 2, "r1")),
        *((str(folder / "r2.ann"), 2, "r2"), (str(folder / "r2.ann"), 2, "r2"), (str(folder / "r9.ann"), None, "r9")),
    ]
    assert "number 1 by name, line 1: spans[0]" in caught.value.findings[0].detail
    (folder / "r1.txt").write_text("Other")
    with pytest.raises(Refused) as caught:
        formats.rows_reader("brat")(folder)
    told = [finding for finding in caught.value.findings if finding.row_id == "r9"]
    assert [(one.file, one.line, one.detail) for one in told] == [
        (str(folder / "r9.txt"), None, "is not there, beside its .ann")
    ]


def test_an_order_of_words_that_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="bad_schema") as caught:
        read(tmp_path, "redacted", lines({"id": "r", "text": "ab " * 4000}), {"r": "ab " * 5000})
    assert "too repetitive" in caught.value.findings[0].detail


@pytest.mark.parametrize(
    "kind", ["nervaluate", "presidio", "doccano", "label-studio", "conll", "brat", "frame", "redacted"]
)
def test_no_finding_repeats_what_the_file_says(tmp_path: Path, kind: str) -> None:
    """The text of the row stands wherever a file can have it: for an id, a label, a surface, a token."""
    texts = {"r1": f"{SENTINEL} left"}
    span = {"label": SENTINEL, "start": 0, "end": len(SENTINEL), "text": "x"}
    content: dict[str, Any] = {
        "nervaluate": {SENTINEL: [span], "r1": [span]},
        "presidio": {SENTINEL: [span], "r1": [span, span | {"start": SENTINEL}]},
        "doccano": lines(
            {"row_id": SENTINEL, "label": []}, {"row_id": "r1", "text": SENTINEL, "label": [[0, 1, SENTINEL]]}
        ),
        "label-studio": [task({"id": SENTINEL}), task({"id": "r1", "text": SENTINEL}, labelled(0, 99, SENTINEL))],
        "conll": f"# id = {SENTINEL}\n{SENTINEL} O\n\n# id = r1\n{SENTINEL} B-{SENTINEL}\nSmith {SENTINEL}\n",
        "brat": {f"{SENTINEL}.ann": "", "r1.ann": f"T1\t{SENTINEL} 0 3\t{SENTINEL}\n"},
        "frame": f"row_id,start,end,label\n{SENTINEL},0,1,X\nr1,{SENTINEL},1,{SENTINEL}\n",
        "redacted": lines({"id": SENTINEL, "text": ""}, {"id": "r1", "text": [SENTINEL]}),
    }
    texts[SENTINEL] = f"{SENTINEL} Smith"  # an id that is text
    with pytest.raises(Refused) as caught:
        read(tmp_path, kind, content[kind], texts)
    for finding in caught.value.findings:
        assert SENTINEL not in finding.detail
    assert all(finding.row_id != SENTINEL for finding in caught.value.findings)


def gold(taken: Rows) -> list[tuple[Any, ...]]:
    names = ("row_id", "start_char", "end_char", "source_label")
    return list(zip(*(taken.gold_spans[name] for name in names), strict=True))


@pytest.mark.parametrize(
    ("kind", "content", "texts", "wanted"),
    [
        ("conll", "Bo B-PER\nFox I-PER\n\nleft O\n", {"1": "Bo Fox", "2": "left"}, [("1", 0, 6, "PER")]),
        ("conll", "# id = a\nBo B-PER\n\nleft O\n", {"a": "Bo\nleft"}, [("a", 0, 2, "PER")]),
        ("brat", {"a%2Fb.ann": "T1\tP 0 2\tBo\n", "a%2Fb.txt": "Bo 🙂"}, {"a/b": "Bo 🙂"}, [("a/b", 0, 2, "P")]),
        (
            *("label-studio", [task({"text": "Bo"}, labelled(0, 2, "P"), key="annotations")]),
            *({"7": "Bo"}, [("7", 0, 2, "P")]),
        ),
        ("doccano", lines({"id": 4, "text": "Bo", "label": [[0, 2, "P"]]}), {"4": "Bo"}, [("4", 0, 2, "P")]),
        (
            *("jsonl", lines({"id": "a", "text": "Bo", "spans": [{"start": 0, "end": 2, "label": "P"}]})),
            *({"a": "Bo"}, [("a", 0, 2, "P")]),
        ),
    ],
)
def test_gold_is_read_with_its_texts(
    tmp_path: Path, kind: str, content: Any, texts: dict[str, str], wanted: list[Any]
) -> None:
    with pytest.raises(PiibenchError):
        read(tmp_path, kind, content, {})  # writes the file
    taken = formats.rows_reader(kind)(tmp_path / ("folder" if kind == "brat" else "given"), "codepoint")
    assert (taken.texts, gold(taken)) == (texts, wanted)


def test_gold_without_its_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.ann").write_text("T1\tP 0 2\tBo\n")
    with pytest.raises(Refused, match="bad_schema"):
        formats.rows_reader("brat")(tmp_path / "folder", "codepoint")
    (tmp_path / "tasks.json").write_text('[{"data": {}}]')
    with pytest.raises(Refused, match="bad_schema"):
        formats.rows_reader("label-studio")(tmp_path / "tasks.json", "codepoint")


def test_a_format_that_is_none_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        WrongUsageError, match="'door' is no format of predictions; there are brat, conll, doccano, frame"
    ):
        formats.reader("door")
    with pytest.raises(WrongUsageError, match="'frame' is no format of gold"):
        formats.rows_reader("frame")
    with pytest.raises(
        WrongUsageError, match=r"'\.\./tab' is no format of what to write; there are brat, conll, hub-folder, jsonl"
    ):
        formats.writer("../tab")
