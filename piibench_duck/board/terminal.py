"""Boards, comparisons and listings as tables for a terminal: lays out what result files say, computes nothing."""

import re
import sys
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piibench_duck.around import Window
from piibench_duck.board import terminal_notes

if TYPE_CHECKING:
    from rich.text import Text

    from piibench_duck.build import BuildReport

DASH = "—"
NARROW = 80
"""Columns that our tables of figures and of words, and sentences, keep to through a pipe."""
_NAME_ROOM = 8
"""Columns in which a name may be folded: narrower, a table is no longer read."""
PIPED_WIDTH = 200
"""Columns through a pipe of tables whose cells nobody knows beforehand."""
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def build(report: "BuildReport") -> None:
    """Print what a build made, a line a corpus."""
    for corpus in report.corpora:
        notes = [f"{corpus.n_rows} rows of {corpus.n_passages} passages"]
        if corpus.n_serving < corpus.n_documents:
            notes += [f"{corpus.n_serving} of {corpus.n_documents} documents serve"]
        elif corpus.n_documents:
            notes += [f"{corpus.n_documents} documents"]
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


def board(
    title: str, found: Sequence[Mapping[str, Any]], undated: Collection[str] = (), page: Path | None = None
) -> None:
    """Print the ranking to stdout, and below it what was not run. `undated` corpora annotate no dates."""
    from piibench_duck import results  # brings DuckDB along, which listings do without

    answered = [one for one in found if one["status"] == "ran"]
    ran = [one for one in answered if not results.is_seed_run(one)]
    tell(title)
    _ranking(ran)
    if seeds := [one["model"] for one in answered if results.is_seed_run(one)]:
        tell(f"Not ranked, there for the spread of a recipe alone: {', '.join(seeds)}; `compare --all` shows it.")
    for one in found:
        if one["status"] == "not_run":
            tell(f"not run: {one['model']}, {one['why']}")
    if any(one["kind"] == "baseline" for one in ran):
        tell("* a baseline, there to be beaten")
    for note in terminal_notes.notes(ran):
        tell(note)
    if ran:
        counts = {name: line["n_rows"] for name, line in ran[0]["scores"]["by_corpus"].items()}
        tell(f"{ran[0]['n_rows']} rows: " + ", ".join(f"{name} {n_rows}" for name, n_rows in counts.items()))
        units = ran[0]["intervals"]
        if marked := [name for name in counts if name in undated]:
            tell(f"No dates are annotated in {', '.join(marked)}: a date found there counts against every run.")
        tell(f"Mean over corpora; intervals by row, {units['replicates']} bootstrap replicates, seed {units['seed']}.")
        if units.get("document", {}).get("n_units_fewest") != 1:
            tell("Where rows of a document are alike, believe the interval by document, in result.json.")
        for one in ran:
            if share := one["intervals"]["row"]["share_incomplete"]:
                tell(f"{one['model']}: {share:.1%} of the replicates left out a corpus that had no value.")
    if page is not None:
        print(f"The whole board: {visible(str(page))}")


def _ranking(ran: Sequence[Mapping[str, Any]]) -> None:
    lines = []
    for one in ran:
        mean = one["scores"]["mean"]
        name = one["model"] + (" *" if one["kind"] == "baseline" else "")
        ratios = (number(mean[key]) for key in ("precision", "recall", "touch_rate"))
        bounds = interval(one["intervals"]["row"]["f1"])
        lines.append((name, number(mean["f1"]), bounds, *ratios, str(one["n_rows_missing"])))
    figures(("run", "F1", "95 % interval", "P", "R", "touch", "missing"), lines)


def comparison(a: str, b: str, found: Mapping[str, Any]) -> None:
    """Print a paired comparison to stdout."""
    tell(f"mean F1 of {a} minus {b}")
    bounds = f"{signed(found['difference_low'])} to {signed(found['difference_high'])}"
    line = (signed(found["difference"]), bounds, number(found["p_value"]), number(found["smallest_detectable"]))
    figures(("difference", "95 % interval", "p", "detectable"), [line], n_names=0)
    tell(f"By {found['unit']}, {found['n_replicates']} bootstrap replicates, paired; p is two-sided.")
    tell("detectable: the smallest difference that these rows could tell apart.")
    if found.get("n_units_fewest") == 1:
        tell(terminal_notes.alone(found["unit"]))
    if found["share_incomplete"]:
        tell(f"Replicates that left a corpus out: {found['share_incomplete']:.1%}")


def tell(sentence: str) -> None:
    """Print a sentence, broken between words where it is wider than the terminal, or than NARROW through a pipe."""
    print("\n".join(_words(visible(sentence), max(_screen_width(NARROW), 20))))


def _words(text: str, width: int) -> list[str]:
    """Lines of whole words."""
    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)


