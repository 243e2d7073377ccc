"""Boards, comparisons and listings as tables for a terminal: lays out what result files say, computes nothing."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

DASH = "—"


def board(title: str, found: Sequence[Mapping[str, Any]]) -> None:
    """Print the ranking to stdout, and below it what was not run."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", caption_justify="left")
    table.add_column("run", no_wrap=True)
    table.add_column("kind")
    for name in ("F1", "95 % interval", "P", "R", "touch", "missing"):
        table.add_column(name, justify="right", no_wrap=True)
    ran = [one for one in found if one["status"] == "ran"]
    for one in ran:
        mean = one["scores"]["mean"]
        table.add_row(
            one["model"],
            one["kind"],
            number(mean["f1"]),
            interval(one["intervals"]["row"]["f1"]),
            number(mean["precision"]),
            number(mean["recall"]),
            number(mean["touch_rate"]),
            str(one["n_rows_missing"]),
        )
    show(table)
    for one in found:
        if one["status"] == "not_run":
            print(f"not run: {one['model']}, {one['why']}")
    if ran:
        counts = {name: line["n_rows"] for name, line in ran[0]["scores"]["by_corpus"].items()}
        print(f"{ran[0]['n_rows']} rows: " + ", ".join(f"{name} {n_rows}" for name, n_rows in counts.items()))
        units = ran[0]["intervals"]
        print(f"Mean over corpora; intervals by row, {units['replicates']} bootstrap replicates, seed {units['seed']}.")


def comparison(a: str, b: str, found: Mapping[str, Any]) -> None:
    """Print a paired comparison to stdout."""
    print(f"mean F1 of {a} minus {b}: {signed(found['difference'])}")
    low, high = signed(found["difference_low"]), signed(found["difference_high"])
    print(f"95 % interval: {low} to {high} (by {found['unit']}, {found['n_replicates']} replicates, paired)")
    print(f"p = {number(found['p_value'])}, two-sided")
    print(f"smallest difference these rows could tell apart: {number(found['smallest_detectable'])}")
    if found["share_incomplete"]:
        print(f"replicates that left a corpus out: {found['share_incomplete']:.1%}")


def lines(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print any table to stdout."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text("NULL" if value is None else str(value)) for value in row))
    show(table)


def show(table: Any) -> None:
    """Print a rich table: as wide as the terminal, or as wide as it needs where stdout is no terminal."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 200)
    console.print(table)


def number(value: float | None) -> str:
    """Four decimals; an undefined figure is a dash."""
    return DASH if value is None else f"{value:.4f}"


def signed(value: float | None) -> str:
    """Four decimals with their sign."""
    return DASH if value is None else f"{value:+.4f}"


def interval(bounds: Sequence[float | None]) -> str:
    """Low and high."""
    return f"{number(bounds[0])} to {number(bounds[1])}"
