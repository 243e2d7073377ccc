"""The body of a submitted form, application/x-www-form-urlencoded: a field for each value."""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote_plus

from piibench_duck.carriers.scaffolds import hex_id, moment, number, pick
from piibench_duck.carriers.writer import CannotHoldError, Value, Writer

OFF_BY_DEFAULT = True

_FIELDS = ("body", "comment", "content", "description", "message", "note", "remark", "text")
_OPTIONS = (
    ("action", "save"),
    ("action", "submit"),
    ("category", "support"),
    ("category", "billing"),
    ("consent", "on"),
    ("format", "plain"),
    ("notify", "0"),
    ("notify", "1"),
    ("priority", "high"),
    ("priority", "normal"),
    ("source", "portal"),
    ("step", "2"),
)
_OF_A_VALUE = re.compile(rf"(?:{'|'.join(_FIELDS)})(?:_\d+|\[\d*\])?")


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Spreads the values. Fields are repeated, bracketed, indexed or numbered by the key."""
    _refuse_surrogates(values)
    option = "=".join(pick(key, "option", _OPTIONS))
    token = pick(key, "token", ("_token", "csrf_token", "csrfmiddlewaretoken", "form_token", "nonce"))
    writer.scaffold(f"{option}&{token}=")
    writer.lookalike(hex_id(key, "token_value", 16))
    name = pick(key, "name", _FIELDS)
    shape = number(key, "shape", 4)
    for index, value in enumerate(values):
        suffix = ("", "[]", f"[{index}]", f"_{index + 1}")[shape]
        writer.scaffold(f"&{quote_plus(name + suffix)}=")
        writer.value(value, quote_plus)
    writer.scaffold(f"&{pick(key, 'sent_name', ('created', 'sent', 'submitted_at', 'ts'))}=")
    writer.lookalike(str(int(moment(key, "sent").timestamp())))


def unwrap(wire: str) -> list[str]:
    """What the fields for values hold."""
    fields = parse_qsl(wire, keep_blank_values=True, strict_parsing=True, errors="strict")
    return [text for name, text in fields if _OF_A_VALUE.fullmatch(name)]


def _refuse_surrogates(values: Sequence[Value]) -> None:
    for value in values:
        if found := re.search("[\ud800-\udfff]", value.text):
            place = f"U+{ord(found.group()):04X}, at code point {value.start + found.start()} of the passage"
            raise CannotHoldError(f"form cannot hold {place}")
