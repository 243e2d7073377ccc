"""Wherever a run is stopped, and in whatever order its texts come, it ends with the same answers."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck.predict import answers, predict
from piibench_duck.runners import Answer, Description, Span, Text


class Stopped(BaseException):
    """Stands for a kill: nothing catches it."""


class Batchwise:
    """A detector whose scores depend on its batch, as those of a real one may in their last digits."""

    description = Description("model", "batchwise", None, None, None, "*", {}, {})

    def __init__(self, n_calls: int | None = None) -> None:
        self.left = n_calls

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        if self.left is not None:
            if self.left == 0:
                raise Stopped
            self.left -= 1
        score = sum(len(text.text) * (index + 1) for index, text in enumerate(texts)) / 1000
        if any("!" in text.text for text in texts):
            raise ValueError
        return [Answer((Span(0, len(t.text), "X", score),) if t.text else (), len(t.text)) for t in texts]


rows = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text("ab !", max_size=6), max_size=12
)


@settings(max_examples=40, deadline=None)
@given(rows, st.integers(1, 4), st.integers(1, 5), st.lists(st.integers(0, 6), max_size=4), st.randoms())
def test_a_run_stopped_anywhere_ends_with_the_same_answers(rows, batch_size, chunk_rows, stops, random):
    texts = [Text(row_id, text) for row_id, text in rows.items()]
    with tempfile.TemporaryDirectory() as name:
        once, often = Path(name) / "once", Path(name) / "often"
        predict(texts, Batchwise(), once, "i", batch_size=batch_size, chunk_rows=chunk_rows)
        for n_calls in [*stops, None]:
            random.shuffle(texts)
            try:
                predict(texts, Batchwise(n_calls), often, "i", batch_size=batch_size, chunk_rows=chunk_rows)
            except Stopped:
                continue
        ours, theirs = answers(often, "r"), answers(once, "r")
        assert (ours.run_rows, ours.pred_spans) == (theirs.run_rows, theirs.pred_spans)
        assert (
            ours.errors
            == theirs.errors
            == ({"ValueError": bad} if (bad := sum("!" in t for t in rows.values())) else {})
        )
        assert ours.run_rows["row_id"].to_pylist() == sorted(rows, key=str.encode)
        bare = [text for text in rows.values() if text and "!" not in text]
        assert ours.pred_spans.num_rows == len(bare)
