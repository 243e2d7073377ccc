"""What a command says beside its tables: JSON, warnings, and how far a long step has come."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from piibench_duck.errors import PiibenchError

if TYPE_CHECKING:
    from rich.progress import Task

Progress = Callable[[int], None]

PATIENCE = 1.0
"""Seconds that a step may take in silence."""


def warn(said: str) -> None:
    """One line that opens with our name, whatever line breaks it was given."""
    print("piibench-duck: " + one_line(said), file=sys.stderr)


def say(said: str) -> None:
    """How far we are, on stderr where that is a log: a terminal has a bar."""
    if not sys.stderr.isatty():
        print(one_line(said), file=sys.stderr)


def one_line(said: str) -> str:
    """The text with each run of line breaks, and the blanks around it, as one blank."""
    return " ".join(line.strip() for line in said.splitlines() if line.strip())


def print_json(value: object) -> None:
    """JSON on stdout."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False))


def release() -> None:
    """Give the terminal back its cursor and an empty line, whatever was being shown."""
    if sys.stderr.isatty():
        os.write(2, b"\r\x1b[K\x1b[?25h")


@contextmanager
def refusals_as_json(wanted: bool) -> Iterator[None]:
    """Whoever asked for JSON gets a refusal's findings so too: all of them, on stdout."""
    from piibench_duck import door

    try:
        yield
    except door.Refused as refused:
        if wanted:
            print(refused.as_json())
            raise PiibenchError(str(refused)) from None
        refused.listed_by = "`--json`"
        raise


@contextmanager
def status(title: str) -> Iterator[Callable[[str], None]]:
    """A spinner while something is done whose length is not known; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda said: None
        return
    from rich.console import Console

    spinner = Console(stderr=True, markup=False).status(title)
    with _later(spinner.start, spinner.stop):
        yield lambda said: spinner.update(f"{title}: {said}")


class Steps(NamedTuple):
    """Tells whoever waits what a long step is at, and how far that has come."""

    say: Callable[[str], None]
    start: "Callable[[int | None], Progress]"
    """Of so many units, None where nobody knows; what it gives is told how many were done since."""


@contextmanager
def bar(title: str) -> Iterator[Callable[[int | None], Progress]]:
    """A progress bar of rows, with their rate and the time left, that is gone when it is done."""
    with steps(title) as told:
        yield told.start


@contextmanager
def steps(title: str, unit: str = "rows") -> Iterator[Steps]:
    """A progress bar that moves from one thing to the next; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Steps(lambda said: None, lambda total: lambda done: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, TaskID, TextColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Pace(ProgressColumn):
        """How much is done, how fast, and how long the rest takes."""

        def render(self, task: "Task") -> Text:
            left = None if task.total is None else task.time_remaining
            return Text(pace(int(task.completed), task.total, task.speed, left, unit))

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), Pace())
    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    shown: list[tuple[TaskID, str]] = []

    def show(what: str, total: int | None) -> TaskID:
        task = bars.add_task(what, total=total)
        for before, _ in shown:
            bars.remove_task(before)
        shown[:] = [(task, what)]
        return task

    def say(said: str) -> None:
        show(f"{title}: {said}", None)

    def start(total: int | None) -> Progress:
        task = show(shown[0][1], total)
        return lambda done: bars.advance(task, done)

    show(title, None)
    with _later(bars.start, bars.stop):
        yield Steps(say, start)


def pace(done: int, total: float | None, speed: float | None, left: float | None, unit: str) -> str:
    """What is done, of how much, how fast, and the seconds that are left.

    >>> pace(1200, 3500, 8.25, 279, "rows")
    '1200 of 3500 rows, 8.2/s, 0:04:39 left'
    >>> pace(5_000_000, None, 1_250_000, None, "bytes")
    '5.0 MB, 1.2 MB/s'
    >>> pace(0, None, None, None, "rows")
    ''
    """
    if not done and total is None:
        return ""
    is_bytes = unit == "bytes"
    counts = [f"{count / 1e6:.1f}" if is_bytes else f"{count:.0f}" for count in (done, total) if count is not None]
    said = [f"{' of '.join(counts)} {'MB' if is_bytes else unit}"]
    if speed is not None:
        said.append(f"{speed / 1e6:.1f} MB/s" if is_bytes else f"{speed:.{0 if speed >= 10 else 1}f}/s")
    if left is not None:
        said.append(f"{timedelta(seconds=round(left))} left")
    return ", ".join(said)


@contextmanager
def _later(start: Callable[[], None], stop: Callable[[], None]) -> Iterator[None]:
    """Start what shows progress only when the step has taken a second."""
    timer = threading.Timer(PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        stop()
