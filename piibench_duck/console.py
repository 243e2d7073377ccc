"""What a command says beside its tables: JSON, warnings, and how far a long step has come."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from piibench_duck.errors import PiibenchError

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


@contextmanager
def bar(title: str) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """A progress bar that is gone when it is done; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda total: lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)

    def start(total: int) -> Callable[[int], None]:
        task = progress.add_task(title, total=total)
        return lambda done: progress.advance(task, done)

    with _later(progress.start, progress.stop):
        yield start


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
