"""form: the body of a submitted form."""

from urllib.parse import parse_qsl, urlencode

import pytest

from piibench_duck import carriers

AWKWARD = "Ann+Lee & René = 100 %;\r\n👩‍👧 \0\u2028~*-._"


SMALL = ('Ann & "Bo" left.\nRené stayed. Cy?', [(0, 3), (6, 10), (17, 21)], [(0, 17), (17, 30), (30, 33)])


def rows(n: int = 500) -> list[carriers.Wrapped]:
    return [carriers.wrap("form", "Ann. Bo.", [(0, 3)], [(0, 4), (5, 8)], key) for key in range(n)]


def test_a_small_passage_is_a_field_for_each_value() -> None:
    row = carriers.wrap("form", *SMALL, 1)
    assert row.text.split("&") == [
        "notify=0",
        "_token=5ca1a5f462abba2d",
        "body%5B0%5D=Ann+%26+%22Bo%22+left.",
        "body%5B1%5D=Ren%C3%A9+stayed.",
        "body%5B2%5D=Cy%3F",
        "submitted_at=1698018584",
    ]
    assert [row.text[start:end] for start, end in row.spans] == ["Ann", "%22Bo%22", "Ren%C3%A9"]


def test_a_passage_is_spelled_exactly_as_urlencode_does() -> None:
    for key in range(20):
        row = carriers.wrap("form", AWKWARD, [(0, len(AWKWARD))], [], key)
        ((start, end),) = row.spans
        assert "=" + row.text[start:end] == urlencode({"": AWKWARD})
        assert carriers.unwrap("form", row.text) == [AWKWARD]


@pytest.mark.parametrize(
    ("char", "wire"), [(" ", "+"), ("é", "%C3%A9"), ("😀", "%F0%9F%98%80"), ("+", "%2B"), ("a", "a")]
)
def test_a_span_is_the_whole_escape(char: str, wire: str) -> None:
    row = carriers.wrap("form", f"a{char}b", [(1, 2)], [], 0)
    assert [row.text[start:end] for start, end in row.spans] == [wire]


def test_values_are_fields_in_order_among_fields_that_are_none_of_them() -> None:
    for row in rows(50):
        assert carriers.unwrap("form", row.text) == ["Ann.", "Bo."]
        assert len(parse_qsl(row.text, strict_parsing=True)) > 2
        assert not set(row.text) & set(" []")


def test_names_of_fields_come_repeated_bracketed_indexed_and_numbered() -> None:
    wires = [row.text for row in rows()]
    for shape in ("text=Ann.&text=Bo.", "text%5B%5D=", "text%5B1%5D=Bo.", "text_2=Bo."):
        assert any(shape in wire for wire in wires)


def test_an_empty_passage_reads_back_empty() -> None:
    assert carriers.unwrap("form", carriers.wrap("form", "", [], [], 0).text) == [""]


def test_a_lone_surrogate_is_refused_by_code_point_and_offset() -> None:
    with pytest.raises(carriers.CannotHoldError) as caught:
        carriers.wrap("form", "Ann \ud800", [], [(0, 3), (4, 5)], 0)
    assert str(caught.value) == "form cannot hold U+D800, at code point 4 of the passage"


def test_it_is_off_by_default() -> None:
    assert not carriers.is_default("form")
