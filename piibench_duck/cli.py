"""The entry point: runs a command, says what went wrong in one sentence on stderr, ends with 0, 1 or 2."""

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from piibench_duck import beside, console
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.sandbox import is_unicode

FINDINGS_SHOWN = 20
ENDED_BY = {"SIGINT": b"interrupted", "SIGTERM": b"ended by SIGTERM", "SIGHUP": b"ended by SIGHUP"}
"""Signals that end us with 128 and their number, and nothing that we started outlives us then."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; faults that a user can mend end in exit code 1, wrong usage in 2."""
    if sys.stdout is None or sys.stderr is None:
        _end_unheard()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without Unicode, or a file name that is none, ends no command
            stream.reconfigure(errors="backslashreplace")
    if arguments is None:  # this process is ours alone
        for name, said in ENDED_BY.items():
            number = getattr(signal, name, None)  # a system may not have it, or whoever started us wants it ignored
            if number is not None and (name == "SIGINT" or signal.getsignal(number) is not signal.SIG_IGN):
                signal.signal(number, partial(_interrupted, said))
    gc.disable()
    code = _run(arguments)
    if arguments is None:
        leave(code)
    sys.exit(code)


def leave(code: int) -> NoReturn:
    """End this process at once: taking the interpreter apart, table by table, takes a quarter of a second.

    Every file is whole by then; what is still to be shown is shown.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    _end_programs()
    os._exit(code)


def _end_unheard() -> NoReturn:
    """End before anything is done: nobody would hear of it, and the next file opened would take the stream's place."""
    if sys.stderr is not None:
        console.warn("stdout is closed; an open one was expected")
        sys.stderr.flush()
    os._exit(1)


def _end_programs() -> None:
    """No program that a runner started outlives this process."""
    if (started := sys.modules.get("piibench_duck.runners._program")) is not None:
        started.kill_all()


def _interrupted(said: bytes, number: int, frame: object) -> None:
    """End at once. Every file is written beside and renamed, so nothing has to be put right but what lies beside.

    A KeyboardInterrupt would come out of C code as any error, or as an abort.
    """
    _end_programs()
    beside.abandon()
    with contextlib.suppress(OSError):  # a terminal that is gone
        console.release()
        os.write(2, b"piibench-duck: " + said + b"\n")
    os._exit(128 + number)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        if not all(is_unicode(argument) for argument in (sys.argv[1:] if arguments is None else arguments)):
            raise WrongUsageError("an argument is not Unicode; UTF-8 was expected")
        code = _called(arguments)
        sys.stdout.flush()
        return code
    except PiibenchError as error:
        _show_findings(error)
        console.warn(str(error))
        return 2 if isinstance(error, WrongUsageError) else 1
    except BrokenPipeError:
        _forget_stdout()
        return 1
    except OSError as error:
        if not error.filename:  # what was being written when it failed was stdout
            _forget_stdout()
        console.warn(f"{error.filename or 'the output'}: {error.strerror or type(error).__name__}")
        return 1
    except Exception as error:
        return _bug(error)


def _called(arguments: Sequence[str] | None) -> int:
    import typer

    from piibench_duck.commands import app

    try:
        code: Any = app(arguments, prog_name="piibench-duck", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            return 0
        console.warn(error.format_message().replace("Value error, ", ""))
        return error.exit_code


def _show_findings(error: PiibenchError) -> None:
    findings = getattr(error, "findings", [])
    for finding in findings[:FINDINGS_SHOWN]:
        print(console.one_line(str(finding)), file=sys.stderr)
    if len(findings) > FINDINGS_SHOWN:
        listed_by = getattr(error, "listed_by", None)
        how = f"; {listed_by} lists all" if listed_by else ""
        print(f"… and {len(findings) - FINDINGS_SHOWN} more{how}", file=sys.stderr)


def _forget_stdout() -> None:
    """Whoever read stdout is gone, or its disk is full: what is still buffered must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: Exception) -> int:
    """Where it happened, but not the message, which may quote a row; PIIBENCH_DEBUG=1 shows that too."""
    import traceback

    if os.environ.get("PIIBENCH_DEBUG"):
        traceback.print_exception(error)
        return 1
    traceback.print_tb(error.__traceback__)
    console.warn(
        f"a bug: {type(error).__name__}, whose message is kept back because it may quote a row; "
        "PIIBENCH_DEBUG=1 shows it"
    )
    return 1


if __name__ == "__main__":
    main()
