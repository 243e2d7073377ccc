"""A small web page with the values in paragraphs, in table cells and in attributes."""

import re
from collections.abc import Sequence
from functools import partial
from html import escape
from html.parser import HTMLParser

from piibench_duck.carriers.scaffolds import hex_id, number, pick
from piibench_duck.carriers.writer import CannotHoldError, Value, Writer

_PAGES = (
    ("<!DOCTYPE html>", "<html><head><title>export</title></head><body>", "</body></html>"),
    ("<!DOCTYPE html>", '<html><head><meta charset="utf-8"></head><body>', "</body></html>"),
    ("<html>", '<body class="mail">', "</body></html>"),
    ("<main>", "<article>", "</article></main>"),
    ('<div class="card">', "", "</div>"),
    ('<section class="thread">', "", "</section>"),
)
_HEADINGS = ("case", "document", "draft", "entry", "message", "record", "request", "ticket")
_PARAGRAPHS = ("<p>", '<p class="body">', '<p class="note">', '<p class="text-muted">', '<p dir="auto">')
_LABELS = ("comment", "content", "description", "details", "note", "remark", "summary", "text")
_BEARERS = (
    ('<img src="/static/icon.svg" alt="', '">'),
    ('<img src="scan.png" width="40" alt="', '">'),
    ('<input type="hidden" name="comment" value="', '">'),
    ('<input type="hidden" name="draft" value="', '">'),
    ('<span class="hint" title="', '">more</span>'),
    ('<a href="#details" title="', '">details</a>'),
    ('<meta itemprop="description" content="', '">'),
    ('<meta itemprop="text" content="', '">'),
)
_READ = ("p", "td")
_ATTRIBUTES = ("alt", "content", "title", "value")
# https://html.spec.whatwg.org/multipage/parsing.html#preprocessing-the-input-stream: a parser drops or replaces NUL
# and reports the others; a reference to one is an error or, from 80 to 9F, means another character.
_CONTROLS = "\0-\b\v\x0e-\x1f\x7f-\x9f"
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
_NOT_HELD = re.compile(f"[{_CONTROLS}\ud800-\udfff{_NONCHARACTERS}]")


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Spreads the values over the three kinds of places in turn. First place, page, names and breaks by the key."""
    _refuse(values)
    end_of_line = pick(key, "layout", ("", "\n"))
    top, head, tail = pick(key, "page", _PAGES)
    heading, level = pick(key, "heading", _HEADINGS), number(key, "level", 3) + 1
    writer.scaffold(end_of_line.join(filter(None, (top, head, f'<h{level} id="'))))
    writer.lookalike(f"{heading}-{hex_id(key, 'id', 8)}")
    writer.scaffold(f'">{heading}</h{level}>{end_of_line}')
    first = number(key, "first", 3)
    as_text = partial(_escape, quote=pick(key, "quote", (False, True)))  # as serialisers and as template engines do
    for index, value in enumerate(values):
        place = (first + index) % 3
        if place == 0:
            before, after, spelled = pick(key, "paragraph", _PARAGRAPHS), "</p>", as_text
        elif place == 1:
            label = pick(key, f"label {index}", _LABELS)
            before, after, spelled = f"<table><tr><th>{label}</th><td>", "</td></tr></table>", as_text
        else:
            before, after = pick(key, f"bearer {index}", _BEARERS)
            spelled = partial(_escape, quote=True)
        writer.scaffold(before)
        writer.value(value, spelled)
        writer.scaffold(after + end_of_line)
    writer.scaffold(tail)


def unwrap(wire: str) -> list[str]:
    """Text of paragraphs and cells, and attributes that people read, in the order of the page."""
    reader = _Reader()
    reader.feed(wire)
    reader.close()
    return reader.values


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.values: list[str] = []
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.values += [text or "" for name, text in attrs if name in _ATTRIBUTES]
        if tag in _READ:
            self.values.append("")
            self._is_inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in _READ:
            self._is_inside = False

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            self.values[-1] += data


def _escape(char: str, quote: bool) -> str:
    """As `html.escape` spells it; a parser would make a line feed of a carriage return."""
    return "&#13;" if char == "\r" else escape(char, quote)


def _refuse(values: Sequence[Value]) -> None:
    for value in values:
        if found := _NOT_HELD.search(value.text):
            place = f"U+{ord(found.group()):04X}, at code point {value.start + found.start()} of the passage"
            raise CannotHoldError(f"html cannot hold {place}")
