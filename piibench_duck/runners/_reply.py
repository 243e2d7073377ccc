"""What a service or a program answers, held to all that a predictions file is held to."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.intervals import label_faults, misplaced_chars_seen, place_spans
from piibench_duck.interchange.keys import PREDICTION, SPAN, resolve
from piibench_duck.interchange.records import Fault, holds_surrogate, int_or_too_large, refuse_constant
from piibench_duck.interchange.schema import prediction_shape, read_object
from piibench_duck.offsets import OFFSET_UNITS, OffsetUnit
from piibench_duck.runners import Answer, Span, Text

PROBE = Text("probe", "Anna Smith called from Berlin.")
"""An invented text that is asked about first, so that what cannot answer at all is found before any row is sent."""

MOST_BYTES = 64 << 20
"""Of the answers to one batch."""

PATIENCE = 20
"""How many questions in a row may fail before it is not the rows that are at fault."""

_SHAPE = prediction_shape({})
_TOLD = "an object with id and spans, each span with start, end and label, was expected"


class BadReplyError(Exception):
    """A reply that does not say what it answers of which row. Its message holds nothing of it."""


class Failures:
    """Counts questions that failed in a row, and ends the run where they are too many."""

    def __init__(self, who: str) -> None:
        self.who, self.n_failed = who, 0

    def answered(self) -> None:
        self.n_failed = 0

    def failed(self, why: str) -> None:
        """Raises `PiibenchError` at the last one that is borne."""
        self.n_failed += 1
        if self.n_failed >= PATIENCE:
            raise PiibenchError(f"{self.who} failed {self.n_failed} times in a row, at last so: {why}")


def unit_of(runner: str, options: Mapping[str, str]) -> OffsetUnit:
    """What the option `offset_unit` says, code points where it says nothing."""
    said = options.get("offset_unit", "codepoint")
    for unit in OFFSET_UNITS:
        if unit == said:
            return unit
    raise PiibenchError(f"option 'offset_unit' of runner {runner!r} is {said!r}; there are {', '.join(OFFSET_UNITS)}")


def decoded(body: bytes) -> object:
    """The JSON value of a reply; raises `BadReplyError` for all that is not JSON, NaN and keys that stand twice too."""
    try:
        value: object = json.JSONDecoder(
            object_pairs_hook=_unrepeated, parse_constant=refuse_constant, parse_int=int_or_too_large
        ).decode(body.decode())
        if b"\\u" in body and holds_surrogate(value):
            raise BadReplyError("half of a surrogate pair, which no text can hold")
    except UnicodeDecodeError:
        raise BadReplyError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadReplyError(f"not JSON at character {error.pos}") from None
    except RecursionError:
        raise BadReplyError("JSON that is nested too deeply") from None
    except ValueError:
        raise BadReplyError("NaN or Infinity, which are not JSON") from None
    return value


def _unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise BadReplyError("an object in which a key stands twice")
    return value


def answers(replies: Sequence[object], texts: Sequence[Text], unit: OffsetUnit, who: str) -> list[Answer | Fault]:
    """For each text what one of the replies, objects of id and spans in any order, says of it, or what is wrong there.

    Raises `BadReplyError` where a reply cannot be told apart from those of other rows, and `PiibenchError` where spans
    have no offsets.
    """
    by_id = {text.row_id: text.text for text in texts}
    found: dict[str, Answer | Fault] = {}
    counts: Counter[str] = Counter()
    for reply in replies:
        row_id = _id(reply)
        if row_id not in by_id:
            raise BadReplyError("an answer to a row that was not asked")
        counts[row_id] += 1
        found[row_id] = _answer(reply, by_id[row_id], unit, who)
    for row_id, count in counts.items():
        if count > 1:
            found[row_id] = Fault("duplicate_row", "it was answered twice")
    missing = Fault("missing_rows", "it was not answered")
    return [found.get(text.row_id, missing) for text in texts]


def accepted(found: Sequence[Answer | Fault]) -> list[Answer]:
    """Each fault as a row that failed."""
    return [one if isinstance(one, Answer) else Answer((), 0, "error") for one in found]


def check_probe(found: Sequence[Answer | Fault], who: str) -> None:
    """Raises `PiibenchError` where the probe was not answered as it should be."""
    for one in found:
        if isinstance(one, Fault):
            raise PiibenchError(f"{who} does not answer as it should: {one.reason}, {one.detail}; {_TOLD}")


def _id(reply: object) -> str:
    if not isinstance(reply, dict):
        raise BadReplyError("an answer that is not an object")
    pairs = resolve({"id": PREDICTION["id"]}, {}, reply)
    row_id = reply[pairs[0][1]] if pairs and not isinstance(pairs, str) else None
    if not isinstance(row_id, str):
        raise BadReplyError("an answer without the id of its row")
    return row_id


def _answer(reply: object, text: str, unit: OffsetUnit, who: str) -> Answer | Fault:
    _refuse_words(reply, who)
    row, faults = read_object(reply, _SHAPE)
    faults = faults or (
        place_spans(row["spans"], text, unit, "spans") + misplaced_chars_seen(row.get("chars_seen"), text)
    )
    faults = faults or label_faults(row["spans"], text, "spans")
    if faults:
        return faults[0]
    seen = row.get("chars_seen")
    n_seen = len(text) if seen is None else seen
    return Answer(tuple(map(_span, row["spans"])), n_seen, "ok" if n_seen == len(text) else "truncated")


def _span(span: Mapping[str, Any]) -> Span:
    score = span.get("score")
    return Span(span["start"], span["end"], span["label"], None if score is None else float(score))


def _refuse_words(reply: object, who: str) -> None:
    """Raises where spans say a word and not where it stands: to search for it would be to guess."""
    if not isinstance(reply, dict):
        return
    pairs = resolve({"spans": PREDICTION["spans"]}, {}, reply)
    spans = reply[pairs[0][1]] if pairs and not isinstance(pairs, str) else ()
    for span in spans if isinstance(spans, list) else ():
        if isinstance(span, str) or (isinstance(span, dict) and not _offsets(span)):
            raise PiibenchError(
                f"{who} gives no offsets with what it finds, and a word may stand in a text more than once; "
                "start and end of each span were expected"
            )


def _offsets(span: Mapping[str, object]) -> bool:
    return any(span.get(key) is not None for name in ("start", "end") for key in SPAN[name])
