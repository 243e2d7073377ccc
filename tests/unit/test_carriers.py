"""Carriers: what the Writer records, what json looks like, and that a file is all a carrier needs."""

import hashlib
import json
import re
import sys
import time
from pathlib import Path

import pytest

from piibench_duck import carriers
from piibench_duck.carriers import Alignment, Value, Writer, to_passage, to_wire
from piibench_duck.carriers.scaffolds import hex_id, moment, number, serial
from piibench_duck.errors import PiibenchError

AWKWARD = "".join(map(chr, range(0x20))) + '"\\/\x7f\x80\x85\u2028\u2029\ufeff\u200b\u202e😀e\u0301é שלום مرحبا'


def written(carrier: str, n: int = 500) -> list[carriers.Wrapped]:
    return [carriers.wrap(carrier, "x", [], [], carriers.row_key(f"demo-{index}", carrier)) for index in range(n)]


def scaffold_of(row: carriers.Wrapped) -> list[str]:
    """The stretches of the wire that no alignment covers."""
    edges = [0, *(edge for line in row.alignments for edge in (line.wire_start, line.wire_end)), len(row.text)]
    return [row.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def test_prose_and_json_are_carriers_and_helper_modules_are_not() -> None:
    names = carriers.carrier_names()
    assert {"prose", "json"} <= set(names)
    assert not {"writer", "alignment", "scaffolds"} & set(names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", ["jsn", "writer", "../json", "json.x", ""])
def test_an_unknown_carrier_is_named_beside_those_that_exist(name: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        carriers.wrap(name, "text", [], [], 0)
    assert str(caught.value).startswith(f"no carrier {name!r}; there are json, ")
    with pytest.raises(PiibenchError):
        carriers.unwrap(name, "text")


def test_the_writer_records_what_became_of_each_character() -> None:
    writer = Writer("Ann & Bo.  Yes", [(0, 3), (2, 8)])
    writer.scaffold("<a>")
    writer.lookalike("12:00")
    writer.value(Value("Ann & Bo.", 0), {"&": "&amp;"})
    writer.scaffold("</a><a>")
    writer.open(Value("Yes", 11))
    writer.copy()
    writer.change("rn")
    writer.lose()
    writer.close()
    writer.scaffold("</a>")
    assert writer.finish() == (
        "<a>12:00Ann &amp; Bo.</a><a>Yrn</a>",
        [(8, 11), (10, 20)],
        [
            Alignment(0, None, 3, 8, None, None, "lookalike"),
            Alignment(1, 0, 8, 12, 0, 4, "copied"),
            Alignment(2, 0, 12, 17, 4, 5, "escaped"),
            Alignment(3, 0, 17, 21, 5, 9, "copied"),
            Alignment(4, None, 28, 28, 9, 11, "lost"),
            Alignment(5, 1, 28, 29, 11, 12, "copied"),
            Alignment(6, 1, 29, 31, 12, 13, "changed"),
            Alignment(7, 1, 31, 31, 13, 14, "lost"),
        ],
    )


def test_runs_of_copied_and_of_lost_characters_are_one_interval_each() -> None:
    writer = Writer("abcdef")
    writer.open(writer.passage)
    writer.copy()
    writer.copy(2)
    writer.lose()
    writer.lose()
    writer.copy()
    writer.close()
    assert [(line.kind, line.passage_start, line.passage_end) for line in writer.finish().alignments] == [
        ("copied", 0, 3),
        ("lost", 3, 5),
        ("copied", 5, 6),
    ]


def test_a_span_begins_with_the_first_and_ends_with_the_last_escaped_run() -> None:
    writer = Writer("(é)", [(1, 2)])
    writer.value(writer.passage, lambda char: char if char.isascii() else "\\u00e9")
    assert writer.finish()[:2] == ("(\\u00e9)", [(1, 7)])


def test_a_wire_span_inside_an_escape_stands_for_the_whole_character_and_scaffold_for_nothing() -> None:
    writer = Writer("a&b")
    writer.scaffold("<p>")
    writer.value(writer.passage, {"&": "&amp;"})
    writer.scaffold("</p>")
    lines = writer.finish().alignments
    assert to_passage(lines, 5, 7) == (1, 2)
    assert to_passage(lines, 0, 4) == (0, 1)
    assert to_passage(lines, 7, 99) == (1, 3)
    assert to_passage(lines, 0, 3) is None
    assert to_passage(lines, 10, 14) is None
    assert to_passage(lines, 4, 4) is None
    assert to_wire(lines, 1, 3) == (4, 10)


def test_lost_characters_belong_to_a_wire_span_only_between_two_of_its_own() -> None:
    writer = Writer("ab  cd")
    writer.value(Value("ab", 0))
    writer.scaffold(",")
    writer.value(Value("cd", 4))
    lines = writer.finish().alignments
    assert to_passage(lines, 0, 2) == (0, 2)
    assert to_passage(lines, 2, 5) == (4, 6)
    assert to_passage(lines, 0, 5) == (0, 6)
    assert to_wire(lines, 2, 4) is None
    assert to_wire(lines, 0, 4) == (0, 2)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda writer: writer.value(Value("def", 3)) or writer.value(Value("abc", 0)),
        lambda writer: writer.value(writer.passage) or writer.value(writer.passage),
        lambda writer: writer.value(Value("xyz", 0)),
        lambda writer: writer.value(Value("abcdefg", 0)),
        lambda writer: writer.value(writer.passage, {"a": ""}),
        lambda writer: writer.copy(),
        lambda writer: writer.open(Value("ab", 0)) or writer.copy(3),
        lambda writer: writer.open(Value("ab", 0)) or writer.close(),
        lambda writer: writer.open(Value("ab", 0)) or writer.scaffold(","),
        lambda writer: writer.open(Value("ab", 0)) or writer.finish(),
        lambda writer: writer.open(writer.passage) or writer.copy(-1),
        lambda writer: writer.open(writer.passage) or writer.lose(2),
        lambda writer: writer.value(Value("abc", 0)) or writer.finish(),
        lambda writer: writer.value(Value("ab", 0)) or writer.value(Value("cdef", 2)) or writer.finish(),
    ],
)
def test_a_carrier_that_breaks_the_account_is_stopped(misuse: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011, a bug of a carrier has no message to rely on
        misuse(Writer("abcdef", [(1, 5)]))  # type: ignore[operator]


def test_edges_of_spans_are_known_to_a_carrier_that_loses_characters() -> None:
    writer = Writer("abcdef", [(1, 4)])
    assert [writer.is_edge(offset) for offset in range(6)] == [False, True, False, True, False, False]


def test_values_that_a_span_ties_together_are_one() -> None:
    spread: list[tuple[str, int]] = []

    class Spy:
        @staticmethod
        def wrap(writer: Writer, values: list[Value], key: int) -> None:
            spread.extend(values)
            for value in values:
                writer.value(value)

    sys.modules["piibench_duck.carriers.spy"] = Spy  # type: ignore[assignment]
    try:
        carriers.wrap("spy", "One. Two. Three.  Four.", [(2, 7), (16, 17)], [(0, 4), (5, 9), (10, 16), (18, 23)], 0)
    finally:
        del sys.modules["piibench_duck.carriers.spy"]
    assert spread == [("One. Two.", 0), ("Three.", 10), (" ", 16), ("Four.", 18)]


def test_json_spells_a_passage_exactly_as_the_json_module_does() -> None:
    for index in range(20):
        row = carriers.wrap("json", AWKWARD, [(0, len(AWKWARD))], [], index)
        (start, end), *_ = row.spans
        assert row.text[start - 1 : end + 1] == json.dumps(AWKWARD, ensure_ascii=False)
        assert carriers.unwrap("json", row.text) == [AWKWARD]


def test_json_is_a_chat_request_with_one_message_of_the_user() -> None:
    for row in written("json", 50):
        body = json.loads(row.text)
        assert [message["role"] for message in body["messages"]] in (["user"], ["system", "user"])
        assert isinstance(body["model"], str)
        assert 0 <= body["temperature"] <= 1


def test_an_empty_passage_has_no_alignment_and_reads_back_empty() -> None:
    assert carriers.wrap("prose", "", [], [], 0) == ("", [], [])
    row = carriers.wrap("json", "", [], [(0, 0)], 0)
    assert carriers.unwrap("json", row.text) == [""]
    assert {line.kind for line in row.alignments} == {"lookalike"}


def test_json_scaffolds_differ_and_their_ids_and_moments_are_lookalikes() -> None:
    rows = written("json")
    assert len({tuple(scaffold_of(row)) for row in rows}) >= 50
    for row in rows:
        assert [row.text[line.wire_start : line.wire_end] for line in row.alignments if line.kind == "lookalike"]
        words = re.findall(r"\w+", " ".join(scaffold_of(row)))
        assert not [word for word in words if sum(map(str.isdigit, word)) > 4]


def test_what_is_drawn_for_a_scaffold_depends_on_the_key_and_the_purpose_alone() -> None:
    assert number(1, "a", 10**9) == number(1, "a", 10**9)
    assert len({number(key, what, 10**9) for key in range(50) for what in "ab"}) == 100
    assert {number(key, "a", 3) for key in range(50)} == {0, 1, 2}
    assert len(hex_id(1, "a", 16)) == 16
    assert 2021 <= moment(1, "a").year <= 2024
    assert serial(1, Value("a", 0)) < serial(1, Value("b", 40)) < 10**8


def test_a_row_key_has_64_bits_and_depends_on_passage_and_carrier() -> None:
    keys = {carriers.row_key(passage, carrier) for passage in ("tab/1", "tab/2") for carrier in ("json", "prose")}
    assert len(keys) == 4
    assert all(0 <= key < 2**64 for key in keys)
    assert carriers.row_key("tab/1", "json") == int(hashlib.sha256(b"tab/1@json").hexdigest()[:16], 16)


def test_a_file_in_the_package_folder_is_a_carrier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bullets.py").write_text(
        '''"""Each value as an item of a list."""


def wrap(writer, values, key):
    for value in values:
        writer.scaffold("- ")
        writer.value(value, {"\\n": "\\\\n", "\\\\": "\\\\\\\\"})
        writer.scaffold("\\n")


def unwrap(wire):
    return [line[2:].replace("\\\\n", "\\n") for line in wire.split("\\n")[:-1]]
''',
        encoding="utf-8",
    )
    monkeypatch.setattr(carriers, "__path__", [*carriers.__path__, str(tmp_path)])
    try:
        assert "bullets" in carriers.carrier_names()
        row = carriers.wrap("bullets", "Ann\nLee. Bo.", [(0, 7), (9, 11)], [(0, 8), (9, 12)], 0)
        assert row.text == "- Ann\\nLee.\n- Bo.\n"
        assert [row.text[start:end] for start, end in row.spans] == ["Ann\\nLee", "Bo"]
        assert carriers.unwrap("bullets", row.text) == ["Ann\nLee.", "Bo."]
    finally:
        sys.modules.pop("piibench_duck.carriers.bullets", None)
        vars(carriers).pop("bullets", None)


def test_a_carrier_that_cannot_hold_a_text_says_so_as_a_fault_a_user_can_mend() -> None:
    assert issubclass(carriers.CannotHoldError, PiibenchError)


def test_time_grows_with_the_text_and_not_with_its_square() -> None:
    def seconds(n: int) -> float:
        text = (
            'He said "yes" to Ann, and nobody heard it but the two who had been waiting for this answer since noon.\n'
            * n
        )
        spans = [(start + 17, start + 20) for start in range(0, len(text), len(text) // n)]
        took = []
        for _ in range(3):
            begin = time.process_time()
            carriers.wrap("json", text, spans, [], 0)
            took.append(time.process_time() - begin)
        return min(took)

    assert seconds(10_000) <= 30 * seconds(1_000)
