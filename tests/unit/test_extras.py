"""Libraries that are not there: the error of a runner names the command that installs them."""

import sys
from pathlib import Path

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.runners._extras import need


def test_a_missing_library_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gliner", None)
    with pytest.raises(PiibenchError) as raised:
        need("gliner", "gliner", "gliner")
    assert str(raised.value) == (
        "runner 'gliner' needs the package gliner; "
        "`pip install torch==2.13.0 && pip install 'piibench-duck[gliner]'` installs it"
    )


def test_a_library_that_is_missing_what_it_needs_itself_names_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_there.py").write_text("import that_is_not_there\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        PiibenchError, match=r"needs the package that_is_not_there; `pip install 'piibench-duck\[spacy\]'`"
    ):
        need("spacy", "half_there", "spacy")


def test_versions_that_do_not_fit_are_told_apart_from_a_missing_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unfit.py").write_text("raise ImportError('other>=3 is required')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PiibenchError, match=r"^runner 'spacy' cannot import the package unfit, maybe for versions"):
        need("spacy", "unfit", "spacy")
