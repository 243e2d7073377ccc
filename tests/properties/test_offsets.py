"""Translated offsets agree with what encode() says of each prefix of the text."""

from hypothesis import given
from hypothesis import strategies as st

from piibench_duck.offsets import Misplaced, OffsetUnit, length, to_code_points

TEXTS = st.text(
    alphabet=st.one_of(st.sampled_from("a é\u0301ש🙂\U0010ffff\u2028\x00"), st.characters(exclude_categories=["Cs"]))
)
CODECS: dict[OffsetUnit, tuple[str, int]] = {
    "codepoint": ("utf-32-le", 4),
    "utf16": ("utf-16-le", 2),
    "byte": ("utf-8", 1),
}


@given(TEXTS, st.sampled_from(sorted(CODECS)), st.lists(st.integers(-3, 60)))
def test_an_offset_is_the_code_point_whose_prefix_encodes_to_that_length(
    text: str, unit: OffsetUnit, offsets: list[int]
) -> None:
    codec, width = CODECS[unit]
    prefixes = {len(text[:index].encode(codec)) // width: index for index in range(len(text) + 1)}
    end = len(text.encode(codec)) // width

    def expected(offset: int) -> int | Misplaced:
        if not 0 <= offset <= end:
            return Misplaced.OUT_OF_RANGE
        return prefixes.get(offset, Misplaced.SPLITS_A_CHARACTER)

    assert length(text, unit) == end
    assert to_code_points(text, unit, offsets) == [expected(offset) for offset in offsets]
