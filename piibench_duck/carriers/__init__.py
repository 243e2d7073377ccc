"""What a passage travels in: each module here with a `wrap` is a carrier, named after the module."""

import hashlib
import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType

from piibench_duck.carriers.alignment import Alignment, to_passage, to_wire
from piibench_duck.carriers.writer import CannotHoldError, Value, Wrapped, Writer
from piibench_duck.errors import PiibenchError

__all__ = [
    "Alignment",
    "CannotHoldError",
    "Value",
    "Wrapped",
    "Writer",
    "carrier_names",
    "describe",
    "row_key",
    "to_passage",
    "to_wire",
    "unwrap",
    "wrap",
]


def carrier_names() -> list[str]:
    """All carriers, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if _carrier(module.name))


def row_key(passage_id: str, carrier: str) -> int:
    """64 bits of the row's id, from which its scaffold is drawn."""
    return int.from_bytes(hashlib.sha256(f"{passage_id}@{carrier}".encode()).digest()[:8])


def wrap(
    carrier: str, passage: str, spans: Sequence[tuple[int, int]], values: Sequence[tuple[int, int]], key: int
) -> Wrapped:
    """The passage inside the carrier, with its spans moved to the wire.

    `values` are the stretches that a carrier may spread (sentences), and what lies between them is lost if it does;
    those that a span ties together become one. A carrier's `CannotHoldError` passes through.
    """
    module = _loaded(carrier)
    writer = Writer(passage, spans)
    whole = _untorn(spans, values)
    module.wrap(writer, [Value(passage[start:end], start) for start, end in whole or [(0, len(passage))]], key)
    return writer.finish()


def unwrap(carrier: str, wire: str) -> list[str]:
    """The values that a reader of the format gets back."""
    values: list[str] = _loaded(carrier).unwrap(wire)
    return values


def describe(carrier: str) -> str:
    """The first line of the carrier's module."""
    return (_loaded(carrier).__doc__ or "").partition("\n")[0]


def _untorn(spans: Sequence[tuple[int, int]], values: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The values in order, joined where a span reaches from one into the next or into what lies between them."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted([*values, *spans]):
        if start == end:
            continue
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _loaded(carrier: str) -> ModuleType:
    module = _carrier(carrier) if carrier.isidentifier() else None
    if module is None:
        raise PiibenchError(f"no carrier {carrier!r}; there are {', '.join(carrier_names())}")
    return module


def _carrier(name: str) -> ModuleType | None:
    """The module of that name, if there is one and it is a carrier."""
    path = f"{__name__}.{name}"
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as missing:
        if missing.name == path:
            return None
        raise
    return module if hasattr(module, "wrap") else None
