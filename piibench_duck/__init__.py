"""piibench-duck: how well a detector finds personal data in the text that really leaves a machine."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piibench_duck.explore import OpenBoard


def open(path: "str | Path" = "warehouse", board: str | None = None) -> "OpenBoard":
    """A board opened to read: `open("warehouse/demo").slice(corpus="demo-en")` is a Polars LazyFrame."""
    from piibench_duck.explore import open_board

    return open_board(path, board)
