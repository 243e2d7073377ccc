"""A tool call of a model: its arguments are JSON inside a JSON string, so a passage is escaped twice."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from piibench_duck.carriers.scaffolds import hex_id, number, pick
from piibench_duck.carriers.writer import Value, Writer

_FUNCTIONS = (
    "append_note",
    "classify_text",
    "create_ticket",
    "index_text",
    "log_event",
    "review_entry",
    "save_draft",
    "send_reply",
    "store_document",
    "summarize_text",
    "translate_text",
    "update_record",
)
_CONTENTS = ("content", "entries", "items", "lines", "notes", "paragraphs", "segments", "texts")
_FIELDS = ("summary", "description", "comment", "resolution")
_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"dry_run": False},
    {"notify": True},
    {"priority": "high"},
    {"priority": "normal"},
    {"format": "plain"},
    {"status": "open"},
    {"status": "pending", "revision": 2},
    {"max_results": 5},
    {"visibility": "internal"},
)
_SHAPES: tuple[dict[str, Any], ...] = ({"separators": (",", ":")}, {})


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Spreads the values over an array, objects or fields. Shapes of the call and of its arguments by the key."""
    lookalikes = {
        "<call_id>": f"call_{hex_id(key, 'call', 24)}",
        "<reply_id>": f"chatcmpl-{hex_id(key, 'reply', 24)}",
        "<target_id>": hex_id(key, "target", 8),
    }
    # Neither dump touches a mark, and the outer one escapes the scaffold of the inner.
    arguments = json.dumps(_arguments(key, len(values)), **pick(key, "inner", _SHAPES))
    left = iter(values)
    for part in re.split("(<[a-z_]+>)", json.dumps(_call(key, arguments), **pick(key, "outer", _SHAPES))):
        if part == "<value>":
            writer.value(next(left), _escape)
        elif part in lookalikes:
            writer.lookalike(lookalikes[part])
        else:
            writer.scaffold(part)


def unwrap(wire: str) -> list[str]:
    """The strings of the content that the function is called with."""
    return [text for arguments in _under(("arguments",), json.loads(wire)) for text in _texts(json.loads(arguments))]


def _texts(arguments: dict[str, Any]) -> Iterator[str]:
    for content in _under(_CONTENTS, arguments):
        yield from _strings(content)


def _under(names: Sequence[str], node: Any) -> Iterator[Any]:
    """What stands under one of the names, at any depth."""
    if isinstance(node, dict):
        for name, item in node.items():
            if name in names:
                yield item
            else:
                yield from _under(names, item)
    elif isinstance(node, list):
        for item in node:
            yield from _under(names, item)


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, list | dict):
        for item in node.values() if isinstance(node, dict) else node:
            yield from _strings(item)


def _escape(char: str) -> str:
    """As `json.dumps` spells it in a string of a string, with `ensure_ascii=False`."""
    return json.dumps(json.dumps(char, ensure_ascii=False)[1:-1], ensure_ascii=False)[1:-1]


def _call(key: int, arguments: str) -> dict[str, Any]:
    """The tool call alone or in the message or reply that it comes in."""
    function = {"name": pick(key, "function", _FUNCTIONS), "arguments": arguments}
    tool_call = {"id": "<call_id>", "type": "function", "function": function}
    message = {"role": "assistant", "tool_calls": [tool_call]}
    calls: tuple[dict[str, Any], ...] = (
        tool_call,
        message,
        {"id": "<reply_id>", "choices": [{"message": message, "finish_reason": "tool_calls"}]},
        {"type": "function_call", "call_id": "<call_id>", **function, "status": "completed"},
        {"role": "assistant", "function_call": function},
    )
    return pick(key, "call", calls)


def _arguments(key: int, n_values: int) -> dict[str, Any]:
    """The arguments, with a place marked for each value and for what looks like personal data."""
    fields = [*_FIELDS, *(f"note_{n}" for n in range(1, n_values - len(_FIELDS) + 1))]
    contents: tuple[Any, ...] = (
        ["<value>"] * n_values,
        [{"text": "<value>"}] * n_values,
        dict.fromkeys(fields[:n_values], "<value>"),
    )
    content = {pick(key, "content", _CONTENTS): pick(key, "spread", contents)}
    target = {
        pick(key, "target_name", ("case_id", "document_id", "record_id", "thread_id", "ticket_id")): "<target_id>"
    }
    options = pick(key, "options", _OPTIONS)
    return target | options | content if number(key, "content_last", 2) else target | content | options
