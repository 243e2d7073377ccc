"""key_value: logfmt and .env, bare where nothing has to be quoted."""

import pytest

from piibench_duck import carriers
from tests.carrier_checks import Given, check_all, scaffold_of

PASSAGE = 'Ann said "no".\nIt cost $5. Left.'
VALUES = [(0, 26), (27, 32)]


def row(key: int) -> carriers.Wrapped:
    return carriers.wrap("key_value", PASSAGE, [(0, 3)], VALUES, key)


def of_text(passage: str, spans: list[tuple[int, int]] | None = None) -> list[str]:
    """The wires of some keys."""
    return [carriers.wrap("key_value", passage, spans or [], [(0, len(passage))], key).text for key in range(60)]


def test_logfmt_has_a_line_for_each_value_and_quotes_only_where_it_must() -> None:
    assert row(5).text == (
        'ts=2022-08-15T16:39:13Z level=debug message="Ann said \\"no\\".\\nIt cost $5." request_id=2963a19be60b\n'
        "ts=2022-08-15T16:39:13Z level=debug message=Left. request_id=2963a19be60b\n"
    )


def test_an_env_file_has_a_variable_for_each_value() -> None:
    assert row(4).text == (
        "LOG_LEVEL=info\n"
        "HOST=gateway-10.prod.internal\n"
        'REPLY_TEXT_1="Ann said \\"no\\".\\nIt cost $5."\n'
        "REPLY_TEXT_2=Left.\n"
        "DEBUG=false\n"
    )


def test_a_text_that_needs_no_quotes_is_bare_single_quoted_or_double_quoted_in_an_env_file() -> None:
    wires = [wire for wire in of_text("Bo-left.") if "HOST=" in wire]
    assert {wire[wire.index("Bo-left") - 1] for wire in wires} == {"=", "'", '"'}


@pytest.mark.parametrize(
    "text",
    [
        "Bo left",
        "a;b",
        "a&b",
        "a*",
        "it's",
        'a "b"',
        "a # b",
        "a\\b",
        "${HOME}",
        "`a`",
        "a\nb",
        "a\tb",
        "a\u2028b",
        "a\x85b",
    ],
)
def test_a_text_that_might_be_read_otherwise_is_never_bare_in_an_env_file(text: str) -> None:
    for wire in of_text(text):
        assert carriers.unwrap("key_value", wire) == [text]
        assert not [line for line in wire.splitlines() if "HOST=" in wire and line.endswith(f"={text}")]


def test_a_space_at_an_end_of_a_span_is_never_bare() -> None:
    for wire in of_text("Bo left.", [(2, 4)]):
        assert "'Bo left.'" in wire or '"Bo left."' in wire


def test_a_nul_which_an_environment_cannot_hold_is_for_logfmt() -> None:
    for wire in of_text("a\0b"):
        assert 'a\\u0000b"' in wire


def test_a_lone_surrogate_is_for_an_env_file_and_with_a_nul_refused() -> None:
    for wire in of_text("a\ud800b"):
        assert "HOST=" in wire
        assert carriers.unwrap("key_value", wire) == ["a\ud800b"]
    with pytest.raises(carriers.CannotHoldError) as caught:
        of_text("a\ud800b\0")
    assert str(caught.value) == "key_value cannot hold U+D800, at code point 1 of the passage"


def test_nothing_else_is_refused() -> None:
    text = "\x01\x1a\b\t\r\n\v\x85\u2028\ufeff\"'\\%_\ufffd\ufffe=#${A} \\"
    for key in range(8):
        for passage in (text, text + "\0"):
            check_all(
                "key_value", Given(passage, [(at, at + 1) for at in range(len(passage))], [(0, len(passage))], key)
            )


@pytest.mark.parametrize("text", ["null", "true", "\\", "a\\", "export", "=", "#", "a=b", "-", "\ufffd", ""])
def test_short_texts_that_mean_something_read_back_as_themselves(text: str) -> None:
    for wire in of_text(text):
        assert carriers.unwrap("key_value", wire) == [text]


def test_scaffolds_differ() -> None:
    assert len({tuple(scaffold_of(row(key))) for key in range(500)}) > 300
