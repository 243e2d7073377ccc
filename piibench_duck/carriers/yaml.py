"""A YAML document: settings, and a list whose items hold the values as plain, quoted or block scalars."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import yaml

from piibench_duck.carriers.scaffolds import hex_id, moment, number, pick, serial
from piibench_duck.carriers.writer import Value, Writer

_LISTS = ("messages", "templates", "notes", "entries", "examples", "replies", "fixtures", "prompts")
_TEXTS = ("text", "body", "message", "content", "description", "note", "input")  # tells `unwrap`
_SERVICES = ("mailer", "notifier", "ticket-sync", "chat-relay", "form-handler", "triage", "summariser", "inbox")
_SETTINGS = (  # one before and one behind what looks personal, so that no key comes twice
    ("environment: staging", "environment: production", "log_level: info", "queue: default", "# do not edit by hand"),
    ("enabled: true", "retries: 3", "timeout_seconds: 30", "format: plain", "max_tokens: 512"),
)
_STYLES = ("plain", "single", "double", "block")

# What only a double-quoted scalar can hold, as an escape: what YAML calls not printable, and all line breaks but LF.
_ODD = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffe]")
_PLAIN = re.compile(r"[^\W_](?:[\w .,;()/%'\"+*!?=-]|:(?=\w))*(?<! )")


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Takes the style of the key where it can hold the value, and double quotes where not."""
    outer = pick(key, "indent", ("", "  "))
    style = pick(key, "style", _STYLES)
    name = pick(key, "text", _TEXTS)
    has_ids = number(key, "has_ids", 3) > 0
    first, second = (pick(key, f"setting {index}", choices) for index, choices in enumerate(_SETTINGS))
    writer.scaffold(f"{pick(key, 'start', ('', '---' + chr(10)))}service: {pick(key, 'service', _SERVICES)}\n{first}\n")
    writer.scaffold("revision: ")
    writer.lookalike(hex_id(key, "revision", 8))
    writer.scaffold("\nupdated_at: ")
    writer.lookalike(moment(key, "updated").strftime("%Y-%m-%dT%H:%M:%SZ"))
    writer.scaffold(f"\n{second}\n{pick(key, 'list', _LISTS)}:\n")
    for value in values:
        writer.scaffold(f"{outer}- ")
        if has_ids:
            writer.scaffold("id: ")
            writer.lookalike(str(serial(key, value)))
            writer.scaffold(f"\n{outer}  ")
        writer.scaffold(f"{name}: ")
        _scalar(writer, value, style if _holds(writer, value, style) else "double", f"{outer}    ")
        writer.scaffold("\n")


def unwrap(wire: str) -> list[str]:
    """The texts of the list's items."""
    document: dict[str, Any] = yaml.load(wire, Loader=yaml.BaseLoader)
    items = [item for name in _LISTS for item in document.get(name, [])]
    return [text for item in items for name, text in item.items() if name in _TEXTS]


def _holds(writer: Writer, value: Value, style: str) -> bool:
    """Whether a scalar of that style can be the value, and each span of it by itself."""
    text = value.text
    if style == "double":
        return True
    if _ODD.search(text):
        return False
    if style == "single":
        return "\n" not in text
    if style == "plain":  # what begins or ends a span might mean something at the beginning or end of a scalar
        return bool(_PLAIN.fullmatch(text)) and _is_string(text) and not _edges(writer, value, r"[\W_]")
    return text != "" and not text[0].isspace() and not text[-1].isspace() and not _edges(writer, value, r"\s")


def _edges(writer: Writer, value: Value, pattern: str) -> bool:
    """Whether a span begins or ends with such a character."""
    return any(writer.is_edge(value.start + match.start()) for match in re.finditer(pattern, value.text))


def _is_string(text: str) -> bool:
    """Whether a plain scalar is text to every reader, and not a number, a date or a truth value."""
    resolve = yaml.resolver.Resolver().resolve
    tag = resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]  # not in the stubs
    return bool(tag == "tag:yaml.org,2002:str")


def _scalar(writer: Writer, value: Value, style: str, indent: str) -> None:
    if style == "plain":
        writer.value(value)
    elif style == "single":
        writer.scaffold("'")
        writer.value(value, {"'": "''"})
        writer.scaffold("'")
    elif style == "double":
        writer.scaffold('"')
        writer.value(value, _in_double_quotes)
        writer.scaffold('"')
    else:
        writer.scaffold(f"|-\n{indent}")
        writer.value(value, {"\n": f"\n{indent}"})


@cache
def _in_double_quotes(char: str) -> str:
    return str(yaml.dump(char, default_style='"', allow_unicode=True))[1:-2]
