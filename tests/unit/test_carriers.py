"""Carriers: what the Writer records, what json looks like, and that a file is all a carrier needs."""

import hashlib
import importlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from piibench_duck import carriers, listing
from piibench_duck.carriers import Alignment, Value, Wrapped, Writer, to_passage, to_wire
from piibench_duck.carriers.scaffolds import hex_id, moment, number, serial
from piibench_duck.errors import PiibenchError
from tests.carrier_checks import (
    CHECKS,
    ODD,
    Given,
    check_all,
    check_refusal,
    held,
    inputs,
    refusal,
    scaffold_of,
    wrapped,
)

AWKWARD = "".join(map(chr, range(0x20))) + '"\\/\x7f\x80\x85\u2028\u2029\ufeff\u200b\u202e😀e\u0301é שלום مرحبا'


def written(carrier: str, n: int = 500) -> list[Wrapped]:
    return [carriers.wrap(carrier, "x", [], [], carriers.row_key(f"demo-{index}", carrier)) for index in range(n)]


def test_prose_and_json_are_carriers_and_helper_modules_are_not() -> None:
    names = carriers.carrier_names()
    assert {"prose", "json"} <= set(names)
    assert not {"writer", "alignment", "scaffolds"} & set(names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", ["jsn", "writer", "../json", "json.x", ""])
def test_an_unknown_carrier_is_named_beside_those_that_exist(name: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        carriers.wrap(name, "text", [], [], 0)
    assert str(caught.value) == f"no carrier {name!r}; there are {', '.join(carriers.carrier_names())}"
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


def spread_over(passage: str, spans: list[tuple[int, int]], values: list[tuple[int, int]]) -> list[tuple[str, int]]:
    """The values that a carrier is given."""
    seen: list[tuple[str, int]] = []

    def spy(writer: Writer, values: list[Value], key: int) -> None:
        seen.extend(values)
        writer.value(writer.passage)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("piibench_duck.carriers.prose.wrap", spy)
        carriers.wrap("prose", passage, spans, values, 0)
    return seen


def test_values_that_a_span_ties_together_are_one() -> None:
    values = [(0, 4), (5, 9), (10, 16), (18, 23)]
    found = spread_over("One. Two. Three.  Four.", [(2, 7), (16, 17)], values)
    assert found == [("One. Two.", 0), ("Three.", 10), (" ", 16), ("Four.", 18)]


def test_white_space_around_a_value_lies_between_values_unless_a_span_holds_it() -> None:
    passage = "\n One. \t\u2028 \u3000Two.  "
    assert spread_over(passage, [], [(0, 9), (9, 17)]) == [("One.", 2), ("Two.", 11)]
    assert spread_over(passage, [(1, 4), (9, 10)], [(0, 9), (9, 17)]) == [(" One.", 1), (" \u3000Two.", 9)]
    assert spread_over(passage, [(15, 16)], [(6, 9), (9, 17)]) == [("\u3000Two. "[1:], 11)]


def test_a_passage_without_values_or_with_blank_ones_alone_is_one_value() -> None:
    assert spread_over("One. Two.", [], []) == [("One. Two.", 0)]
    assert spread_over(" \n ", [], [(0, 1), (1, 3)]) == [(" \n ", 0)]
    assert spread_over("", [], [(0, 0)]) == [("", 0)]


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


Drop = Callable[[str], str]


@pytest.fixture
def drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drop]:
    """Puts a file into a folder where carriers are looked for, and gives the carrier's name."""
    monkeypatch.setattr(carriers, "__path__", [*carriers.__path__, str(tmp_path)])

    def forget() -> None:
        sys.modules.pop("piibench_duck.carriers.bullets", None)
        vars(carriers).pop("bullets", None)
        importlib.invalidate_caches()

    def dropped(text: str) -> str:
        forget()
        (tmp_path / "bullets.py").write_text(text, encoding="utf-8")
        return "bullets"

    yield dropped
    forget()


BULLETS = r'''"""Each value as an item of a list."""

import re

from piibench_duck.carriers.scaffolds import hex_id
from piibench_duck.carriers.writer import CannotHoldError

ESCAPES = {"\n": "\\n", "\\": "\\\\"}


def wrap(writer, values, key):
    refused = re.search("\0", writer.passage.text)
    if refused:
        raise CannotHoldError(f"bullets cannot hold U+0000, at code point {refused.start()} of the passage")
    for value in values:
        writer.scaffold("- ")
        writer.lookalike(hex_id(key, "id", 4))
        writer.scaffold(" ")
        writer.value(value, ESCAPES)
        writer.scaffold("\n")


def unwrap(wire):
    lines = wire.split("\n")[:-1]
    return [re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), line[7:]) for line in lines]
'''


def test_a_file_in_a_folder_of_carriers_is_one(drop: Drop) -> None:
    carrier = drop(BULLETS)
    assert carrier in carriers.carrier_names()
    assert carriers.is_default(carrier)
    assert carriers.reads_back(carrier)
    assert carriers.describe(carrier) == "Each value as an item of a list."
    columns, lines = listing.of("carriers", "demo")
    assert {"carrier": carrier, "looks like": "Each value as an item of a list."}.items() <= dict(
        zip(columns, next(line for line in lines if line[0] == carrier), strict=True)
    ).items()
    row = carriers.wrap(carrier, "Ann\nLee. Bo.", [(0, 7), (9, 11)], [(0, 8), (9, 12)], 0)
    assert re.sub("[0-9a-f]{4}", "id", row.text) == "- id Ann\\nLee.\n- id Bo.\n"
    assert [row.text[start:end] for start, end in row.spans] == ["Ann\\nLee", "Bo"]
    assert carriers.unwrap(carrier, row.text) == ["Ann\nLee.", "Bo."]


def test_a_dropped_file_may_be_off_by_default_and_need_not_read_back(drop: Drop) -> None:
    carrier = drop(BULLETS.replace("ESCAPES =", "OFF_BY_DEFAULT, READS_BACK = True, False\nESCAPES ="))
    assert not carriers.is_default(carrier)
    assert not carriers.reads_back(carrier)


def test_a_dropped_file_is_held_to_all_that_must_hold_of_a_row(drop: Drop) -> None:
    carrier = drop(BULLETS)

    @settings(deadline=None)
    @given(given_=inputs())
    def holds(given_: Given) -> None:
        check_all(carrier, held(carrier, given_))

    holds()
    assert refusal(carrier, Given("a\0", [], [], 0)) is not None
    assert failing(carrier) == set()


def failing(carrier: str) -> set[str]:
    """The checks that some text makes fail."""
    failed = set()
    for key, piece in enumerate(ODD):
        passage = f"Allan{piece}Lee {piece} Bo.  Sam."
        spans = [(0, 5), (1, 4), (5, 5 + len(piece)), (len(passage) - 4, len(passage) - 1)]
        given_ = Given(passage, spans, [(0, 5), (9 + len(piece), len(passage))], key)
        message = refusal(carrier, given_)
        if message is not None:
            tried: dict[str, Callable[[], object]] = {"check_refusal": partial(check_refusal, carrier, given_, message)}
        else:
            row = wrapped(carrier, given_)
            tried = {name: partial(check, carrier, given_, row) for name, check in CHECKS.items()}
        for name, check in tried.items():
            try:
                check()
            except (AssertionError, LookupError, ValueError):
                failed.add(name)
    return failed


@pytest.mark.parametrize(
    ("sound", "broken", "check"),
    [
        # a reader that cuts white space, and one that hands out one value too many
        ("line[7:])", "line[7:].strip())", "check_reads_back"),
        ('split("\\n")[:-1]', 'split("\\n")', "check_reads_back"),
        # an escape that is not unambiguous, and one that no reader turns back
        (', "\\\\": "\\\\\\\\"}', "}", "check_reads_back"),
        ('"\\\\": "\\\\\\\\"}', '"\\\\": "\\\\\\\\", "\\ufeff": "?"}', "check_reads_back"),
        # the second of two equal letters as a sign that means nothing without the first
        (
            "        writer.value(value, ESCAPES)\n",
            """
        writer.open(value)
        for offset, char in enumerate(value.text):
            if offset and char == "l" == value.text[offset - 1]:
                writer.escape("\\\\*")
            elif char in ESCAPES:
                writer.escape(ESCAPES[char])
            else:
                writer.copy()
        writer.close()
""",
            "check_decodes_alone",
        ),
        # a row that depends on the clock
        ("hex_id(key,", "hex_id(__import__('time').time_ns(),", "check_depends_on_its_input_alone"),
        # refusals that hold the text, name no offset, or name another character
        (
            "at code point {refused.start()} of the passage",
            "in {writer.passage.text!r} at {refused.start()}",
            "check_refusal",
        ),
        (", at code point {refused.start()} of the passage", "", "check_refusal"),
        ("U+0000", "U+0001", "check_refusal"),
    ],
)
def test_a_dropped_file_that_breaks_what_must_hold_is_found_out(
    drop: Drop, sound: str, broken: str, check: str
) -> None:
    assert sound in BULLETS
    assert check in failing(drop(BULLETS.replace(sound, broken)))


def lines_with(row: Wrapped, index: int, **changed: Any) -> list[Alignment]:
    return [line._replace(**changed) if line.interval_index == index else line for line in row.alignments]


@pytest.mark.parametrize(
    ("check", "spoil"),
    [
        ("check_spans", lambda row: row._replace(spans=row.spans[:-1])),
        ("check_spans", lambda row: row._replace(spans=row.spans[::-1])),
        ("check_spans", lambda row: row._replace(spans=[(start - 1, end) for start, end in row.spans])),
        ("check_spans", lambda row: row._replace(spans=[(start, end - 1) for start, end in row.spans])),
        ("check_spans", lambda row: row._replace(alignments=lines_with(row, 1, kind="lookalike", passage_start=None))),
        ("check_account", lambda row: row._replace(alignments=row.alignments[:-1])),
        ("check_account", lambda row: row._replace(alignments=row.alignments[1:])),
        ("check_account", lambda row: row._replace(alignments=lines_with(row, 1, passage_end=4))),
        ("check_account", lambda row: row._replace(alignments=lines_with(row, 1, wire_start=5))),
        ("check_account", lambda row: row._replace(alignments=lines_with(row, 2, kind="changed"))),
        ("check_account", lambda row: row._replace(alignments=lines_with(row, 2, kind="copied"))),
        ("check_account", lambda row: row._replace(alignments=lines_with(row, 0, value_index=0))),
        ("check_account", lambda row: row._replace(text=row.text.upper())),
        ("check_reads_back", lambda row: row._replace(text=row.text.upper())),
        ("check_reads_back", lambda row: row._replace(alignments=lines_with(row, 3, value_index=1))),
        ("check_decodes_alone", lambda row: row._replace(spans=[(start, end + 1) for start, end in row.spans])),
        ("check_decodes_alone", lambda row: row._replace(spans=[row.spans[0], (row.spans[1][0] + 1, 18)])),
    ],
)
def test_a_row_that_is_not_what_it_says_is_found_out(
    drop: Drop, check: str, spoil: Callable[[Wrapped], Wrapped]
) -> None:
    carrier = drop(BULLETS)
    given_ = Given("Allan\nLee.  Bo.", [(0, 5), (5, 9), (12, 14)], [(0, 11), (12, 15)], 0)
    row = check_all(carrier, given_)
    assert (row.text[7:19], row.spans[:2]) == ("Allan\\nLee.\n", [(7, 12), (12, 17)])
    with pytest.raises((AssertionError, LookupError, ValueError)):
        CHECKS[check](carrier, given_, spoil(row))


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


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("broken", "def wrap(", "cannot be imported (SyntaxError); mend or remove it"),
        ("absent", "import no_such_library", "cannot be imported (ModuleNotFoundError); mend or remove it"),
        ("half", "def wrap(writer, values, key): ...", "has no functions wrap and unwrap; a carrier has both"),
        ("odd", "wrap = unwrap = 5", "has no functions wrap and unwrap; a carrier has both"),
    ],
)
def test_a_file_that_cannot_be_a_carrier_is_named(
    name: str, text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr(carriers, "__path__", [*carriers.__path__, str(tmp_path)])
    try:
        with pytest.raises(PiibenchError) as caught:
            carriers.carrier_names()
    finally:
        sys.modules.pop(f"piibench_duck.carriers.{name}", None)
    assert str(caught.value) == f"carriers/{name}.py {said}"


def test_files_whose_names_no_carrier_can_have_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = carriers.carrier_names()
    for name in ("with-dash.py", "_private.py"):
        (tmp_path / name).write_text("wrap = unwrap = print")
    monkeypatch.setattr(carriers, "__path__", [*carriers.__path__, str(tmp_path)])
    assert carriers.carrier_names() == before
    for name in ("__init__", "_private", "with-dash"):
        with pytest.raises(PiibenchError, match=r"^no carrier "):
            carriers.wrap(name, "text", [], [], 0)
