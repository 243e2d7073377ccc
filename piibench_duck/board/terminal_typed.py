"""Typed scores and sweeps as tables for a terminal: lays out what reports and sweeps say, computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck.board.terminal import DASH, figures, number, tell

_COUNTS = ("gold", "pred", "tp", "fp", "fn")
_RATIOS = {"P": "precision", "R": "recall", "F1": "f1", "F2": "f2"}
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
    tell(
        f"run={found['run']} revision={_short(found['preset_revision'])} "
        f"corpus={found['corpus']}@{_short(found['corpus_sha256'])} taxonomy={_short(found['taxonomy'])} "
        f"design={found['design'] or DASH} limit={limit}"
    )
    chosen = [name for column in columns for name in sorted(slices) if name.startswith(f"{column}=")]
    _print("slice", [(name, slices[name]) for name in ("all", *chosen)], is_typed=True)
    whole = slices["all"]
    if whole["n_rows_missing"]:
        tell(_missing(whole))
    if apart := _apart(whole):
        tell(f"Predicted and not counted: {apart}.")


def sweep(found: Sequence[Mapping[str, Any]], unscored: str, at_recall: float | None) -> None:
    """Print a sweep, a table for each corpus and level."""
    target = "" if at_recall is None else f" recall>={at_recall}"
    for place, (corpus, level) in enumerate(dict.fromkeys((line["corpus"], line["level"]) for line in found)):
        if place:
            print()
        lines = [line for line in found if (line["corpus"], line["level"]) == (corpus, level)]
        first = lines[0]
        tell(f"run={first['run']} corpus={corpus} {level}={first['design'] or DASH}{target}")
        _print("floor", [(_floor(line), line) for line in lines], is_typed=level == "typed")
        if first["n_unscored"]:
            where = "at every floor" if unscored == "keep" else "only where there is no floor"
            tell(f"Predicted spans without a score: {first['n_unscored']}, kept {where}.")
        if first["n_rows_missing"]:
            tell(_missing(first))
        by_floor = {_floor(line): _apart(line) for line in lines if level == "typed"}
        is_same = len({*by_floor.values()}) == 1
        for floor, apart in list(by_floor.items())[: 1 if is_same else None]:
            where = "" if is_same else f"Floor {floor}: "
            if apart:
                tell(f"{where}{'p' if where else 'P'}redicted and not counted: {apart}.")
        if any(line["is_reached"] is False for line in lines):
            tell("Not reached: even without a floor, the recall is lower or undefined.")


def _apart(of: Mapping[str, Any]) -> str:
    return ", ".join(f"{of[key]} {said}" for key, said in _APART.items() if of[key])


def _missing(of: Mapping[str, Any]) -> str:
    return f"Not answered: {of['n_rows_missing']} of {of['n_rows']} texts; all they hold is missed."


def _floor(line: Mapping[str, Any]) -> str:
    if line["is_reached"] is False:
        return "not reached"
    return "none" if line["floor"] is None else repr(float(line["floor"]))


def _print(name: str, lines: Sequence[tuple[str, Mapping[str, Any]]], is_typed: bool) -> None:
    """Characters have no documents and no leaks."""
    counts = ("docs", *_COUNTS) if is_typed else _COUNTS
    table = []
    for first, found in lines:
        cells = [*(_count(found[key]) for key in counts), *(number(found[key]) for key in _RATIOS.values())]
        table.append([first, *cells, *([_count(found["leak"])] if is_typed else [])])
    figures((name, *counts, *_RATIOS, *(["leak"] if is_typed else [])), table, gap=1)


def _count(value: int | None) -> str:
    return DASH if value is None else str(value)


def _short(digest: object) -> str:
    """Twelve characters of a digest; a word where a corpus has several sources."""
    if isinstance(digest, Mapping):
        return f"{len(digest)} sources"
    return DASH if digest is None else str(digest)[:12]
