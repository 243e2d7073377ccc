"""log: a record is one line, whatever is in its message."""

import pytest

from piibench_duck import carriers
from tests.carrier_checks import Given, check_all, scaffold_of

PASSAGE = "Ann said no.\nIt was c:\\d. Bo left."
VALUES = [(0, 25), (26, 34)]


def row(key: int) -> carriers.Wrapped:
    return carriers.wrap("log", PASSAGE, [(0, 3)], VALUES, key)


def test_each_value_is_the_message_of_a_line() -> None:
    assert row(1).text == (
        "2021-09-17T19:43:44.057Z INFO queue-6.prod.internal webhook[5379] request_id=eebcf139d6ec "
        "payload rejected, field text too long: Ann said no.\\nIt was c:\\\\d.\n"
        "2021-09-17T19:43:44.064Z INFO queue-6.prod.internal webhook[5379] request_id=eebcf139d6ec "
        "payload rejected, field text too long: Bo left.\n"
    )


@pytest.mark.parametrize(
    ("char", "written"),
    [
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
        ("\\", "\\\\"),
        ("\0", "\\x00"),
        ("\v", "\\x0b"),
        ("\f", "\\x0c"),
        ("\x1b", "\\x1b"),
        ("\x1e", "\\x1e"),
        ("\x7f", "\\x7f"),
        ("\x85", "\\x85"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
        ("\xa0", "\xa0"),
        ('"', '"'),
        ("\ufeff", "\ufeff"),
    ],
)
def test_what_ends_a_line_or_controls_a_terminal_is_an_escape(char: str, written: str) -> None:
    wrapped = carriers.wrap("log", f"a{char}b", [(1, 2)], [], 0)
    assert [wrapped.text[start:end] for start, end in wrapped.spans] == [written]


def test_a_record_is_one_line_under_every_notion_of_line() -> None:
    text = "".join(map(chr, [*range(0x100), 0x2028, 0x2029, 0xFEFF]))
    for key in range(10):
        wire = carriers.wrap(
            "log", text + "." + text, [], [(0, len(text) + 1), (len(text) + 1, 2 * len(text) + 1)], key
        )
        assert len(wire.text.splitlines()) == 2
        assert wire.text.count("\n") == 2
        assert carriers.unwrap("log", wire.text) == [text.lstrip() + ".", text.lstrip()]
        check_all("log", Given(text, [(at, at + 1) for at in range(len(text))], [(0, len(text))], key))


def test_timestamps_hosts_and_request_ids_are_lookalikes() -> None:
    for key in range(20):
        wrapped = row(key)
        found = [
            wrapped.text[line.wire_start : line.wire_end] for line in wrapped.alignments if line.kind == "lookalike"
        ]
        assert len(found) == 6
        assert found[1] == found[4]
        assert found[2] == found[5]
        assert found[0] <= found[3]


def test_scaffolds_differ() -> None:
    assert len({tuple(scaffold_of(row(key))) for key in range(500)}) > 300
