"""Boards, comparisons and listings as tables for a terminal: lays out what result files say, computes nothing."""

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from piibench_duck.around import Window

if TYPE_CHECKING:
    from rich.text import Text

    from piibench_duck.build import BuildReport

DASH = "—"
PIPED_WIDTH = 200
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def build(report: "BuildReport") -> None:
    """Print what a build made, a line a corpus."""
    for corpus in report.corpora:
        notes = [f"{corpus.n_rows} rows of {corpus.n_passages} passages"]
        notes += [f"{corpus.n_documents} documents"] if corpus.n_documents else []
        notes += [f"{corpus.n_long} longer than 400"] if corpus.n_long else []
        notes += [f"{n_refused} refused by {carrier}" for carrier, n_refused in corpus.refused.items()]
        notes += [f"{name} {count}" for name, count in corpus.counts.items() if count]
        print(f"{visible(corpus.corpus)}: " + ", ".join(notes))
    for design in report.designs:
        print(f"design {design['design']}: {design['n_rows']} rows, digest {design['rows_digest'][:12]}")
    roles = {"scored": 0, "excluded": 0, "ignored": 0, "unknown": 0}
    for label in report.labels:
        roles[label["role"]] += label["n_spans"]
    if report.labels:
        print("gold spans in the sources: " + ", ".join(f"{n} {role}" for role, n in roles.items()))


def board(title: str, found: Sequence[Mapping[str, Any]], undated: Collection[str] = ()) -> None:
    """Print the ranking to stdout, and below it what was not run. `undated` corpora annotate no dates."""
    ran = [one for one in found if one["status"] == "ran"]
    print(visible(title))
    _ranking(ran)
    for one in found:
        if one["status"] == "not_run":
            print(f"not run: {visible(one['model'])}, {visible(one['why'])}")
    if any(one["kind"] == "baseline" for one in ran):
        print("* a baseline, there to be beaten")
    if ran:
        counts = {name: line["n_rows"] for name, line in ran[0]["scores"]["by_corpus"].items()}
        print(f"{ran[0]['n_rows']} rows: " + ", ".join(f"{visible(name)} {n_rows}" for name, n_rows in counts.items()))
        units = ran[0]["intervals"]
        if marked := [name for name in counts if name in undated]:
            told = ", ".join(map(visible, marked))
            print(f"No dates are annotated in {told}: a date found there counts against every run.")
        print(f"Mean over corpora; intervals by row, {units['replicates']} bootstrap replicates, seed {units['seed']}.")
        print("Where rows of a document are alike, believe the interval by document, in result.json.")
        for one in ran:
            if share := one["intervals"]["row"]["share_incomplete"]:
                print(f"{visible(one['model'])}: {share:.1%} of the replicates left out a corpus that had no value.")


def _ranking(ran: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("run", overflow="fold")
    for name in ("F1", "95 % interval", "P", "R", "touch", "missing"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in ran:
        mean = one["scores"]["mean"]
        table.add_row(
            Text(visible(one["model"]) + (" *" if one["kind"] == "baseline" else "")),
            number(mean["f1"]),
            interval(one["intervals"]["row"]["f1"]),
            number(mean["precision"]),
            number(mean["recall"]),
            number(mean["touch_rate"]),
            str(one["n_rows_missing"]),
        )
    show(table)


def comparison(a: str, b: str, found: Mapping[str, Any]) -> None:
    """Print a paired comparison to stdout."""
    print(f"mean F1 of {visible(a)} minus {visible(b)}: {signed(found['difference'])}")
    low, high = signed(found["difference_low"]), signed(found["difference_high"])
    print(f"95 % interval: {low} to {high} (by {found['unit']}, {found['n_replicates']} replicates, paired)")
    print(f"p = {number(found['p_value'])}, two-sided")
    print(f"smallest difference these rows could tell apart: {number(found['smallest_detectable'])}")
    if found["share_incomplete"]:
        print(f"replicates that left a corpus out: {found['share_incomplete']:.1%}")


def lines(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print any table to stdout."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ASCII_DOUBLE_HEAD if not sys.stdout.isatty() else box.SQUARE)
    for column in columns:
        table.add_column(Text(visible(column)), overflow="fold")
    for row in rows:
        table.add_row(*(Text("NULL" if value is None else visible(str(value))) for value in row))
    show(table)


def lines_with_text(columns: Sequence[str], rows: Iterable[tuple[Sequence[object], Window | None]]) -> None:
    """Print any table to the terminal, below each line the text around its span, across the whole width.

    A line is not folded: where it is wider than the terminal, the terminal goes on with it below.
    """
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(Text(visible(column)), no_wrap=True)
    windows = []
    for row, window in rows:
        table.add_row(*(Text("NULL" if value is None else visible(str(value))) for value in row))
        windows.append(window)
    unfolded = Console(width=sys.maxsize, color_system=None, highlight=False, markup=False, emoji=False)
    with unfolded.capture() as captured:
        unfolded.print(table)
    screen = Console(highlight=False, markup=False, emoji=False)
    header, *whole = captured.get().splitlines()
    screen.print(header.rstrip(), style="bold", soft_wrap=True)
    for line, window in zip(whole, windows, strict=True):
        screen.print(line.rstrip(), soft_wrap=True)
        screen.print(Padding(_marked(window), (0, 0, 0, 4), expand=False), overflow="fold")


def _marked(window: Window | None) -> "Text":
    from rich.text import Text

    if window is None:
        return Text("NULL")
    before, span, after = map(visible, window)
    return Text.assemble(before, (f"⟦{span}⟧", "bold reverse"), after)


def show(table: Any) -> None:
    """Print a rich table: as wide as the terminal; piped, up to PIPED_WIDTH and without colour."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False, markup=False, emoji=False).print(table)
        return
    console = Console(width=PIPED_WIDTH, color_system=None, force_terminal=False, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())


def visible(text: str) -> str:
    r"""The text with what a terminal would obey, or would hide, written as an escape.

    >>> visible("a\tb\x1b[31m")
    'a\\tb\\x1b[31m'
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def number(value: float | None) -> str:
    """Four decimals; an undefined figure is a dash."""
    return DASH if value is None else f"{value:.4f}"


def signed(value: float | None) -> str:
    """Four decimals with their sign."""
    return DASH if value is None else f"{value:+.4f}"


def interval(bounds: Sequence[float | None]) -> str:
    """Low and high."""
    return f"{number(bounds[0])} to {number(bounds[1])}"
