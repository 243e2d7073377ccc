"""Offsets that other tools count in UTF-16 units or bytes."""

import time

import pytest

from piibench_duck.offsets import Misplaced, OffsetUnit, length, to_code_points


@pytest.mark.parametrize(("unit", "expected"), [("codepoint", 5), ("utf16", 6), ("byte", 8)])
def test_a_text_has_a_length_in_each_unit(unit: OffsetUnit, expected: int) -> None:
    assert length("🙂 Ana", unit) == expected


def test_utf16_offsets_behind_an_astral_character_come_back_by_one() -> None:
    assert to_code_points("🙂 Ana", "utf16", [3, 6, 0, 2]) == [2, 5, 0, 1]


def test_byte_offsets_behind_letters_of_two_bytes_come_back() -> None:
    assert to_code_points("ção: Ana tail", "byte", [7, 10]) == [5, 8]


def test_an_offset_inside_a_character_has_no_code_point() -> None:
    assert to_code_points("ção", "byte", [3, 2]) == [Misplaced.SPLITS_A_CHARACTER, 1]
    assert to_code_points("a🙂", "utf16", [2, 3]) == [Misplaced.SPLITS_A_CHARACTER, 2]


def test_the_range_is_judged_in_the_unit_of_the_offsets() -> None:
    assert to_code_points("🙂 Ana", "codepoint", [6, 5]) == [Misplaced.OUT_OF_RANGE, 5]
    assert to_code_points("🙂 Ana", "utf16", [7, -1, 6]) == [Misplaced.OUT_OF_RANGE, Misplaced.OUT_OF_RANGE, 5]
    assert to_code_points("", "byte", [0, 1]) == [0, Misplaced.OUT_OF_RANGE]


def test_a_number_too_large_for_a_machine_word_is_out_of_range() -> None:
    assert to_code_points("é", "byte", [10**400]) == [Misplaced.OUT_OF_RANGE]


@pytest.mark.parametrize("unit", ["utf16", "byte"])
def test_many_offsets_in_a_long_text_take_linear_time(unit: OffsetUnit) -> None:
    text = "é🙂 " * 100_000
    wanted = range(0, len(text), 3)
    step = 4 if unit == "utf16" else 7
    began = time.perf_counter()
    assert to_code_points(text, unit, [index // 3 * step for index in wanted]) == list(wanted)
    assert time.perf_counter() - began < 2
