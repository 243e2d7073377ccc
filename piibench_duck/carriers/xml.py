"""An XML record whose elements have the values by turns as their text and in an attribute."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from xml.sax.saxutils import escape

from piibench_duck.carriers.scaffolds import hex_id, moment, number, pick
from piibench_duck.carriers.writer import CannotHoldError, Value, Writer

_RECORDS = ("case", "document", "entry", "event", "item", "message", "record", "request", "task", "ticket")
_ELEMENTS = ("comment", "description", "line", "note", "paragraph", "remark", "section", "segment")
_ATTRIBUTES = ("body", "content", "text", "value")
_OPTIONS = (
    'status="open"',
    'status="closed"',
    'status="pending"',
    'priority="1"',
    'priority="3"',
    'type="internal"',
    'type="support"',
    'version="2"',
    'channel="web"',
    'revision="4"',
)
_NOT_A_CHARACTER = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # Char, XML 1.0 section 2.2
# A parser would make a line feed of a carriage return, and in an attribute a space of each of the three.
_IN_TEXT = {"\r": "&#13;"}
_IN_ATTRIBUTE = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;", '"': "&quot;"}


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Spreads the values. Names, further attributes, declaration and line breaks by the key."""
    _refuse(values)
    record = pick(key, "record", _RECORDS)
    element = pick(key, "element", _ELEMENTS)
    attribute = pick(key, "attribute", _ATTRIBUTES)
    end_of_line, indent = pick(key, "layout", (("", ""), ("\n", ""), ("\n", "  "), ("\n", "\t")))
    declaration = pick(key, "declaration", ("", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>'))
    writer.scaffold(f'{declaration and declaration + end_of_line}<{record} id="')
    writer.lookalike(hex_id(key, "id", pick(key, "id_length", (8, 12, 16))))
    writer.scaffold(
        f'" {pick(key, "option", _OPTIONS)} {pick(key, "moment_name", ("created", "exported", "updated"))}="'
    )
    writer.lookalike(moment(key, "moment").strftime("%Y-%m-%dT%H:%M:%SZ"))
    writer.scaffold(f'">{end_of_line}')
    first = number(key, "first", 2)
    numbering = pick(key, "numbering", ("", "n", "seq"))
    for index, value in enumerate(values):
        start = f"{indent}<{element}" + (f' {numbering}="{index + 1}"' if numbering else "")
        if (first + index) % 2:
            writer.scaffold(f"{start}>")
            writer.value(value, lambda char: escape(char, _IN_TEXT))
            writer.scaffold(f"</{element}>{end_of_line}")
        else:
            writer.scaffold(f'{start} {attribute}="')
            writer.value(value, lambda char: escape(char, _IN_ATTRIBUTE))
            writer.scaffold(f'"/>{end_of_line}')
    writer.scaffold(f"</{record}>")


def unwrap(wire: str) -> list[str]:
    """Of each element in the record the attribute for a value, or else the text."""
    return [_value(element) for element in ET.fromstring(wire)]


def _value(element: ET.Element) -> str:
    return next((element.attrib[name] for name in _ATTRIBUTES if name in element.attrib), element.text or "")


def _refuse(values: Sequence[Value]) -> None:
    for value in values:
        if found := _NOT_A_CHARACTER.search(value.text):
            place = f"U+{ord(found.group()):04X}, at code point {value.start + found.start()} of the passage"
            raise CannotHoldError(f"xml cannot hold {place}")
