"""Any program that reads lines of id and text and writes lines of id and spans."""

import hashlib
import json
import os
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.records import Fault
from piibench_duck.offsets import OffsetUnit
from piibench_duck.runners import Answer, Description, Detector, Text
from piibench_duck.runners._options import integer, only
from piibench_duck.runners._program import Program
from piibench_duck.runners._reply import (
    PROBE,
    BadReplyError,
    Failures,
    accepted,
    answers,
    check_probe,
    decoded,
    unit_of,
)

OPTIONS = ("command", "mode", "namespace", "offset_unit", "timeout")
MODES = ("once", "stream")
_MORE = 1000  # answers than rows, which may be double; what writes without end need not be kept


class ExitError(Exception):
    """A program that ended otherwise than it should."""


@dataclass
class _Stream:
    """The program that is running, where it is to go on."""

    program: Program | None = None


@dataclass(frozen=True)
class CommandDetector:
    """Starts the program for each batch, or once for all of them and anew where it failed."""

    description: Description
    arguments: Sequence[str] = field(repr=False)
    who: str
    seconds: float
    is_stream: bool
    unit: OffsetUnit
    stream: _Stream
    failures: Failures

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        try:
            found = self._ask(texts)
        except PiibenchError:
            raise  # it is the program that has to be mended
        except Exception as error:  # of whatever kind, it counts
            is_ours = isinstance(error, BadReplyError | ExitError | TimeoutError)
            self.failures.failed((str(error) if is_ours else "") or type(error).__name__)
            raise  # whoever asks goes on row by row, so that the one that cannot be taken fails alone
        self.failures.answered()
        return accepted(found)

    def probe(self) -> None:
        """Raises `PiibenchError` unless an invented text is answered as it should be."""
        try:
            found = self._ask([PROBE])
        except TimeoutError as error:
            more = ""
            if self.is_stream:
                more = "; a program that writes only at the end of its input needs the option mode=once"
            raise PiibenchError(f"{self.who} {error}{more}") from error
        except (BadReplyError, ExitError) as error:
            raise PiibenchError(f"{self.who} does not answer as it should: {error}") from error
        check_probe(found, self.who)

    def _ask(self, texts: Sequence[Text]) -> list[Answer | Fault]:
        deadline = time.monotonic() + self.seconds
        program = self.stream.program or Program(self.arguments, self.who)
        self.stream.program = None
        is_whole = False
        try:
            # In ASCII, since many programs take other characters than \n for the end of a line.
            sent = "".join(json.dumps({"id": text.row_id, "text": text.text}) + "\n" for text in texts)
            program.send(sent.encode(), is_last=not self.is_stream)
            replies = []
            for line in program.lines(deadline):
                replies.append(decoded(line))
                if len(replies) > len(texts) + _MORE:
                    raise BadReplyError("far more answers than rows")
                if self.is_stream and len(replies) == len(texts):
                    break
            else:
                code = program.end(deadline)
                if code is None:
                    raise TimeoutError
                if code or self.is_stream:
                    raise ExitError(_ended(code))
            found = answers(replies, texts, self.unit, self.who)
            is_whole = True
            return found
        except TimeoutError:
            raise TimeoutError(f"gave no whole answer in {self.seconds:g} s") from None
        finally:
            if is_whole and self.is_stream:
                self.stream.program = program
            else:
                program.kill()


def _ended(code: int) -> str:
    return f"it was ended by signal {-code}" if code < 0 else f"it ended with exit code {code}"


def shown(model: str) -> str:
    """The program as results name it: the names of its files, without their folders and other arguments."""
    try:
        return _name(_files(shlex.split(model)))
    except (ValueError, IndexError):
        return "no program"


def _name(files: Sequence[tuple[str, Path]]) -> str:
    return " ".join(name for name, _ in files)


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model`, or the option `command`, is a program with its arguments, written as for a shell; none is involved.

    It is given an invented text first. `mode` is `once` (started for each batch, its input closed behind it) or
    `stream` (started once; it has to write an answer before its input ends); `timeout` in seconds, of a batch.
    """
    only("command", options, (*OPTIONS, "unpinned"))
    if os.name != "posix":
        raise PiibenchError("runner 'command' needs process groups, which this system has not")
    if (model is None) == ("command" not in options):
        raise PiibenchError("runner 'command' needs a program with its arguments, as its model or as option 'command'")
    if revision is not None:
        raise PiibenchError(f"runner 'command' takes no revision; got {revision!r}")
    arguments = _split(options["command"] if model is None else model)
    mode = options.get("mode", "once")
    if mode not in MODES:
        raise PiibenchError(f"option 'mode' of runner 'command' is {mode!r}; there are {', '.join(MODES)}")
    seconds = integer("command", options, "timeout", 120, 1, 86_400)
    unit = unit_of("command", options)
    files = _files(arguments)
    name = _name(files)
    described = Description(
        kind="pipeline",
        runner="command",
        model=name,
        revision=None,
        weights_sha256=None,
        label_namespace=options.get("namespace") or "*",
        settings={"command_sha256": _digest(arguments, files), "mode": mode, "offset_unit": unit},
        libraries={"timeout": str(seconds)},
        is_pinned=False,
    )
    who = f"the program {name!r}"
    detector = CommandDetector(described, arguments, who, seconds, mode == "stream", unit, _Stream(), Failures(who))
    detector.probe()
    return detector


def _split(command: str) -> list[str]:
    """The arguments, of which the first is a program that is there."""
    try:
        arguments = shlex.split(command)
    except ValueError:
        raise PiibenchError("the program of runner 'command' has a quote without its end") from None
    if not arguments or "\0" in command:
        raise PiibenchError("runner 'command' needs a program with its arguments")
    if shutil.which(arguments[0]) is None:
        raise PiibenchError(f"there is no program {Path(arguments[0]).name!r} that may be run")
    return arguments


def _files(arguments: Sequence[str]) -> list[tuple[str, Path]]:
    """Name and place of the program, and of each argument that is a file."""
    program = shutil.which(arguments[0]) or arguments[0]
    return [(Path(arguments[0]).name, Path(program))] + [
        (Path(argument).name, Path(argument)) for argument in arguments[1:] if _is_file(argument)
    ]


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # too long for a name
        return False


def _digest(arguments: Sequence[str], files: Sequence[tuple[str, Path]]) -> str:
    """SHA-256 of the arguments, where those that are files count by name and bytes, wherever they lie."""
    places = {argument: Path(argument) for argument in arguments[1:] if _is_file(argument)} | {
        arguments[0]: files[0][1]
    }
    digest = hashlib.sha256()
    for argument in arguments:
        digest.update((_contents(places[argument]) if argument in places else argument).encode() + b"\0")
    return digest.hexdigest()


def _contents(place: Path) -> str:
    try:
        with place.open("rb") as file:
            return f"{place.name} {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError:  # a program may be run and not read
        return place.name
