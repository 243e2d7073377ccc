"""Floors and recalls as somebody gives them: what is a number, and what is told of what is none."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from piibench_duck import floors
from piibench_duck.errors import PiibenchError, WrongUsageError


def test_floors_of_a_command_line_are_decimal_numbers_or_none() -> None:
    assert floors.parse("--floors", "none, .5,1.,-2,+3e-1,NONE") == [None, 0.5, 1.0, -2.0, 0.3, None]


@pytest.mark.parametrize("text", ["١", "1_0", "0x1", "nan", "inf", "1e999", "", "1 0", "0.5;0.6", "½", "1e", "."])
def test_what_is_no_decimal_number_in_ascii_is_refused(text: str) -> None:
    with pytest.raises(WrongUsageError, match="a number or none was expected"):
        floors.parse("--floors", f"0.5,{text}")
    with pytest.raises(WrongUsageError, match=r"^--at-recall names .*; a number was expected$"):
        floors.parse_number("--at-recall", text)


@pytest.mark.parametrize("given", [(0.5, None), np.array([0.5, 0.5]), iter([Fraction(1, 2)]), [np.float32(0.5), 0.5]])
def test_floors_in_python_are_any_numbers_each_once(given: Any) -> None:
    assert floors.check(given) in ([0.5], [0.5, None])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "floors are an empty list; a number, or None for no floor, was expected"),
        (["a"], "a floor is not a finite number"),
        ([True], "a floor is not a finite number"),
        ([10**400], "a floor is not a finite number"),
        ([float("inf")], "a floor is not a finite number"),
        ([[0.5]], "a floor is not a finite number"),
        (0.5, "floors are not a list of numbers, with None for no floor"),
        ("0.5", "floors are not a list of numbers, with None for no floor"),
        ({0.5: 1}, "floors are not a list of numbers, with None for no floor"),
    ],
)
def test_what_are_no_floors_is_told_in_a_sentence(given: Any, told: str) -> None:
    with pytest.raises(PiibenchError, match=f"^{told}$"):
        floors.check(given)


@pytest.mark.parametrize("given", ["0.5", 10**400, float("nan"), True, [0.5], 1.5, -1])
def test_what_is_no_recall_is_refused(given: Any) -> None:
    with pytest.raises(PiibenchError, match=r"^a recall "):
        floors.check_recall(given)
