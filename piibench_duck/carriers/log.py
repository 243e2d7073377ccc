r"""Lines of an application's log: timestamp, level, host, component, request id, event, and a value as the message.

    line      = timestamp SP level SP host SP component "[" pid "]" SP "request_id=" id SP event ":" SP message LF
    timestamp = date ("T" / SP) time ["." 3DIGIT] ["Z"], as ISO 8601 writes date and time of day
    level     = "DEBUG" / "INFO" / "WARN" / "ERROR"
    host      = what has no white space
    component = lower-case letters and hyphens
    pid       = 1*DIGIT
    id        = 1*(DIGIT / "a" to "f")
    event     = words without a colon
    message   = *(escape / any other character), up to the end of the line
    escape    = "\" ("\" / "n" / "r" / "t" / "x" 2HEX / "u" 4HEX), in lower case

A backslash and whatever controls a terminal or ends a line for anyone is written as an escape, so that a record is
one line under every notion of line; all other characters stand for themselves.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from piibench_duck.carriers.scaffolds import hex_id, moment, number, pick
from piibench_duck.carriers.writer import Value, Writer

_LINE = re.compile(
    r"(?P<timestamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3})?Z?) (?P<level>DEBUG|INFO|WARN|ERROR) (?P<host>\S+) "
    r"(?P<component>[a-z-]+)\[(?P<pid>\d+)\] request_id=(?P<id>[0-9a-f]+) (?P<event>[^:]+): (?P<message>.*)"
)
_NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))")
_READ = {written[1]: char for char, written in _NAMED.items()}

_MOMENTS = ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.{:03}Z", "%Y-%m-%d %H:%M:%S.{:03}")
_LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR")
_ROLES = ("api", "web", "worker", "ingest", "mailer", "gateway", "queue")
_ZONES = ("internal", "svc.cluster.local", "prod.internal", "stage.internal", "lan")
_COMPONENTS = ("inbox", "ticket-sync", "webhook", "form-handler", "chat-relay", "indexer", "mail-in", "notifier")
_EVENTS = (
    "message received",
    "comment saved",
    "payload rejected, field text too long",
    "reply drafted",
    "field description changed",
    "prompt sent",
    "note imported",
    "form submitted, field message",
    "retry 2 of 5, body",
    "transcript part stored",
)


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """A line for each value, all of one request."""
    host = f"{pick(key, 'role', _ROLES)}-{number(key, 'host', 40) + 1}.{pick(key, 'zone', _ZONES)}"
    request = hex_id(key, "request", pick(key, "request_length", (8, 12, 16)))
    source = f" {pick(key, 'component', _COMPONENTS)}[{number(key, 'pid', 9000) + 100}] request_id="
    layout = pick(key, "layout", _MOMENTS)
    began = moment(key, "first line") + timedelta(milliseconds=number(key, "millisecond", 400))
    for index, value in enumerate(values):
        at = began + timedelta(milliseconds=7 * index)
        writer.lookalike(at.strftime(layout).format(at.microsecond // 1000))
        writer.scaffold(f" {pick(key, f'level {index % 4}', _LEVELS)} ")
        writer.lookalike(host)
        writer.scaffold(source)
        writer.lookalike(request)
        writer.scaffold(f" {pick(key, 'event', _EVENTS)}: ")
        writer.value(value, _escape)
        writer.scaffold("\n")


def unwrap(wire: str) -> list[str]:
    """The messages."""
    lines = [_LINE.fullmatch(line) for line in wire.removesuffix("\n").split("\n")]
    return [_ESCAPE.sub(_unescaped, line["message"]) for line in lines if line]


def _escape(char: str) -> str:
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if char in "\u2028\u2029" else char


def _unescaped(match: re.Match[str]) -> str:
    two, four, named = match.groups()
    return _READ[named] if named else chr(int(two or four, 16))
