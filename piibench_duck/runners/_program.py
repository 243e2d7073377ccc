"""A program of the user's: lines in, lines out, within a time, and in a process group that is ended when it is done."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence

from piibench_duck.errors import PiibenchError
from piibench_duck.runners._reply import MOST_BYTES, BadReplyError

_RUNNING: "weakref.WeakSet[Program]" = weakref.WeakSet()
_END = None  # of what a program writes
_PARTING = 1.0  # seconds for a thread to see that its program is gone
_LOOK = 0.1  # seconds after which a thread that cannot go on looks whether it is
_AHEAD = 1000  # lines that are read before they are asked for; a program that writes more waits


class Program:
    """A process that was started without a shell. What it writes to stderr may be text of a row, and is dropped."""

    def __init__(self, arguments: Sequence[str], who: str) -> None:
        self.who = who
        environment = {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", **os.environ}
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            raise PiibenchError(f"{who} cannot be started ({error.strerror or type(error).__name__})") from error
        self._lines: queue.Queue[bytes | Exception | None] = queue.Queue(_AHEAD)
        self._is_gone = threading.Event()
        self._is_ended = False
        self._left = MOST_BYTES
        self._threads: list[threading.Thread] = []
        self._begin(self._read)
        _RUNNING.add(self)

    def send(self, lines: bytes, is_last: bool) -> None:
        """Give lines to a program that may write before it has read them; `is_last` closes its input behind them."""
        self._begin(self._write, lines, is_last)

    def lines(self, deadline: float) -> Iterator[bytes]:
        """What the program writes, line by line without their ends, until its output ends.

        Raises `TimeoutError` behind `deadline` (of `time.monotonic`) and `BadReplyError` where it is too much.
        """
        self._left = MOST_BYTES
        while not self._is_ended:
            if (left := deadline - time.monotonic()) <= 0:  # also where there is always another line
                raise TimeoutError
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                raise TimeoutError from None
            if isinstance(line, Exception):
                raise line
            if line is _END:
                self._is_ended = True
                return
            yield line

    def end(self, deadline: float) -> int | None:
        """The exit code; None where it had to be killed, at the deadline. Whatever it started ends too."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        code = self._process.returncode
        self.kill()
        return code

    def kill(self) -> None:
        """End the program and what it started, at once."""
        self.signal()
        self._is_gone.set()
        self._process.wait()
        for thread in self._threads:
            thread.join(_PARTING)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def signal(self) -> None:
        """Kill the process group, once: later its number may be another's."""
        if self in _RUNNING:
            _RUNNING.discard(self)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _begin(self, what: Callable[..., None], *arguments: object) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=what, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _write(self, lines: bytes, is_last: bool) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):  # a program that reads no further, or was killed meanwhile
            left = memoryview(lines)
            while left:
                left = left[pipe.write(left) :]
            if is_last:
                pipe.close()

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        begun = bytearray()
        with contextlib.suppress(OSError, ValueError):
            while chunk := pipe.read(1 << 16):
                self._left -= len(chunk)
                if self._left < 0:
                    self._put(BadReplyError(f"more than {MOST_BYTES} bytes"))
                    return
                *whole, rest = chunk.split(b"\n")
                for line in whole:
                    if begun or line:  # blank ones say nothing, and count by their bytes alone
                        self._put(bytes(begun + line))
                    begun.clear()
                begun += rest
        if begun:
            self._put(bytes(begun))
        self._put(_END)

    def _put(self, line: bytes | Exception | None) -> None:
        """Waits until there is room, for as long as the program is wanted."""
        while not self._is_gone.is_set():
            try:
                return self._lines.put(line, timeout=_LOOK)
            except queue.Full:
                continue


def kill_all() -> None:
    """Kill every program that is running, for a process that ends at once."""
    for program in list(_RUNNING):
        program.signal()
