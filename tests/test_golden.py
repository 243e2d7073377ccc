"""Drawings of one row each, `tests/golden/row_counts/*.txt`: a file's name says what it shows; it is checked by eye.

A line begins with what it is, and from its 21st column on it lies under the text, a column for each code point:

    text        the row
    where ABC   the code points that A, B and C stand for, in hexadecimal: for those that are not one column wide
    gold LABEL  each run of one sign is an annotated span, whose role the label map's `*` decides
    pred LABEL  each run of one sign is a predicted span
    not answered
    value       what a carrier carries; with it, the rest of the text is scaffold
    look        scaffold that looks like personal data
    want        counts of the row; those that are not named are 0
    want TYPE   tp and fn of a type; there is a line for each type that has any
    # a remark
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from piibench_duck import warehouse
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

FILES = sorted((Path(__file__).parent / "golden" / "row_counts").glob("*.txt"))
MARGIN = 20
PLAIN = ("tp", "fp", "fn", "touched", "excluded", "n_rows_missing", "n_duplicate_spans")
ALIGNED = ("lookalike", "lookalike_touched", "scaffold_fp")
LINE = re.compile(r"(text|where|gold|pred|value|look|want|not answered)(?: (\S+))? *")


class Drawing(NamedTuple):
    """A row, what a run says of it, and the counts it should have."""

    row: Row
    answer: Answer | None
    counts: dict[str, Any]


def read(path: Path) -> Drawing:
    """The drawing in a file."""
    text = ""
    stands_for: dict[str, str] = {}
    gold, pred, stretches, kinds = [], [], [], []
    counts: dict[str, Any] = {}
    is_answered = True
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        said = LINE.fullmatch(line[:MARGIN])
        assert said, f"{path.name}: no line begins with {line[:MARGIN].strip()!r}"
        what, name, drawn = said[1], said[2] or "", line[MARGIN:]
        runs = [run.span() for run in re.finditer(r"(\S)\1*", drawn)]
        if what == "text":
            text = drawn
        elif what == "where":
            stands_for |= dict(zip(name, (chr(int(code, 16)) for code in drawn.split()), strict=True))
        elif what == "gold":
            gold += [Gold(start, end, name) for start, end in runs]
        elif what == "pred":
            pred += [Pred(start, end, name) for start, end in runs]
        elif what in ("value", "look"):
            kind = "copied" if what == "value" else "lookalike"
            stretches += [Stretch(start, end, kind) for start, end in runs]
        elif what == "not answered":
            is_answered = False
        elif name:
            kinds.append({"type": name, **numbers(drawn)})
        else:
            counts = numbers(drawn)
    has_alignment = bool(stretches)
    want = dict.fromkeys(PLAIN, 0) | dict.fromkeys(ALIGNED, 0 if has_alignment else None) | counts
    stored = "".join(stands_for.get(sign, sign) for sign in text)
    row = Row(path.stem, stored, gold, alignments=sorted(stretches, key=lambda stretch: stretch.wire_start))
    by_type = sorted(kinds, key=lambda kind: str(kind["type"]))
    return Drawing(row, Answer(pred) if is_answered else None, {**want, "by_type": by_type})


def numbers(drawn: str) -> dict[str, int]:
    """`tp=4 fn=6` as a dictionary."""
    return {name: int(value) for name, value in (word.split("=") for word in drawn.split())}


@pytest.fixture(scope="module")
def scored() -> dict[str, dict[str, Any]]:
    """The counts of every drawing, by the name of its file."""
    drawings = [read(path) for path in FILES]
    answers = {drawing.row.row_id: drawing.answer for drawing in drawings if drawing.answer}
    con = tables.connect([drawing.row for drawing in drawings], [Run("drawn", answers)])
    warehouse.derive(con, ["intermediate.row_counts"])
    return {line["row_id"]: line for line in warehouse.rows_of(con, "select * from intermediate.row_counts")}


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_row_has_the_counts_that_its_drawing_shows(path: Path, scored: dict[str, dict[str, Any]]) -> None:
    want = read(path).counts
    assert want.keys() == {*PLAIN, *ALIGNED, "by_type"}
    assert {name: scored[path.stem][name] for name in want} == want


def test_there_are_drawings() -> None:
    assert len(FILES) >= 12
