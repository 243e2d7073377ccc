"""piibench-duck: how well a detector finds personal data in the text that really leaves a machine."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    import polars as pl

    from piibench_duck.explore import OpenBoard
    from piibench_duck.imports import Imported
    from piibench_duck.offsets import OffsetUnit


def open(path: "str | Path" = "warehouse", board: str | None = None) -> "OpenBoard":
    """A board opened to read: `open("warehouse/demo").predictions("rules")` is a Polars LazyFrame.

    `path` is a board's folder; what `--board` takes; or a folder of boards, with the name of one as `board` where it
    holds several. `explore.OpenBoard` says what there is: rows, gold, predictions, chars, counts, scores, any other
    table and SQL. It may be used in a `with`, which closes it.

    Raises `PiibenchError` where there is no board, one that is not whole, or several and none is named.
    """
    from piibench_duck.explore import open_board

    return open_board(path, board)


def sweep(
    path: "str | Path | OpenBoard",
    run: str,
    floors: "Sequence[float | None] | None" = None,
    at_recall: float | None = None,
    corpus: str | None = None,
    unscored: 'Literal["keep", "drop"]' = "keep",
    threads: int | None = None,
) -> "pl.DataFrame":
    """A run's scores with only those predictions whose score is at least a floor, None being no floor at all.

    `path` is a board: what `--board` takes, its folder `warehouse/<board>`, or what `open` gave. Either `floors`: a
    line for each corpus, level and floor; or `at_recall`: a line for each corpus and level at the highest of the run's
    scores whose recall is at least that. Predictions without a score stay at every floor, or with `unscored="drop"`
    only where there is no floor.

    Columns: `run`, `corpus`; `level`, `typed` (exact spans of our types, counts in spans) or `characters` (any label,
    counts in code points); `design`, null where all rows count; `floor`, null for none; `is_reached`, whether recall is
    at least `at_recall`, null where none was asked for; `docs` (typed alone), `n_rows`, `n_rows_missing`; `n_scored`,
    `n_unscored`, predictions with and without a score, whatever the floor; `gold`, `pred`, `tp`, `fp`, `fn`;
    `precision`, `recall`, `f1`, `f2` from 0 to 1, null where undefined. Of `typed` alone: `leak`, gold spans of high
    severity of which nothing is predicted; `n_out_of_scope`, `n_unmapped`, `n_ignored`, `n_left_out`, predicted spans
    that are not in `pred`: of types that the corpus does not annotate, with labels that the map does not name or
    ignores, on scaffold that looks like personal data.

    Raises `PiibenchError` for what cannot be: a board, run or corpus that is not there, a floor that is no finite
    number, a recall that is not from 0 to 1, another word than keep or drop, threads that are not from 1 to 1024.
    """
    from piibench_duck import sweeps

    return sweeps.frame(path, run, floors, at_recall, corpus, unscored, threads)


def import_frame(
    frame: "Any",
    board: str,
    name: str,
    offset_unit: "OffsetUnit" = "codepoint",
    note: str | None = None,
    allow_missing: bool = False,
    labels: "Mapping[str, str] | None" = None,
    answered: "Iterable[str]" = (),
) -> "Imported":
    """A frame of predictions as a run of a board, as `piibench-duck import` makes one of a file.

    The frame is of Polars, pandas, Arrow or any library that hands out Arrow, a span a line: `row_id`, `start`, `end`
    (exclusive), `label` and, where there is one, `score`. A line with `row_id` alone says that nothing was found there;
    so do rows in `answered` without a line. `labels` say what a label means, a type of ours or `ignored`.

    Raises `PiibenchError`, and `door.Refused` with every fault, of which nothing holds text.
    """
    from piibench_duck import imports, protocol

    plan = protocol.load()
    place = protocol.find_board(board, plan)
    return imports.import_frame(place, plan, frame, name, offset_unit, note, allow_missing, labels, answered)
