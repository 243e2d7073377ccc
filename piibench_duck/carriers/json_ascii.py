"""A chat-completion request body in ASCII: every other character as `\\uXXXX`, emoji as a pair of them."""

import json
from collections.abc import Sequence

from piibench_duck.carriers.json import unwrap as content_of_user
from piibench_duck.carriers.json import write_request
from piibench_duck.carriers.writer import Value, Writer

OFF_BY_DEFAULT = True


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Takes the passage whole, in the requests of `json`."""
    write_request(writer, key, _escape)


def unwrap(wire: str) -> list[str]:
    """The content of the user's message."""
    return content_of_user(wire)


def _escape(char: str) -> str:
    """As `json.dumps` spells it."""
    return json.dumps(char)[1:-1]
