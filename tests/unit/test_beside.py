"""A person's file is the old one or the new one, and nothing is left beside it."""

import os
from pathlib import Path

import pytest

from piibench_duck import chunks
from piibench_duck.beside import abandon, beside

DEAD_PID = 2**22 + 1  # above the largest process id that Linux gives out


def test_what_is_written_beside_becomes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    with beside(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [left.name for left in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def fail() -> None:
        with beside(path) as part:
            part.write_text("half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert (path.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)


def test_what_a_killed_process_left_goes_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    path = tmp_path / "out [1].jsonl"
    killed = tmp_path / f".{path.name}.{DEAD_PID}.tmp"
    living = tmp_path / f".{path.name}.{os.getppid()}.tmp"
    other = tmp_path / f".out 1.jsonl.{DEAD_PID}.tmp"
    for left in (killed, living, other):
        left.write_text("half")
    with beside(path) as part:
        part.write_text("new")
    assert (killed.exists(), living.exists(), other.exists()) == (False, True, True)


def test_a_process_that_ends_at_once_takes_its_unfinished_files_with_it(tmp_path: Path) -> None:
    def end() -> None:
        with beside(tmp_path / "out.jsonl") as part:
            part.write_text("half")
            abandon()
            assert not part.exists()

    with pytest.raises(FileNotFoundError):
        end()


def test_an_error_of_the_system_names_the_file_and_not_what_lies_beside(tmp_path: Path) -> None:
    def no_room(part: Path) -> None:
        raise OSError(27, "File too large")  # as a write says it, which knows of no name

    def write(path: Path) -> None:
        with beside(path) as part:
            no_room(part)

    for attempt in (write, lambda path: chunks.replace(path, no_room)):
        with pytest.raises(OSError, match="too large") as raised:
            attempt(tmp_path / "out.json")
        assert raised.value.filename == str(tmp_path / "out.json")

    def open_part(path: Path) -> None:
        with beside(path) as part:
            part.write_text("new")

    with pytest.raises(FileNotFoundError) as raised:
        open_part(tmp_path / "nowhere" / "out.json")
    assert raised.value.filename == str(tmp_path / "nowhere" / "out.json")

    def read_another(path: Path) -> None:
        with beside(path):
            (tmp_path / "other").read_text()

    with pytest.raises(FileNotFoundError) as raised:
        read_another(tmp_path / "out.json")
    assert str(raised.value.filename) == str(tmp_path / "other")
