"""What a gate and a check of a submission found, as tables and lines for a terminal: lays out, computes nothing."""

from typing import TYPE_CHECKING

from piibench_duck.board.terminal import DASH, show, tell, visible

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
        cells = (figure(clause), interval(clause), bound(clause), "holds" if clause.holds else "broken")
        table.add_row(Text(visible(clause.name)), *cells)
    show(table)
    if found.comparison is not None:
        paired = f"by {found.comparison['unit']}, {found.comparison['n_replicates']} replicates, paired"
        tell(f"The interval of the drop is {paired}; p = {_number(found.comparison['p_value'])}.")
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
    return DASH if clause.figure is None else clause.shown(clause.figure)


def interval(clause: "Judged") -> str:
    """Low and high, with the decimals of the figure."""
    if not clause.interval:
        return DASH
    return " to ".join(DASH if end is None else clause.shown(end) for end in clause.interval)


def bound(clause: "Judged") -> str:
    """What is asked for; that it is asked of an interval is said."""
    is_count = clause.key.split(".")[0] == "leaks"
    asked = f"{'≥' if clause.is_least else '≤'} {clause.shown(int(clause.bound) if is_count else clause.bound)}"
    return asked if clause.hold == "figure" else f"low {asked}"


def _number(value: float | None) -> str:
    return DASH if value is None else f"{value:.3f}"
