"""What a table of a run and a `run.toml` may say."""

from pathlib import Path

import pytest

from piibench_duck import run_plans
from piibench_duck.errors import PiibenchError

WHOLE = """
name = "mine"
runner = "onnx"
model = "owner/name"
revision = "0123456789012345678901234567890123456789"
publisher = "Example Ltd"
conflict_of_interest = "We made it."
recipe = "seed 1 of 3"
artefact = "owner/name"

[options]
aggregation = "simple"
threshold = 0.5
labels = ["person", "place"]
stream = true

[steered]
tab = "its authors looked at it"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    found = run_plans.read(write(tmp_path, WHOLE), ["tab"])
    assert found["name"] == "mine"
    assert found["options"] == {"aggregation": "simple", "threshold": "0.5", "labels": "person,place", "stream": "true"}
    assert found["steered"] == {"tab": "its authors looked at it"}
    assert found["publisher"] == "Example Ltd"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("publishr = 'x'", "no key 'publishr'; 'publisher' was meant?"),
        ("publisher = 3", "'publisher' is no text"),
        ("unpinned = 'yes'", "'unpinned' is neither true nor false"),
        ("name = 3", "'name' is no text"),
        ("options = 3", "'options' is no table"),
        ("[options]\na = {b = 1}", "a value of 'options' is of the wrong kind"),
        ("[steered]\nnowhere = 'x'", "'steered' names 'nowhere', which is no corpus of the board; there are tab"),
        ("[steered]\ntab = ''", "a value of 'steered' is of the wrong kind"),
        ("name = ", "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(PiibenchError, match=told):
        run_plans.read(write(tmp_path, text), ["tab"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PiibenchError, match=r"run.toml: cannot be read \(No such file"):
        run_plans.read(tmp_path / "run.toml", [])


@pytest.mark.parametrize("name", ["", "-x", "a/b", "a b", "x" * 65, "ü"])
def test_names_are_those_of_files(name: str) -> None:
    with pytest.raises(PiibenchError, match="run name"):
        run_plans.check_name(name)
