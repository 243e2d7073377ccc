"""yaml: the key's style of scalar, where it can hold the value."""

import pytest
import yaml

from piibench_duck import carriers
from tests.carrier_checks import Given, check_all, scaffold_of

PASSAGE = "Ann said it.\nIt was 'so'. Bo left."
VALUES = [(0, 25), (26, 34)]
ENDS = {"'": "single", '"': "double", "|": "block"}


def row(key: int) -> carriers.Wrapped:
    return carriers.wrap("yaml", PASSAGE, [(0, 3)], VALUES, key)


def styles(text: str, spans: list[tuple[int, int]] | None = None) -> set[str]:
    """The styles that some keys give a text, which reads back in all of them."""
    found = set()
    for key in range(40):
        wrapped = check_all("yaml", Given(text, spans or [], [(0, len(text))] if spans else [], key))
        scalars = [event for event in yaml.parse(wrapped.text) if isinstance(event, yaml.ScalarEvent)]
        found |= {scalar.style or "plain" for scalar in scalars if scalar.value == text}
    return {ENDS.get(style, style) for style in found}


def test_a_block_scalar_is_indented_under_its_key() -> None:
    assert row(1).text == (
        "---\nservice: inbox\nqueue: default\nrevision: 50229cc4\nupdated_at: 2022-01-05T23:40:04Z\n"
        "timeout_seconds: 30\ntemplates:\n"
        "- id: 40719117\n  input: |-\n    Ann said it.\n    It was 'so'.\n"
        "- id: 40719143\n  input: |-\n    Bo left.\n"
    )


def test_the_value_of_a_block_scalar_has_the_indentation_in_its_line_ends() -> None:
    wrapped = carriers.wrap("yaml", "Ann\nLee", [(0, 7)], [(0, 7)], 1)
    assert [wrapped.text[start:end] for start, end in wrapped.spans] == ["Ann\n    Lee"]


def test_a_plain_sentence_is_written_in_every_style() -> None:
    assert styles("Bo left at 10:30, didn't she?", [(0, 2)]) == {"plain", "single", "double", "block"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", {"double", "block"}),
        ("a\n  b", {"double", "block"}),
        (" a", {"single", "double"}),
        ("\na", {"double"}),
        ("a\n", {"double"}),
        ("a: b", {"single", "double", "block"}),
        ("a #b", {"single", "double", "block"}),
        ("- a", {"single", "double", "block"}),
        ("yes", {"single", "double", "block"}),
        ("2024", {"single", "double", "block"}),
        ("12:30", {"single", "double", "block"}),
        ("a\rb", {"double"}),
        ("a\x85b", {"double"}),
        ("a\u2028b", {"double"}),
        ("a\0b", {"double"}),
        ("a\ufeffb", {"double"}),
        ("", {"single", "double"}),
    ],
)
def test_a_style_is_used_only_where_it_holds_the_text(text: str, expected: set[str]) -> None:
    assert styles(text) == expected


def test_a_span_that_would_not_stand_alone_in_a_style_rules_it_out() -> None:
    assert styles("Bo left", [(2, 7)]) == {"single", "double"}
    assert styles("Bo -left", [(3, 8)]) == {"single", "double", "block"}


@pytest.mark.parametrize(("char", "escape"), [("\0", "\\0"), ("\u2028", "\\L"), ("\x85", "\\N"), ("😀", "\\U0001F600")])
def test_double_quotes_have_yamls_own_escapes(char: str, escape: str) -> None:
    wrapped = carriers.wrap("yaml", f"é{char}\r", [(0, 3)], [], 0)
    assert [wrapped.text[start:end] for start, end in wrapped.spans] == [f"é{escape}\\r"]


def test_nothing_is_refused() -> None:
    text = "".join(map(chr, range(0xA1))) + "\u2028\u2029\ufeff\ufffd\uffff\U0001ffff\U0010ffff"
    for key in (0, 1):
        check_all("yaml", Given(text, [(at, at + 1) for at in range(0, len(text), 16)], [(0, len(text))], key))


def test_no_key_of_the_document_comes_twice() -> None:
    for key in range(200):
        node = yaml.compose(row(key).text)
        assert isinstance(node, yaml.MappingNode)
        names = [name.value for name, _ in node.value]
        assert len(set(names)) == len(names)


def test_scaffolds_differ() -> None:
    assert len({tuple(scaffold_of(row(key))) for key in range(500)}) > 300
