"""A chat-completion request body with the passage as the content of the user's message."""

import json
import re
from collections.abc import Sequence
from typing import Any

from piibench_duck.carriers.scaffolds import hex_id, moment, number, pick
from piibench_duck.carriers.writer import Escape, Value, Writer

_MODELS = (
    "llama-3.1-8b-instruct",
    "llama-3.3-70b-instruct",
    "mistral-small-3.2",
    "mixtral-8x7b-instruct",
    "qwen2.5-14b-instruct",
    "qwen3-32b",
    "gemma-3-12b-it",
    "phi-4-mini-instruct",
    "internal-chat-large",
    "internal-chat-small",
)
_PROMPTS = (
    "You are a helpful assistant.",
    "You are a careful assistant. Answer in the language of the question.",
    "Summarise the following text in two sentences.",
    "Translate the following text into plain language.",
    "Classify the message as complaint, question or praise. Answer with one word.",
    "Extract all obligations and return them as a list.",
    "Rewrite the text for a general audience. Do not add facts.",
    "Correct spelling and grammar. Change nothing else.",
    "Write a short title for the text.",
    "Decide whether the text needs a reply. Answer yes or no, and say why.",
    "List the open questions that the text raises.",
    "Answer as briefly as possible.",
)
_SHAPES: tuple[dict[str, Any], ...] = (
    {"separators": (",", ":")},
    {},
    {"indent": 2},
    {"indent": 4},
)


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Takes the passage whole. Compact or indented, fields and their order by the key."""
    write_request(writer, key, _escape)


def write_request(writer: Writer, key: int, escape: Escape) -> None:
    """The request, its passage spelled by `escape`; all else of it is ASCII."""
    lookalikes = {
        "<request_id>": f"req_{hex_id(key, 'request', 16)}",
        "<sent_at>": moment(key, "sent").strftime("%Y-%m-%dT%H:%M:%SZ"),
        "<user>": f"u-{hex_id(key, 'user', 8)}",
    }
    body = json.dumps(_body(key), **pick(key, "shape", _SHAPES))
    for part in re.split("(<[a-z_]+>)", body):
        if part == "<passage>":
            writer.value(writer.passage, escape)
        elif part in lookalikes:
            writer.lookalike(lookalikes[part])
        else:
            writer.scaffold(part)


def unwrap(wire: str) -> list[str]:
    """The content of the user's message."""
    return [message["content"] for message in json.loads(wire)["messages"] if message["role"] == "user"]


def _escape(char: str) -> str:
    """As `json.dumps` spells it with `ensure_ascii=False`."""
    return json.dumps(char, ensure_ascii=False)[1:-1]


def _body(key: int) -> dict[str, Any]:
    """The request, with a place marked for the passage and for whatever looks like personal data."""
    messages = [{"role": "user", "content": "<passage>"}]
    if number(key, "has_prompt", 4):
        messages.insert(0, {"role": "system", "content": pick(key, "prompt", _PROMPTS)})
    settings: dict[str, Any] = {
        "temperature": pick(key, "temperature", (0, 0.1, 0.2, 0.5, 0.7, 1)),
        "max_tokens": pick(key, "max_tokens", (128, 256, 512, 1024, 2048)),
        "stream": pick(key, "stream", (False, True)),
    }
    if number(key, "has_settings", 4) == 0:
        settings = {"temperature": settings["temperature"]}
    ids: dict[str, Any] = {"user": "<user>", "metadata": {"request_id": "<request_id>", "sent_at": "<sent_at>"}}
    model = {"model": pick(key, "model", _MODELS)}
    chat = {"messages": messages}
    orders = (
        model | chat | settings | ids,
        model | settings | ids | chat,
        ids | model | settings | chat,
        model | ids | chat | settings,
    )
    return pick(key, "order", orders)
