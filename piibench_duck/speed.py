"""How long a detector takes over one row at a time, and what batches do to its answers."""

import hashlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Detector, Text

if TYPE_CHECKING:
    import pyarrow as pa

WARM_UP = 10
"""Rows that are answered before any is timed."""


class BatchCheck(NamedTuple):
    """How many of so many rows are answered otherwise in a batch than alone."""

    n_changed: int
    n_rows: int

    def __str__(self) -> str:
        return f"{self.n_changed} of {self.n_rows}"


def sample(row_ids: Sequence[str], n_rows: int) -> list[str]:
    """At most so many rows, by digest of their ids: the same choice whatever order they come in."""
    return sorted(row_ids, key=lambda row_id: (hashlib.sha256(row_id.encode()).digest(), row_id))[:n_rows]


def times(detector: Detector, texts: Sequence[Text]) -> list[tuple[str, float]]:
    """Milliseconds of each text, one at a time in a warm detector; a text that is not answered has none."""
    for text in texts[:WARM_UP]:
        _answer(detector, text)
    found = []
    for text in texts:
        began = time.perf_counter()
        answer = _answer(detector, text)
        milliseconds = (time.perf_counter() - began) * 1000
        if answer is not None and answer.status != "error":
            found.append((text.row_id, milliseconds))
    return found


def table(run_id: str, found: Sequence[tuple[str, float]]) -> "pa.Table":
    """Lines of `contracts.timings`."""
    import pyarrow as pa

    return pa.table(
        {
            "run_id": pa.array([run_id] * len(found), pa.string()),
            "row_id": pa.array([row_id for row_id, _ in found], pa.string()),
            "milliseconds": pa.array([milliseconds for _, milliseconds in found], pa.float64()),
        }
    )


def check_batch(batched: Detector, single: Detector, texts: Sequence[Text], batch_rows: int) -> BatchCheck:
    """Answers of `batched`, rows of like length together, against those of `single`, which gets one at a time."""
    by_length = sorted(texts, key=lambda text: (len(text.text), text.row_id))
    n_changed = 0
    for start in range(0, len(by_length), batch_rows):
        batch = by_length[start : start + batch_rows]
        together = _answers(batched, batch)
        n_changed += sum(
            _spans(one) != _spans(_answer(single, text)) for text, one in zip(batch, together, strict=True)
        )
    return BatchCheck(n_changed, len(by_length))


def _answers(detector: Detector, batch: Sequence[Text]) -> list[Answer | None]:
    """What is said of each text of a batch, of a text by itself where the batch fails as a whole."""
    try:
        return [*detector(batch)]
    except PiibenchError:
        raise
    except Exception:
        return [_answer(detector, text) for text in batch]


def _spans(answer: Answer | None) -> list[tuple[int, int, str]] | None:
    if answer is None:
        return None
    return sorted((span.start, span.end, span.label) for span in answer.spans)


def _answer(detector: Detector, text: Text) -> Answer | None:
    try:
        return detector([text])[0]
    except PiibenchError:
        raise
    except Exception:  # a row that fails is counted where rows are answered
        return None
