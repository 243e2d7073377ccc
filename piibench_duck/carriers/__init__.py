"""What a passage travels in: each module here with a `wrap` is a carrier, named after the module.

A carrier that says `OFF_BY_DEFAULT = True` is in no design; one whose reader cannot give the values back, as a
scanner's cannot, says `READS_BACK = False`.
"""

import hashlib
import importlib
import pkgutil
from bisect import bisect_left
from collections.abc import Sequence
from types import ModuleType

from piibench_duck.carriers.alignment import Alignment, to_passage, to_wire
from piibench_duck.carriers.writer import CannotHoldError, Value, Wrapped, Writer
from piibench_duck.errors import PiibenchError
from piibench_duck.quiet import no_collection

__all__ = [
    "Alignment",
    "CannotHoldError",
    "Value",
    "Wrapped",
    "Writer",
    "carrier_names",
    "describe",
    "is_default",
    "reads_back",
    "row_key",
    "to_passage",
    "to_wire",
    "unwrap",
    "wrap",
]


def carrier_names() -> list[str]:
    """All carriers, in alphabetical order."""
    names = (module.name for module in pkgutil.iter_modules(__path__) if _is_name(module.name))
    return sorted(name for name in names if _carrier(name))


def is_default(carrier: str) -> bool:
    """Whether designs deal passages out to it."""
    return not getattr(_loaded(carrier), "OFF_BY_DEFAULT", False)


def reads_back(carrier: str) -> bool:
    """Whether `unwrap` gives the values back that went in."""
    return bool(getattr(_loaded(carrier), "READS_BACK", True))


def row_key(passage_id: str, carrier: str) -> int:
    """64 bits of the row's id, from which its scaffold is drawn."""
    return int.from_bytes(hashlib.sha256(f"{passage_id}@{carrier}".encode()).digest()[:8])


def wrap(
    carrier: str, passage: str, spans: Sequence[tuple[int, int]], values: Sequence[tuple[int, int]], key: int
) -> Wrapped:
    """The passage inside the carrier, with its spans moved to the wire.

    `values` are the stretches that a carrier may spread (sentences), and what lies between them is lost if it does;
    those that a span ties together become one, and white space around them lies between them. A carrier's
    `CannotHoldError` passes through.
    """
    module = _loaded(carrier)
    with no_collection():
        writer = Writer(passage, spans)
        whole = _trimmed(passage, spans, _untorn(spans, values))
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


def _trimmed(
    passage: str, spans: Sequence[tuple[int, int]], values: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The values without white space at their ends, but for that which a span holds; none of white space alone."""
    held = _untorn(spans, [])
    trimmed = []
    for start, end in values:
        text = passage[start:end]
        first, last = end - len(text.lstrip()), start + len(text.rstrip())
        inside = held[bisect_left(held, (start,)) : bisect_left(held, (end,))]
        if inside:
            first, last = min(first, inside[0][0]), max(last, inside[-1][1])
        if first < last:
            trimmed.append((first, last))
    return trimmed


def _loaded(carrier: str) -> ModuleType:
    module = _carrier(carrier) if _is_name(carrier) else None
    if module is None:
        raise PiibenchError(f"no carrier {carrier!r}; there are {', '.join(carrier_names())}")
    return module


def _is_name(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_")


def _carrier(name: str) -> ModuleType | None:
    """The module of that name, if there is one and it is a carrier; raises where its file cannot be one."""
    path = f"{__name__}.{name}"
    try:
        module = importlib.import_module(path)
    except Exception as error:  # whatever a file may do when it is imported
        if isinstance(error, ModuleNotFoundError) and error.name == path:
            return None
        raise PiibenchError(
            f"carriers/{name}.py cannot be imported ({type(error).__name__}); mend or remove it"
        ) from error
    if not hasattr(module, "wrap"):
        return None
    if not (callable(module.wrap) and callable(getattr(module, "unwrap", None))):
        raise PiibenchError(f"carriers/{name}.py has no functions wrap and unwrap; a carrier has both")
    return module
