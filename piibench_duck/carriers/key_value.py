"""Each value as that of a key: lines of logfmt, or the pairs of a .env file."""

import re
from collections.abc import Sequence

from piibench_duck.carriers.scaffolds import hex_id, moment, number, pick, serial
from piibench_duck.carriers.writer import CannotHoldError, Value, Writer

_ROLES = ("api", "web", "worker", "ingest", "mailer", "gateway")
_ZONES = ("internal", "svc.cluster.local", "prod.internal", "stage.internal")

_TEXTS = ("msg", "message", "text", "body", "note", "comment", "detail", "err")  # tells `unwrap`
_LEVELS = ("info", "info", "warn", "error", "debug")
_LINES = (
    "ts=<ts> level=<level> host=<host> request_id=<request> <text>",
    "ts=<ts> level=<level> <text> request_id=<request>",
    "level=<level> ts=<ts> caller=<caller> <text>",
    "time=<ts> level=<level> host=<host> <text> duration_ms=<number>",
    "at=<level> request_id=<request> <text> status=<number>",
    "<text> level=<level> record=<record> host=<host> ts=<ts>",
)
_CALLERS = ("inbox/store.go:88", "handler/form.go:141", "sync/ticket.go:52", "relay/chat.go:207", "mail/parse.go:19")

_VARIABLES = ("MESSAGE", "MAIL_BODY", "GREETING", "SIGNATURE", "NOTICE", "PROMPT", "REPLY_TEXT", "BANNER")
_SETTINGS = (  # one before and one behind, so that no key comes twice
    ("APP_ENV=production", "APP_ENV=staging", "LOG_LEVEL=info", "LOG_LEVEL=debug", "WORKERS=4"),
    ("DEBUG=false", "RETRIES=3", "CACHE_TTL=600", "QUEUE=default", "FEATURE_REPLY=on"),
)
_BARE = re.compile(r"[\w.,:/@%+-]+")  # what a shell that reads the file takes as it stands, too
_QUOTED = {
    '"': {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\f": "\\f"}
    | {"\a": "\\a", "\b": "\\b"},
    "'": {"\\": "\\\\", "'": "\\'"},
}


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """logfmt or .env by the key. An environment has no NUL, so logfmt takes it; logfmt has no lone surrogates."""
    text = writer.passage.text
    surrogate = re.search("[\ud800-\udfff]", text)
    if surrogate and "\0" in text:
        code, offset = ord(surrogate.group()), surrogate.start()
        raise CannotHoldError(f"key_value cannot hold U+{code:04X}, at code point {offset} of the passage")
    is_env = number(key, "is_env", 2) == 0
    if surrogate or (is_env and "\0" not in text):
        _env(writer, values, key)
    else:
        _logfmt(writer, values, key)


def unwrap(wire: str) -> list[str]:
    """The values of the text's key. The keys of logfmt are in lower case, those of a .env file in upper."""
    if re.match("[a-z]+=", wire):
        from logfmtkv import parse_pairs

        lines = wire.split("\n")
        pairs = [pair for line in lines for pair in parse_pairs(line, strict=True)]
        return [value or "" for name, value in pairs if name in _TEXTS]
    import io

    from dotenv import dotenv_values

    variables = dotenv_values(stream=io.StringIO(wire), interpolate=False)
    return [value or "" for name, value in variables.items() if name.rstrip("_0123456789") in _VARIABLES]


def _host(key: int) -> str:
    return f"{pick(key, 'role', _ROLES)}-{number(key, 'host', 40) + 1}.{pick(key, 'zone', _ZONES)}"


def _logfmt(writer: Writer, values: Sequence[Value], key: int) -> None:
    """A line for each value, which is quoted only where it has to be."""
    from logfmtkv import quote_value

    def escape(char: str) -> str:
        return quote_value(f" {char}")[2:-1]  # the space, so that it is written as in quotes

    level, name = pick(key, "level", _LEVELS), pick(key, "text", _TEXTS)
    scaffolds = {"<level>": level, "<caller>": pick(key, "caller", _CALLERS), "<number>": str(number(key, "n", 900))}
    lookalikes = {
        "<ts>": moment(key, "sent").strftime("%Y-%m-%dT%H:%M:%SZ"),
        "<host>": _host(key),
        "<request>": hex_id(key, "request"),
    }
    for value in values:
        quote = "" if quote_value(value.text) == value.text else '"'
        for part in re.split("(<[a-z]+>)", pick(key, "line", _LINES)):
            if part == "<text>":
                writer.scaffold(f"{name}={quote}")
                writer.value(value, escape if quote else None)
                writer.scaffold(quote)
            elif part == "<record>":
                writer.lookalike(str(serial(key, value)))
            elif part in lookalikes:
                writer.lookalike(lookalikes[part])
            else:
                writer.scaffold(scaffolds.get(part, part))
        writer.scaffold("\n")


def _env(writer: Writer, values: Sequence[Value], key: int) -> None:
    """A variable for each value, bare or in quotes by the key, double ones where the others cannot hold it."""
    export = pick(key, "export", ("", "", "export "))
    name = pick(key, "variable", _VARIABLES)
    style = pick(key, "style", ("", "'", '"'))
    first, last = (pick(key, f"setting {index}", choices) for index, choices in enumerate(_SETTINGS))
    writer.scaffold(f"{export}{first}\n{export}HOST=")
    writer.lookalike(_host(key))
    writer.scaffold("\n")
    for index, value in enumerate(values):
        quote = style if _holds(value, style) else '"'
        number_of = f"_{index + 1}" if len(values) > 1 else ""
        writer.scaffold(f"{export}{name}{number_of}={quote}")
        writer.value(value, _QUOTED.get(quote))
        writer.scaffold(f"{quote}\n")
    writer.scaffold(f"{export}{last}\n")


def _holds(value: Value, quote: str) -> bool:
    """Whether the style holds the value, and any piece of it by itself."""
    if quote:
        return quote == '"' or not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", value.text)
    return _BARE.fullmatch(value.text) is not None
