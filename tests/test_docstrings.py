"""The examples of docstrings are true. Those of an open board run in tests/unit/test_explore.py, where there is one."""

import doctest
import importlib
from pathlib import Path

import pytest

import piibench_duck

PACKAGE = Path(piibench_duck.__file__).parent
WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text("utf-8") and path.name != "explore.py"
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    ended = doctest.testmod(importlib.import_module(name))
    assert ended.attempted > 0
    assert ended.failed == 0
