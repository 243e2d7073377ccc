"""Intervals of a file against the text that they are offsets of."""

from typing import Any

from piibench_duck.interchange.records import Fault
from piibench_duck.names import is_text, label_fault, labels_with_text
from piibench_duck.offsets import Misplaced, OffsetUnit, length, to_code_points

_UNIT_WORDS = {"codepoint": "code points", "utf16": "UTF-16 units", "byte": "bytes"}


def place_spans(spans: list[dict[str, Any]], text: str | None, unit: OffsetUnit, name: str) -> list[Fault]:
    """The first fault of each span; where there is none, its start and end become code points in place."""
    if unit == "codepoint" and text is not None and all(_is_in_place(span, text) for span in spans):
        return []  # nearly every line of nearly every file, at half the time
    n_units = None if text is None else length(text, unit)
    if text is None:  # an offset can only be compared with the other
        points = [offset for span in spans for offset in (span["start"], span["end"])]
    else:
        points = to_code_points(text, unit, [offset for span in spans for offset in (span["start"], span["end"])])
    pairs = iter(points)
    faults = []
    for index, (span, first, last) in enumerate(zip(spans, pairs, pairs, strict=True)):
        start, end = span["start"], span["end"]
        reason = _misplaced(start, end, first, last) or _mismatch(span.get("span_text"), text, first, last)
        if not reason and text is not None and is_text(span.get("label", ""), text[first:last]):
            faults.append(Fault("bad_label", f"{name}[{index}] has the text that it marks for its label"))
        elif reason:
            faults.append(Fault(reason, f"{name}[{index}] is {_interval(start, end, n_units, unit)}"))
        else:
            span["start"], span["end"] = first, last
    return faults


def label_faults(spans: list[dict[str, Any]], text: str | None, name: str) -> list[Fault]:
    """The first fault of each label that a detector gave to spans, which `place_spans` has put in their place."""
    faults = []
    for index, span in enumerate(spans):
        if what := label_fault(span["label"]):
            faults.append(Fault("bad_label", f"{name}[{index}] has a label that {what}"))
    if faults or text is None:
        return faults
    marked = (text[span["start"] : span["end"]] for span in spans)
    told = labels_with_text([span["label"] for span in spans], marked, text)
    return [Fault("bad_label", f"{name}[{index}] has a label that holds text of its row") for index in told]


def _is_in_place(span: dict[str, Any], text: str) -> bool:
    start, end, surface = span["start"], span["end"], span.get("span_text")
    if not 0 <= start < end <= len(text) or (surface is not None and text[start:end] != surface):
        return False
    label = span.get("label", "")
    return len(label) != end - start or not is_text(label, text[start:end])


def _misplaced(start: int, end: int, first: int | Misplaced, last: int | Misplaced) -> str | None:
    """Why `[start, end)` of a file, which is `[first, last)` in code points, is no span."""
    if first is Misplaced.OUT_OF_RANGE or last is Misplaced.OUT_OF_RANGE or start < 0 or end < 0:
        return "out_of_range"
    if start >= end:
        return "inverted_span" if start > end else "empty_span"
    if first is Misplaced.SPLITS_A_CHARACTER or last is Misplaced.SPLITS_A_CHARACTER:
        return "splits_a_character"
    return None


def _mismatch(surface: str | None, text: str | None, first: Any, last: Any) -> str | None:
    if surface is None or text is None or text[first:last] == surface:
        return None
    return "surface_mismatch"


def misplaced_alignments(alignments: list[dict[str, Any]], text: str) -> list[Fault]:
    """The first fault of each wire interval, or where they all lie in the text the first that breaks the account.

    An empty interval is where something was lost. In the order of the wire, they cover the passage without a gap.
    """
    faults = []
    for index, alignment in enumerate(alignments):
        start, end = alignment["wire_start"], alignment["wire_end"]
        if not (0 <= start <= len(text) and 0 <= end <= len(text)):
            reason = "out_of_range"
        elif start > end:
            reason = "inverted_span"
        else:
            continue
        faults.append(Fault(reason, f"alignments[{index}] is {_interval(start, end, len(text), 'codepoint')}"))
    return faults or _unaccounted(alignments)


def _unaccounted(alignments: list[dict[str, Any]]) -> list[Fault]:
    on_wire = sorted(enumerate(alignments), key=lambda item: (item[1]["wire_start"], item[1]["wire_end"]))
    wire = passage = 0
    for index, alignment in on_wire:
        start, end = alignment["wire_start"], alignment["wire_end"]
        goes_on = start >= wire
        if alignment["kind"] != "lookalike":
            n_chars = alignment["passage_end"] - alignment["passage_start"]
            fits = (
                end - start == n_chars
                if alignment["kind"] == "copied"
                else (end == start) == (alignment["kind"] == "lost")
            )
            goes_on = goes_on and fits and n_chars > 0 and alignment["passage_start"] == passage
        if not goes_on:
            return [Fault("bad_schema", f"alignments[{index}] does not go on where the passage was left at {passage}")]
        wire, passage = end, alignment.get("passage_end") or passage
    return []


def misplaced_chars_seen(chars_seen: int | None, text: str | None) -> list[Fault]:
    """A count of code points that the text does not have."""
    if chars_seen is None or (chars_seen >= 0 and (text is None or chars_seen <= len(text))):
        return []
    return [
        Fault(
            "out_of_range",
            f"chars_seen is {_number(chars_seen)}{_of_text(None if text is None else len(text), 'codepoint')}",
        )
    ]


def _interval(start: int, end: int, n_units: int | None, unit: OffsetUnit) -> str:
    return f"[{_number(start)}, {_number(end)}){_of_text(n_units, unit)}"


def _of_text(n_units: int | None, unit: OffsetUnit) -> str:
    return "" if n_units is None else f" of a text of {n_units} {_UNIT_WORDS[unit]}"


def _number(value: int) -> str:
    return str(value) if abs(value) < 10**18 else "a huge number"
