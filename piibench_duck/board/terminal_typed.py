"""Typed scores and sweeps as tables for a terminal: lays out what reports and sweeps say, computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck.board.terminal import DASH, number, show, visible

_COLUMNS = ("docs", "gold", "pred", "tp", "fp", "fn", "P", "R", "F1", "F2", "leak")
_COUNTS = ("docs", "gold", "pred", "tp", "fp", "fn")
_RATIOS = ("precision", "recall", "f1", "f2")
_APART = {
    "n_out_of_scope": "of types that the corpus does not annotate",
    "n_unmapped": "with labels that the map does not name",
    "n_ignored": "with labels that the map ignores",
    "n_left_out": "on scaffold that looks like personal data",
}


def report(found: Mapping[str, Any], columns: Sequence[str]) -> None:
    """Print a corpus's report: all of it, then a line for each slice of these columns."""
    slices = found["slices"]
    limit = "none" if found["limit"] is None else f"{found['limit']} (documents of each slice; not comparable)"
    print(
        f"run={visible(found['run'])} revision={_short(found['preset_revision'])} "
        f"corpus={visible(found['corpus'])}@{_short(found['corpus_sha256'])} taxonomy={_short(found['taxonomy'])} "
        f"design={visible(found['design'] or DASH)} limit={limit}"
    )
    chosen = [name for column in columns for name in sorted(slices) if name.startswith(f"{column}=")]
    _print(("slice",), [((name,), slices[name]) for name in ("all", *chosen)])
    whole = slices["all"]
    if whole["n_rows_missing"]:
        print(_missing(whole))
    if apart := _apart(whole):
        print(f"Predicted and not counted: {apart}.")


def sweep(found: Sequence[Mapping[str, Any]], unscored: str, at_recall: float | None) -> None:
    """Print a sweep, a table a corpus."""
    for corpus in dict.fromkeys(line["corpus"] for line in found):
        lines = [line for line in found if line["corpus"] == corpus]
        designs = {line["level"]: visible(line["design"] or DASH) for line in lines}
        told = " ".join(f"{level}={design}" for level, design in designs.items())
        target = "" if at_recall is None else f" recall>={at_recall}"
        print(f"run={visible(lines[0]['run'])} corpus={visible(corpus)} {told}{target}")
        _print(("level", "floor"), [((line["level"], _floor(line)), line) for line in lines])
        for level in designs:
            of = next(line for line in lines if line["level"] == level)
            if of["n_unscored"]:
                where = "at every floor" if unscored == "keep" else "only where there is no floor"
                print(f"{level}: predicted spans without a score: {of['n_unscored']}, kept {where}.")
            if of["n_rows_missing"]:
                print(f"{level}: {_missing(of)}")
        by_floor = {_floor(line): _apart(line) for line in lines if line["level"] == "typed"}
        is_same = len({*by_floor.values()}) == 1
        for floor, apart in list(by_floor.items())[: 1 if is_same else None]:
            where = "typed" if is_same else f"typed, floor {floor}"
            if apart:
                print(f"{where}: predicted and not counted: {apart}.")
        if any(line["is_reached"] is False for line in lines):
            print("not reached: even without a floor, the recall is lower or undefined.")


def _apart(of: Mapping[str, Any]) -> str:
    return ", ".join(f"{of[key]} {said}" for key, said in _APART.items() if of[key])


def _missing(of: Mapping[str, Any]) -> str:
    return f"not answered: {of['n_rows_missing']} of {of['n_rows']} texts; all they hold is missed."


def _floor(line: Mapping[str, Any]) -> str:
    if line["is_reached"] is False:
        return "not reached"
    return "none" if line["floor"] is None else repr(float(line["floor"]))


def _print(names: Sequence[str], lines: Sequence[tuple[Sequence[str], Mapping[str, Any]]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name, overflow="fold")
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for first, figures in lines:
        counts = [_count(figures[name]) for name in _COUNTS]
        ratios = [number(figures[name]) for name in _RATIOS]
        table.add_row(*(Text(visible(part)) for part in first), *counts, *ratios, _count(figures["leak"]))
    show(table)


def _count(value: int | None) -> str:
    return DASH if value is None else str(value)


def _short(digest: object) -> str:
    """Twelve characters of a digest; a word where a corpus has several sources."""
    if isinstance(digest, Mapping):
        return f"{len(digest)} sources"
    return DASH if digest is None else visible(str(digest)[:12])
