"""A board in Python: slices of it as Polars frames."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from piibench_duck import boards, protocol, sources, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board

if TYPE_CHECKING:
    import polars as pl


class OpenBoard:
    """A board opened to read. Its Parquet files may be written to meanwhile; a frame sees those of its opening."""

    def __init__(self, con: warehouse.Connection, place: Board) -> None:
        self._con = con
        self.place = place
        self.name = place.name

    def slice(self, table: str = "marts.row_scores", **columns: object) -> "pl.LazyFrame":
        """The rows of a table whose columns have these values, or one of the values of a list.

        `marts.row_scores` has a row for each run and text, with counts in characters and no text.
        Raises `PiibenchError` for a table or a column that is not there.
        """
        import polars as pl

        frame = self._relation(table)
        there = frame.collect_schema().names()
        for column, value in columns.items():
            if column not in there:
                raise PiibenchError(f"{table} has no column {column!r}; there are {', '.join(there)}")
            wanted = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
            frame = frame.filter(pl.col(column).is_in(wanted))
        return frame

    def sql(self, query: str) -> "pl.DataFrame":
        """The rows of one SELECT, computed now."""
        import polars as pl

        found = pl.from_arrow(warehouse.run_one_select(self._con, query))
        assert isinstance(found, pl.DataFrame)
        return found

    def _relation(self, table: str) -> "pl.LazyFrame":
        known = warehouse.relation_names(self._con)
        if table not in known:
            raise PiibenchError(f"no table {table!r}; there are {', '.join(known)}")
        frame: pl.LazyFrame = self._con.sql(f"select * from {table}").pl(lazy=True)
        return frame


def open_board(path: str | Path, board: str | None = None) -> OpenBoard:
    """Open `warehouse/<board>`; or `warehouse`, with the board named where it holds several."""
    plan = protocol.load()
    place = find_place(path if board is None else Path(path) / board, plan)
    return OpenBoard(boards.open_to_read(place.warehouse, place.name, plan), place)


def find_place(path: str | Path | OpenBoard, plan: protocol.Protocol) -> Board:
    """The board that is meant: one that is open, or of `--board`'s names and folders, or a folder of the warehouse."""
    if isinstance(path, OpenBoard):
        return path.place
    if not isinstance(path, str | os.PathLike):
        raise PiibenchError("a board is its name, its folder or an opened board; found something else")
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
