"""The passage itself, with nothing around it."""

from collections.abc import Sequence

from piibench_duck.carriers.writer import Value, Writer


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Takes the passage whole, spaces between sentences too."""
    writer.value(writer.passage)


def unwrap(wire: str) -> list[str]:
    """The passage, as one value."""
    return [wire]
