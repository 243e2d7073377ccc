"""Fixtures that several tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real corpora; a test that asks for it is skipped, with the reason printed, where there is none."""
    named = os.environ.get("PIIBENCH_MIRROR")
    folder = Path(named) if named else ROOT.parent / "shared" / "corpora"
    if not folder.is_dir():
        pytest.skip(f"the real corpora are not at {folder.name!r}; set PIIBENCH_MIRROR to the folder that holds them")
    return folder
