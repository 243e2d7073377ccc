"""What is written for another tool reads back as it was, but for what the format is said not to carry."""

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck.interchange import alignment, formats
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    GOLD_COLUMNS,
    PRED_COLUMNS,
    ROW_COLUMNS,
    RUN_ROW_COLUMNS,
    Predictions,
    Rows,
    append,
    append_gold,
    append_row,
    empty,
)

LETTERS = "aB9 é🙂\u0301\u200dש\u05b8ם\u202eعر\n\r\t\u2028\u00a0#-_.,'\"|\\%"
TEXTS = st.text(LETTERS, max_size=24)
LABELS = st.sampled_from(["PER", "LOC", "B-X", "MASK", "a b", "név"])
IDS = st.lists(
    st.text("aZ9/@#.%é -", min_size=1, max_size=6).map(lambda name: f"x{name}y"), min_size=1, max_size=4, unique=True
)
EXAMPLES = settings(max_examples=150, deadline=None)
Span = tuple[int, int, str]


@st.composite
def marked(draw: st.DrawFn) -> dict[str, tuple[str, list[Span]]]:
    """Texts by id, each with spans of it, no two the same."""
    found = {}
    for row_id in draw(IDS):
        text = draw(TEXTS)
        places = st.integers(0, max(len(text) - 1, 0))
        spans = set()
        for _ in range(draw(st.integers(0, 4)) if text else 0):
            start = draw(places)
            spans.add((start, draw(st.integers(start + 1, len(text))), draw(LABELS)))
        found[row_id] = text, sorted(spans)
    return found


def as_rows(of: dict[str, tuple[str, list[Span]]]) -> Rows:
    rows, gold = empty(ROW_COLUMNS), empty(GOLD_COLUMNS)
    for row_id, (text, spans) in of.items():
        line = {
            "id": row_id,
            "text": text,
            "spans": [dict(zip(("start", "end", "label"), one, strict=True)) for one in spans],
        }
        append_row(rows, line)
        append_gold(gold, line)
    return Rows(rows, gold, empty(ALIGNMENT_COLUMNS), "")


def as_run(of: dict[str, tuple[str, list[Span]]]) -> Predictions:
    run_rows, found = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)
    for row_id, (text, spans) in of.items():
        append(run_rows, row_id, "ok", len(text))
        for start, end, label in spans:
            append(found, row_id, start, end, label, None)
    return Predictions(run_rows, found, [], "")


def spans_of(columns: dict[str, list[Any]]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for row_id, start, end, label in zip(
        *(columns[name] for name in ("row_id", "start_char", "end_char", "source_label")), strict=True
    ):
        found.setdefault(row_id, []).append((start, end, label))
    return {row_id: sorted(spans) for row_id, spans in found.items()}


def only(of: dict[str, tuple[str, list[Span]]], kept: Any) -> dict[str, list[Span]]:
    """The spans that are kept, of rows that have any."""
    spans = {row_id: [one for one in spans if kept(text, one)] for row_id, (text, spans) in of.items()}
    return {row_id: some for row_id, some in spans.items() if some}


def n_of(spans: dict[str, list[Span]]) -> int:
    return sum(map(len, spans.values()))


@EXAMPLES
@given(marked())
def test_brat_carries_every_span_whose_label_is_a_word(of: dict[str, tuple[str, list[Span]]]) -> None:
    wanted = only(of, lambda _, span: " " not in span[2])
    with tempfile.TemporaryDirectory() as folder:
        lost = formats.writer("brat")(Path(folder) / "run", as_rows(of), {"run": as_run(of)})
        back = formats.reader("brat")(Path(folder) / "run", {row_id: text for row_id, (text, _) in of.items()})
        formats.writer("brat")(Path(folder) / "gold", as_rows(of), {})
        gold = formats.rows_reader("brat")(Path(folder) / "gold")
    assert spans_of(back.pred_spans) == spans_of(gold.gold_spans) == wanted
    assert sum(lost.values()) == n_of(spans_of(as_run(of).pred_spans)) - n_of(wanted)
    assert (sorted(back.run_rows["row_id"]), gold.texts) == (sorted(of), {name: text for name, (text, _) in of.items()})


@EXAMPLES
@given(marked())
def test_columns_carry_every_span_that_overlaps_none_before_it_and_has_no_white_ends(
    of: dict[str, tuple[str, list[Span]]],
) -> None:
    wanted: dict[str, list[Span]] = {}
    for row_id, (text, spans) in of.items():
        taken: set[int] = set()
        for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
            is_free = taken.isdisjoint(range(start, end))
            if is_free and text[start:end] == text[start:end].strip():
                wanted.setdefault(row_id, []).append((start, end, label))
                taken.update(range(start, end))
    texts = {row_id: text for row_id, (text, _) in of.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.conll"
        lost = formats.writer("conll")(path, as_rows(of), {"run": as_run(of)})
        back = formats.reader("conll")(path, texts)
        formats.writer("conll")(path, as_rows(of), {})
        gold = formats.reader("conll")(path, texts)
    assert spans_of(back.pred_spans) == spans_of(gold.pred_spans) == wanted
    assert sum(lost.values()) == n_of(spans_of(as_run(of).pred_spans)) - n_of(wanted)
    assert back.run_rows == {
        "row_id": sorted(of),
        "status": ["ok"] * len(of),
        "chars_seen": [len(texts[row_id]) for row_id in sorted(of)],
    }


@EXAMPLES
@given(marked())
def test_a_folder_for_the_hub_holds_rows_and_predictions_that_read_back(of: dict[str, tuple[str, list[Span]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        formats.writer("hub-folder")(Path(folder) / "hub", as_rows(of), {"run": as_run(of)})
        gold = formats.rows_reader("jsonl")(Path(folder) / "hub" / "data" / "rows.parquet")
        back = formats.reader("jsonl")(Path(folder) / "hub" / "predictions" / "run.parquet", gold.texts)
    assert gold.texts == {row_id: text for row_id, (text, _) in of.items()}
    assert spans_of(gold.gold_spans) == spans_of(back.pred_spans) == only(of, lambda *_: True)


WORDS = st.sampled_from(["Ana", "Bo", "left", "the", "house", "in", "May", "🙂", "שלום", "né", "2020"])


@EXAMPLES
@given(
    st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=40),
    st.sampled_from(["[NAME]", "***", "<X_1>", "█████", ""]),
)
def test_what_is_found_missing_gives_the_redacted_text_when_it_is_taken_out(
    words: list[tuple[str, bool]], placeholder: str
) -> None:
    """Of two words that are alike nobody can say which was taken out, but what is left is the same."""
    original = " ".join(word for word, _ in words)
    redacted = " ".join(placeholder if is_out else word for word, is_out in words)
    found = alignment.removed(original, redacted)
    assert all(0 <= start < end <= len(original) for start, end, _ in found)
    assert all(before[1] <= behind[0] for before, behind in pairwise(found))
    rest, at = "", 0
    for start, end, _ in found:
        rest += original[at:start]
        at = end
    assert (rest + original[at:]).split() == [word for word, is_out in words if not is_out]


@EXAMPLES
@given(TEXTS)
def test_a_text_that_is_as_it_was_lacks_nothing(text: str) -> None:
    assert alignment.removed(text, text) == []
    assert alignment.removed(text, " ".join(text.split())) == []