def figures(columns: Sequence[str], lines: Iterable[Sequence[str]], n_names: int = 1, gap: int = 2) -> None:
    """Print a table whose first columns are names, which fold where there is no room, and all others figures.

    Where even that does not fit, each line is a record, a line a column: a figure is never cut.
    """
    from rich.table import Table
    from rich.text import Text

    header, whole = _shown(columns), [_shown(line) for line in lines]
    widths = [_width(column, False) for column in zip(header, *whole, strict=True)]
    needed = [min(width, _NAME_ROOM) if place < n_names else width for place, width in enumerate(widths)]
    if sum(needed) + gap * (len(needed) - 1) > _screen_width(NARROW):
        for number, line in enumerate(whole, 1):
            _record(number, header, line, NARROW, of_words=True)
        return
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
    for place, column in enumerate(header):
        is_name = place < n_names
        table.add_column(Text(column), justify="left" if is_name else "right", overflow="fold", no_wrap=not is_name)
    for line in whole:
        table.add_row(*map(Text, line))
    show(table)


def lines(columns: Sequence[str], rows: Iterable[Sequence[object]], of_words: bool = False) -> None:
    """Print any table to stdout; where it does not fit without breaking a cell, each row as a record, a line a column.

    Cells `of_words` may be broken between their words, and keep to NARROW through a pipe.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    header, whole = _shown(columns), [_shown(row) for row in rows]
    widths = [_width(column, of_words) for column in zip(header, *whole, strict=True)]
    piped_width = NARROW if of_words else PIPED_WIDTH
    if sum(widths) + 3 * len(widths) + 1 > _screen_width(piped_width):
        for number, row in enumerate(whole, 1):
            _record(number, header, row, piped_width, of_words)
        if not whole:
            print(" | ".join(header))
        return
    table = Table(box=box.ASCII_DOUBLE_HEAD if not sys.stdout.isatty() else box.SQUARE)
    for column, width in zip(zip(header, *whole, strict=True), widths, strict=True):
        table.add_column(Text(column[0]), overflow="fold", min_width=width, no_wrap=width == _width(column, False))
    for row in whole:
        table.add_row(*map(Text, row))
    show(table, piped_width)


def lines_with_text(columns: Sequence[str], rows: Iterable[tuple[Sequence[object], Window | None]]) -> None:
    """Print any table to the terminal, below each line, or record, the text around its span across the whole width."""
    from rich.console import Console
    from rich.padding import Padding

    header, whole, windows = _shown(columns), [], []
    for row, window in rows:
        whole.append(_shown(row))
        windows.append(window)
    screen = Console(width=_screen_width(), highlight=False, markup=False, emoji=False)
    widths = [_width(column, False) for column in zip(header, *whole, strict=True)]
    is_table = sum(widths) + 2 * (len(widths) - 1) <= screen.width
    if is_table or not whole:
        screen.print(_aligned(header, widths), style="bold", soft_wrap=True)
    for number, (row, window) in enumerate(zip(whole, windows, strict=True), 1):
        if is_table:
            screen.print(_aligned(row, widths), soft_wrap=True)
        else:
            _record(number, header, row)
        screen.print(Padding(_marked(window), (0, 0, 0, 4), expand=False), overflow="fold")


def _shown(row: Iterable[object]) -> list[str]:
    return ["NULL" if value is None else visible(str(value)) for value in row]


def _width(column: Iterable[str], of_words: bool) -> int:
    """Cells of a terminal that the widest of these texts takes, or their widest word."""
    from rich.cells import cell_len

    return max((cell_len(part) for text in column for part in (text.split() if of_words else [text])), default=0)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    from rich.cells import set_cell_size

    return "  ".join(set_cell_size(text, width) for text, width in zip(row, widths, strict=True)).rstrip()


def _record(
    number: int, header: Sequence[str], row: Sequence[str], piped_width: int = PIPED_WIDTH, of_words: bool = False
) -> None:
    """Print a row as lines of a name and a value, however long that is, or as lines of its words.

    Those stand below their name where they do not fit beside it.
    """
    from rich.cells import set_cell_size

    width, screen = _width(header, of_words=False), _screen_width(piped_width)
    print(f"-[ {number} ]".ljust(width + 3, "-"))
    room = screen - width - 3
    is_beside = not of_words or _width(row, of_words=True) <= room
    for name, value in zip(header, row, strict=True):
        parts = _words(value, room if is_beside else screen - 2) if of_words else [value]
        if not is_beside:
            print("\n  ".join([*_words(name, screen), *parts]))
            continue
        for place, part in enumerate(parts or [""]):
            print(f"{set_cell_size('' if place else name, width)} | {part}".rstrip())


def _marked(window: Window | None) -> "Text":
    from rich.text import Text

    if window is None:
        return Text("NULL")
    before, span, after = map(visible, window)
    return Text.assemble(before, (f"⟦{span}⟧", "bold reverse"), after)


def show(table: Any, piped_width: int = NARROW) -> None:
    """Print a rich table: as wide as the terminal; piped, up to that width and without colour."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False, markup=False, emoji=False).print(table)
        return
    console = Console(width=piped_width, color_system=None, force_terminal=False, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())


def _screen_width(piped: int = PIPED_WIDTH) -> int:
    """What COLUMNS says or the terminal; for a pipe or a file always the same, whatever window it comes from."""
    from rich.console import Console

    return Console().width if sys.stdout.isatty() else piped


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
