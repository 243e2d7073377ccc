"""Fixtures that several tests share."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from piibench_duck import cli
from tests.shell import Ended

ROOT = Path(__file__).parent.parent

Call = Callable[..., Ended]
NOT_MEASURED = "not measured"


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real corpora; a test that asks for it is skipped, with the reason printed, where there is none."""
    named = os.environ.get("PIIBENCH_MIRROR")
    folder = Path(named) if named else ROOT.parent / "shared" / "corpora"
    if not folder.is_dir():
        pytest.skip(f"the real corpora are not at {folder.name!r}; set PIIBENCH_MIRROR to the folder that holds them")
    return folder


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """A command in this process, with an empty home."""
    monkeypatch.setenv("PIIBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PIIBENCH_MIRROR", raising=False)
    monkeypatch.chdir(tmp_path)

    def called(*arguments: object) -> Ended:
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out.decode(), err.decode())

    return called


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests recorded as not measured, whatever process they ran in: a passing test's prints are not shown."""
    told = {
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == NOT_MEASURED
    }
    for value in sorted(told):
        terminalreporter.write_line(f"not measured: {value}")
