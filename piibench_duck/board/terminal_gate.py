"""What a gate and a check of a submission found, as tables and lines for a terminal: lays out, computes nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from piibench_duck.board.terminal import DASH, show, visible

if TYPE_CHECKING:
    from piibench_duck.gate import Judged, Verdict
    from piibench_duck.submissions import Report


def verdict(found: "Verdict") -> None:
    """Print every clause of a gate, then a line for each that is broken."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("clause", overflow="fold")
    for name in ("figure", "95 % interval", "bound"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for clause in found.clauses:
        cells = (figure(clause), interval(clause.interval), bound(clause), "holds" if clause.holds else "broken")
        table.add_row(Text(visible(clause.name)), *cells)
    show(table)
    if found.comparison is not None:
        paired = f"by {found.comparison['unit']}, {found.comparison['n_replicates']} replicates, paired"
        print(f"The interval of the drop is {paired}; p = {number(found.comparison['p_value'])}.")
    broken = [clause for clause in found.clauses if not clause.holds]
    for clause in broken:
        print(visible(clause.line()))
    if not broken:
        told = "the one clause holds" if len(found.clauses) == 1 else f"all {len(found.clauses)} clauses hold"
        print(f"{visible(found.run.said['model'])}: {told}")


def submission(found: "Report") -> None:
    """Print what a check of a submission could not look at and what it found, a line each."""
    for line in found.skipped:
        print(f"skipped: {visible(line)}")
    for line in found.findings:
        print(visible(line))
    again = ", and the counts of rows from predictions" if found.is_scored_again else ""
    told = f"{found.n_figures} figures computed again from counts{again}; {len(found.findings)} findings"
    print(f"{visible(found.run)}: {told}")


def figure(clause: "Judged") -> str:
    """The figure, of how many where it is a count."""
    if clause.of is not None:
        return f"{clause.figure} of {clause.of}"
    return number(clause.figure)


def number(value: float | int | None) -> str:
    """Three decimals; an undefined figure is a dash."""
    return DASH if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def interval(bounds: Sequence[float | None] | None) -> str:
    """Low and high."""
    return DASH if not bounds else f"{number(bounds[0])} to {number(bounds[1])}"


def bound(clause: "Judged") -> str:
    """What is asked for; that it is asked of an interval is said."""
    asked = f"{'≥' if clause.is_least else '≤'} {clause.bound:g}"
    return asked if clause.hold == "figure" else f"low {asked}"
