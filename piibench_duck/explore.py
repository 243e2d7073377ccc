"""A board in Python: its texts, spans, counts and scores as lazy Polars frames, read by DuckDB."""

import datetime
import numbers
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from piibench_duck import boards, protocol, selects, sources, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import polars as pl

_BOARD = "a board is its name, its folder or an opened board"
_GOLD = """
select rows.row_id, spans.* exclude (row_key){surface}
from staging.gold_spans as spans
inner join staging.all_rows as rows on spans.row_key = rows.row_key
"""
_PREDICTIONS = """
select runs.run_id, rows.row_id, spans.* exclude (run_key, row_key)
from staging.pred_spans as spans
inner join staging.runs as runs on spans.run_key = runs.run_key
inner join staging.all_rows as rows on spans.row_key = rows.row_key
"""


class OpenBoard:
    """A board opened to read, and closed by `close` or at the end of a `with`.

    Frames are lazy: a method computes nothing, and DuckDB runs what a frame asks for when it is collected, reading the
    columns and lines that are needed. Frames of a board can be joined, and collected in several threads. Each keeps
    what it reads from, so it outlives the board as a name, though not its closing. Files may be written to meanwhile.

    Offsets and lengths are Unicode code points, as Python slices count, and an end is behind the last one. Lines come
    in no order.
    """

    def __init__(self, con: warehouse.Connection, place: Board) -> None:
        self._con = con
        self._making = threading.Lock()
        self._is_closed = False
        self.place = place
        self.name = place.name

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the board; its frames cannot be collected afterwards."""
        with self._making:
            self._is_closed = True
            self._con.close()

    def rows(self, design: str | None = None, text: bool = False) -> "pl.LazyFrame":
        """The texts that detectors see: all of the board, or those of one design.

        Columns: `row_id`, the key; `corpus`, `source`, `split`, `doc_id`, `passage_id`, `passage_start` (code points),
        `language` (ISO 639-1), `carrier`, `licence` (SPDX), `n_chars` (code points), `slices` (key and value of further
        columns). With `text=True` also `text`, which may be personal data: what is written from it is, too.

        >>> board.rows(design="balanced").filter(pl.col("carrier") == "json").select(pl.len()).collect().item()
        20

        Raises `PiibenchError` for a design that is not there.
        """
        select = "select * from contracts.rows" if text else "select * exclude (text) from contracts.rows"
        if design is not None:
            there = self._values("select distinct design from contracts.designs order by design")
            if design not in there:
                raise PiibenchError(f"no design {design!r}; there are {', '.join(there)}")
            ids = f"select row_id from contracts.designs where design = {warehouse.quoted(design)}"
            select += f" where row_id in ({ids})"
        return self._frame(select)

    def gold(self, text: bool = False) -> "pl.LazyFrame":
        """The annotated spans of the texts that are counted; identical ones are one.

        Columns: `row_id`; `start_char`, `end_char` (code points); `source_label`, what the corpus calls it; `type`, our
        type; `label`, our type or else the source's; `role`, `scored`, `excluded` (a fixed format) or `ignored`;
        `severity`, high, medium or low; `is_mapped`, whether somebody says what the label means; `entity_id`, the
        entity in its document; `identifier_type`, `annotator`, where there are any. With `text=True` also `surface`,
        the characters of the span, which are personal data.
        """
        cut = ", substring(rows.text, spans.start_char + 1, spans.end_char - spans.start_char) as surface"
        return self._frame(_GOLD.format(surface=cut if text else ""), "staging.gold_spans", "staging.all_rows")

    def predictions(self, run: str | Iterable[str] | None = None) -> "pl.LazyFrame":
        """The predicted spans of a run, of several or of all; identical ones of a run are one.

        Columns: `run_id`, `row_id`; `start_char`, `end_char` (code points); `source_label`, what the detector calls it;
        `type`, our type, null where nobody names one; `label`, our type or else the detector's; `score`, the detector's
        confidence, null where it gives none; `n_copies`, how often the run gave it.

        Raises `PiibenchError` for a run that is not there.
        """
        needed = ("staging.pred_spans", "staging.runs", "staging.all_rows")
        return self._frame(_PREDICTIONS + self._of_runs(_names(run), "runs.run_id"), *needed)

    def chars(self, run: str | Iterable[str] | None = None) -> "pl.LazyFrame":
        """Every character of the texts by what it is and what a run made of it, as intervals of alike characters.

        A line is an interval, so characters are counted as the sum of `end_char - start_char`:

        >>> missed = board.chars("rules").filter(pl.col("is_gold"), ~pl.col("is_pred"))
        >>> missed.select((pl.col("end_char") - pl.col("start_char")).sum() > 0).collect().item()
        True

        Columns: `run_id`, `row_id`; `start_char`, `end_char` (code points); `is_gold`, of a scored type; `is_pred`,
        marked, whatever the label; `is_excluded`, an identifier with a fixed format; `is_scaffold`, the carrier's own
        syntax and keys, null where nobody says; `is_lookalike`, scaffold that looks like personal data; `gold_types`,
        `excluded_types`, `pred_types`, bit masks of types by `bit` of `staging.taxonomy`.

        Raises `PiibenchError` for a run that is not there or has not been scored.
        """
        return self._kept("intermediate.char_intervals", run)

    def counts(self, run: str | Iterable[str] | None = None) -> "pl.LazyFrame":
        """What each text counts for a run, in code points: sums of these are what scores divide. `marts.row_scores`.

        Columns: `run_id`, and those of `rows` without text; `tp`, `fp`, `fn` (personal data marked, others marked,
        personal data missed); `touched` of `excluded` (fixed formats); `lookalike_touched` of `lookalike`;
        `scaffold_fp` of `fp`; `n_rows_missing`, 1 where the run did not answer; `n_duplicate_spans` (spans); `by_type`,
        a list of `type`, `tp`, `fn`.

        Raises `PiibenchError` for a run that is not there or has not been scored.
        """
        return self._kept("marts.row_scores", run)

    def scores(self, run: str | Iterable[str] | None = None) -> "pl.LazyFrame":
        """Character scores by corpus, carrier and language, for a run, several or all. `marts.scores`.

        Columns: `run_id`; `slice_by`, one of the three, and `slice`, which one; counts as in `counts`, summed, and
        `n_rows`; `precision`, `recall`, `f1`, `touch_rate`, from 0 to 1, null where undefined.

        >>> board.scores("mask-everything").filter(pl.col("slice") == "demo-en").select("recall").collect().item()
        1.0

        Raises `PiibenchError` for a run that is not there or has not been scored.
        """
        return self._kept("marts.scores", run)

    def slice(self, table: str = "marts.row_scores", **columns: object) -> "pl.LazyFrame":
        """The lines of a table whose columns have these values, or one of the values of a list.

        `None` is null. A list may be anything that gives such values one by one.

        `marts.row_scores` has a line for each run and text, with counts in code points and no text. Tables and their
        columns are those of docs/data-model.md.

        >>> board.slice(corpus="demo-en", carrier=["json", "xml"]).select("carrier").unique().collect().height
        2

        Raises `PiibenchError` for a table or a column that is not there, and for a value of another type than the
        column has.
        """
        import polars as pl

        known = warehouse.readable_names()
        if table not in known:
            raise PiibenchError(f"no table {table!r}; there are {', '.join(known)}")
        frame = self._frame(f"select * from {table}", table)
        schema = frame.collect_schema()
        there = schema.names()
        for column, value in columns.items():
            if column not in there:
                raise PiibenchError(f"{table} has no column {column!r}; there are {', '.join(there)}")
            kind = schema[column]
            try:
                wanted = _values_of(kind, value)
            except TypeError as error:
                told = f"{column} of {table} holds values of type {kind.base_type()}; found {error}"
                raise PiibenchError(told) from None
            frame = frame.filter(pl.col(column).is_in(wanted.implode(), nulls_equal=wanted.has_nulls()))
        return frame

    def sql(self, query: str) -> "pl.DataFrame":
        """The rows of one SELECT over the board's tables, computed now.

        No file outside the board's folder can be read. Raises `PiibenchError` for anything but a SELECT, and for one
        that DuckDB refuses.
        """
        import polars as pl

        if not isinstance(query, str):
            raise PiibenchError(f"a query is a text, exactly one SELECT; found {_kind(query)}")
        with self._making:
            found = pl.from_arrow(selects.run_one_select(self._cursor(), query, kept_in=self.place.warehouse))
        assert isinstance(found, pl.DataFrame)
        return found

    def _kept(self, table: str, run: str | Iterable[str] | None) -> "pl.LazyFrame":
        """A table of runs that have been scored."""
        run = _names(run)
        condition = self._of_runs(run, "run_id")
        for name in run or ():
            if not (self.place.warehouse / "row_counts" / f"{name}.parquet").is_file():
                told = f"run `piibench-duck score {name} --board {self.name}`"
                raise PiibenchError(f"run {name!r} has not been scored; {told}")
        return self._frame(f"select * from {table}{condition}", table)

    def _of_runs(self, names: list[str] | None, column: str) -> str:
        if not names:
            return "" if names is None else " where false"
        boards.asked_runs(self.place.warehouse, names)  # all are there
        return f" where {column} in ({', '.join(map(warehouse.quoted, names))})"

    def _values(self, select: str) -> list[str]:
        with self._making:
            return [value for (value,) in self._cursor().sql(select).fetchall()]

    def _cursor(self) -> warehouse.Connection:
        if self._is_closed:
            raise PiibenchError(f"board {self.name!r} has been closed; open it again")
        return self._con.cursor()

    def _frame(self, select: str, *needed: str) -> "pl.LazyFrame":
        """The select as a lazy frame, after making the views that it reads where they are not there."""
        with self._making:
            warehouse.derive_views(self._cursor(), self.place.warehouse, needed)
        return warehouse.lazy(self._con, select)


def open_board(path: str | Path, board: str | None = None) -> OpenBoard:
    """Open `warehouse/<board>`; or `warehouse`, with the board named where it holds several."""
    plan = protocol.load()
    if board is not None:
        if not isinstance(path, str | os.PathLike) or not isinstance(board, str | os.PathLike):
            raise PiibenchError(f"{_BOARD}; found {_kind(path)} and, for the board in it, {_kind(board)}")
        path = Path(path) / board
    place = find_place(path, plan)
    con = boards.open_to_read(place.warehouse, place.name, plan, wanted=())
    selects.lock(con, place.warehouse)
    return OpenBoard(con, place)


def _names(run: object) -> list[str] | None:
    """The names of runs that were asked for, taken once from whatever gives them; none where all are."""
    if run is None or isinstance(run, str):
        return None if run is None else [run]
    told = "a run is asked for by its name, several by a list of names; found"
    if isinstance(run, bytes) or not isinstance(run, Iterable):
        raise PiibenchError(f"{told} {_kind(run)}")
    names = list(run)
    for name in names:
        if not isinstance(name, str):
            raise PiibenchError(f"{told} {_kind(name)} among them")
    return names


def _values_of(kind: "pl.DataType", value: object) -> "pl.Series":
    """The value, or what it gives one by one. Raises `TypeError` where one is not what a column of that kind holds."""
    import polars as pl

    is_one = isinstance(value, str | bytes) or not isinstance(value, Iterable)
    values = [value] if is_one else list(value)  # type: ignore[call-overload]  # it is an iterable
    for one in values:
        if one is not None and not _is_of(kind, one):
            raise TypeError(_kind(one))
    try:
        return pl.Series(values, dtype=kind)
    except (OverflowError, TypeError, pl.exceptions.PolarsError):
        raise TypeError("a number that does not fit") from None


def _is_of(kind: "pl.DataType", value: object) -> bool:
    import polars as pl

    if isinstance(value, bool) or kind == pl.Boolean:
        return isinstance(value, bool) and kind == pl.Boolean
    if kind.is_integer() or kind.is_numeric():
        return isinstance(value, numbers.Integral if kind.is_integer() else numbers.Real)
    if isinstance(value, datetime.datetime):
        return isinstance(kind, pl.Datetime)
    known = {pl.String: str, pl.Date: datetime.date, pl.Time: datetime.time, pl.Duration: datetime.timedelta}
    return isinstance(value, known.get(kind.base_type(), ()))


def _kind(value: object) -> str:
    """The kind of a value, which itself may be personal data."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def find_place(path: str | Path | OpenBoard, plan: protocol.Protocol) -> Board:
    """The board that is meant: one that is open, or of `--board`'s names and folders, or a folder of the warehouse."""
    if isinstance(path, OpenBoard):
        return path.place
    if not isinstance(path, str | os.PathLike):
        raise PiibenchError(f"{_BOARD}; found {_kind(path)}")
    folder = Path(path)
    is_named = str(path) in plan.boards or protocol.own_rows(folder) or sources.own_file(folder)
    if (folder / "rows").is_dir():
        return protocol.board_at(folder, folder.resolve().name)
    if is_named or not folder.is_dir():
        return protocol.find_board(str(path), plan)
    inside = sorted(child.name for child in folder.glob("*") if (child / "rows").is_dir())
    if len(inside) != 1:
        found = f"it holds {', '.join(inside)}; name one" if inside else "it holds no board; run `piibench-duck build`"
        raise PiibenchError(f"{str(folder)!r} is not a board: {found}")
    return protocol.board_at(folder / inside[0], (folder / inside[0]).resolve().name)
