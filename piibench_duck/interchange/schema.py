"""The types of a rows line, a predictions line and what they nest: every way in which a record can be misshapen."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

from piibench_duck.interchange.keys import ALIGNMENT, PREDICTION, ROW, SPAN, Spellings, resolve
from piibench_duck.interchange.records import Fault
from piibench_duck.json_types import WORDS, word

Object = dict[str, Any]
_Types = tuple[type, ...]
_NULL = type(None)
_MAX_OFFSET = 2**63  # what a bigint holds

_ROW_TYPES: Mapping[str, _Types] = {
    **{"id": (str,), "text": (str,), "spans": (list,), "excluded": (list,), "alignments": (list,)},
    **dict.fromkeys(("dataset", "doc_id", "language", "carrier", "licence"), (str, _NULL)),
    **dict.fromkeys(("passage_id", "split", "source"), (str, _NULL)),
    "passage_start": (int, _NULL),
    "slices": (dict, _NULL),
    "annotators": (list, _NULL),
}
_PREDICTION_TYPES: Mapping[str, _Types] = {"id": (str,), "spans": (list,), "chars_seen": (int, _NULL)}
_PRED_TYPES: Mapping[str, _Types] = {
    **{"start": (int,), "end": (int,), "label": (str,)},
    **{"score": (float, int, _NULL), "span_text": (str, _NULL)},
}
_GOLD_TYPES: Mapping[str, _Types] = {
    **{"start": (int,), "end": (int,), "label": (str,), "span_text": (str, _NULL)},
    **dict.fromkeys(("entity_id", "identifier_type", "annotator"), (str, _NULL)),
}
_ALIGNMENT_TYPES: Mapping[str, _Types] = {
    **{"wire_start": (int,), "wire_end": (int,), "kind": (str,)},
    **dict.fromkeys(("passage_start", "passage_end", "value_index"), (int, _NULL)),
}
_IDENTIFIER_TYPES = ("DIRECT", "QUASI", "NO_MASK")
_KINDS = ("copied", "escaped", "changed", "lost", "lookalike")


_Plan = list[tuple[str, str, _Types]]  # our name, the key it has in the file, the types it may have


class Shape(NamedTuple):
    """How to read one kind of object: which keys an object has to offer, what else must hold, and what it nests."""

    plan: Callable[[tuple[str, ...]], _Plan | str]
    rule: Callable[[Any], str | None]
    nested: Mapping[str, "Shape"]


def row_shape(key_map: Mapping[str, str]) -> Shape:
    """A line of a rows file."""
    gold = Shape(_planner(SPAN, key_map, _GOLD_TYPES, ("start", "end", "label")), _gold_rule, {})
    alignment = Shape(
        _planner(ALIGNMENT, {}, _ALIGNMENT_TYPES, ("wire_start", "wire_end", "kind")), _alignment_rule, {}
    )
    nested = {"spans": gold, "excluded": gold, "alignments": alignment}
    return Shape(_planner(ROW, key_map, _ROW_TYPES, ("id", "text", "spans")), _row_rule, nested)


def prediction_shape(key_map: Mapping[str, str]) -> Shape:
    """A line of a predictions file."""
    span = Shape(_planner(SPAN, key_map, _PRED_TYPES, ("start", "end", "label")), _pred_rule, {})
    plan = _planner(PREDICTION, key_map, _PREDICTION_TYPES, ("id", "spans"))
    return Shape(plan, partial(_filled, names=("id",)), {"spans": span})


def _planner(
    spellings: Spellings, key_map: Mapping[str, str], types: Mapping[str, _Types], required: tuple[str, ...]
) -> Callable[[tuple[str, ...]], _Plan | str]:
    read = {name: spellings[name] for name in types}

    @lru_cache(maxsize=1024)  # a file has many objects and few sets of keys
    def plan(keys: tuple[str, ...]) -> _Plan | str:
        pairs = resolve(read, key_map, keys)
        if isinstance(pairs, str):
            return f"{pairs}; one was expected, --map can name it"
        missing = [name for name in required if name not in dict(pairs)]
        return f"no {missing[0]!r}" if missing else [(name, key, types[name]) for name, key in pairs]

    return plan


def read_object(value: object, shape: Shape, where: tuple[str, int] | None = None) -> tuple[Object, list[Fault]]:
    """`value` and all it nests under our names, with the fault of every object that is misshapen."""
    if type(value) is not dict:
        return {}, [_fault(f"{word(value)}, an object was expected", where)]
    plan = shape.plan(tuple(value))
    if isinstance(plan, str):
        return {}, [_fault(plan, where)]
    renamed: Object = {}
    wrong = None
    for name, key, types in plan:
        renamed[name] = part = value[key]
        if type(part) not in types:
            wrong = wrong or f"{name!r} is {word(part)}, {WORDS[types[0]]} was expected"
    wrong = wrong or shape.rule(renamed)
    faults = [_fault(wrong, where)] if wrong else []
    for name, inner in shape.nested.items():
        parts = renamed.get(name)
        if type(parts) is list:
            renamed[name] = read = []
            for index, part in enumerate(parts):
                inner_object, inner_faults = read_object(part, inner, (name, index))
                read.append(inner_object)
                faults += inner_faults
    return renamed, faults


def _fault(wrong: str, where: tuple[str, int] | None) -> Fault:
    return Fault("bad_schema", f"{where[0]}[{where[1]}]: {wrong}" if where else wrong)


def _filled(record: Object, names: tuple[str, ...]) -> str | None:
    return next((f"{name!r} is empty" for name in names if record.get(name) == ""), None)


def _row_rule(row: Any) -> str | None:
    if not 0 <= (row.get("passage_start") or 0) < _MAX_OFFSET:
        return "'passage_start' is negative or too large"
    if not all(isinstance(value, str) for value in (row.get("slices") or {}).values()):
        return "'slices' has a value that is not a string"
    if not all(isinstance(name, str) and name for name in row.get("annotators") or ()):
        return "'annotators' has a name that is not a string, or empty"
    names = ("id", "dataset", "doc_id", "language", "carrier", "licence", "passage_id", "split", "source")
    return _filled(row, names)


def _gold_rule(span: Any) -> str | None:
    if span.get("identifier_type") not in (None, *_IDENTIFIER_TYPES):
        return f"'identifier_type' is none of {', '.join(_IDENTIFIER_TYPES)}"
    return None


def _pred_rule(span: Any) -> str | None:
    score = span.get("score")
    if score is not None:
        try:
            if math.isfinite(score):
                return None
        except OverflowError:  # an integer beyond every float
            pass
        return "'score' is not finite"
    return None


def _alignment_rule(alignment: Any) -> str | None:
    if alignment["kind"] not in _KINDS:
        return f"'kind' is none of {', '.join(_KINDS)}"
    numbers = [alignment.get(name) for name in ("passage_start", "passage_end", "value_index")]
    if alignment["kind"] == "lookalike":
        return None if numbers == [None] * 3 else "a lookalike stands for no part of the passage"
    start, end, index = numbers
    if index is None and alignment["kind"] == "lost":
        index = 0  # what is lost between two values belongs to none
    if start is None or end is None or index is None:
        return "no 'passage_start', 'passage_end' or 'value_index'"
    if not (0 <= start <= end < _MAX_OFFSET and 0 <= index < _MAX_OFFSET):
        return "a passage interval that is inverted, negative or too large"
    return None
