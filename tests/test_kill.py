"""Commands that are killed or interrupted: the next run works, and ends with the same bytes."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.shell import command, environment, rows, run, write_lines

ROOT = str(Path(__file__).parent.parent)
STEPS = (["build"], ["predict", "rules"], ["score", "--replicates", "50"])
N_KILLS = 30
SEED = 20260


def content(folder: Path) -> dict[str, bytes]:
    """What a board's folders hold, apart from times, locks, and views that name their folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and path.name not in ("meta.json", "piibench.duckdb") and path.suffix != ".lock":
            found[name] = path.read_bytes()
    return found


def other(folder: Path, expected: dict[str, bytes]) -> list[str]:
    """Names of files that are not what was expected."""
    found = content(folder)
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def start(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command(*arguments, "--board", "."),
        cwd=folder,
        env=environment(folder, PYTHONPATH=ROOT),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def board_in(folder: Path) -> Path:
    folder.mkdir()
    return write_lines(folder / "rows.jsonl", rows(60)).parent


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[float]]:
    """What a board ends with when nobody disturbs it, and how long each step took."""
    folder = board_in(tmp_path_factory.mktemp("undisturbed") / "board")
    seconds = []
    for step in STEPS:
        began = time.perf_counter()
        assert run(*step, "--board", ".", home=folder).code == 0
        seconds.append(time.perf_counter() - began)
    return content(folder), seconds


def test_a_command_that_is_killed_leaves_nothing_that_the_next_one_trips_over(
    tmp_path: Path, undisturbed: tuple[dict[str, bytes], list[float]]
) -> None:
    expected, seconds = undisturbed
    chance = random.Random(SEED)
    folder = board_in(tmp_path / "board")
    killed = 0
    for attempt in range(5):
        if attempt % 2 == 0:  # the other rounds go over what is there
            shutil.rmtree(folder / "warehouse", ignore_errors=True)
            shutil.rmtree(folder / "results", ignore_errors=True)
        for place, step in enumerate(STEPS):
            for _ in range(N_KILLS // 5 // len(STEPS)):
                process = start(folder, *step)
                time.sleep(chance.uniform(0.3, 1.0) * seconds[place])
                process.kill()
                _, said = process.communicate()
                assert said in (b"", b"rules: answered\n"), (attempt, step, said)
                killed += process.returncode == -signal.SIGKILL
            ended = run(*step, "--board", ".", home=folder)
            assert (ended.code, ended.err.replace("rules: answered\n", "")) == (0, ""), (attempt, step)
        assert other(folder, expected) == [], attempt
    assert killed >= N_KILLS // 2


def test_an_interrupted_command_ends_with_130_and_goes_on(
    tmp_path: Path, undisturbed: tuple[dict[str, bytes], list[float]]
) -> None:
    expected, seconds = undisturbed
    folder = board_in(tmp_path / "board")
    for place, step in enumerate(STEPS):
        process = start(folder, *step)
        time.sleep(0.7 * seconds[place])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        # It may have been done already, and then ending, when Python itself dies of the signal without a word of it.
        said = said.removeprefix(b"rules: answered\n")
        assert (process.returncode, said) in [(130, b"piibench-duck: interrupted\n"), (0, b""), (-2, b"")], step
        assert run(*step, "--board", ".", home=folder).code == 0
    assert other(folder, expected) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_no_program_that_was_started_outlives_a_command_that_is_ended(tmp_path: Path, name: str) -> None:
    folder = board_in(tmp_path / "board")
    pids = tmp_path / "pids"
    script = tmp_path / "detect.py"
    script.write_text(
        "import os, signal, subprocess, sys, time\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(pids)!r} + '.part', 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(pids)!r} + '.part', {str(pids)!r})\ntime.sleep(60)\n"
    )
    arguments = ["--rows", "rows.jsonl", "--out", str(tmp_path / "preds.jsonl"), "--pipeline", "command"]
    process = subprocess.Popen(
        command("predict", *arguments, "--model", f"{sys.executable} {script}"),
        cwd=folder,
        env=environment(folder, PYTHONPATH=ROOT),
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not pids.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    started = [int(pid) for pid in pids.read_text().split()]
    process.send_signal(signal.Signals[name])
    _, said = process.communicate(timeout=20)
    told = b"interrupted" if name == "SIGINT" else f"ended by {name}".encode()
    assert (process.returncode, said) == (128 + signal.Signals[name], b"piibench-duck: " + told + b"\n")
    while any(map(is_there, started)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [is_there(pid) for pid in started] == [False, False]


def is_there(pid: int) -> bool:
    """Whether a process is there and not only waits to be asked for its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_long_query_can_be_interrupted(tmp_path: Path) -> None:
    folder = board_in(tmp_path / "board")
    assert run("build", "--board", ".", home=folder).code == 0
    process = start(
        folder, "sql", "select count(*) from range(1000000000) as a, range(100000) as b where a.range > b.range"
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=10)
    finally:
        process.kill()
    assert (process.returncode, said) == (130, b"piibench-duck: interrupted\n")


def test_a_second_process_on_a_run_gets_one_sentence(tmp_path: Path) -> None:
    from piibench_duck.predict import held

    folder = board_in(tmp_path / "board")
    assert run("build", "--board", ".", home=folder).code == 0
    with held(folder / "warehouse" / "chunks" / "rules"):
        ended = run("predict", "rules", "--board", ".", home=folder)
    assert (ended.code, ended.out) == (1, "")
    assert "being worked on by another process" in ended.err
    assert ended.err.count("\n") == 1
    assert run("predict", "rules", "--board", ".", home=folder).code == 0
