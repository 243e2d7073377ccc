"""Sentences that a page says of a board, each from figures that stand in `board.json` or in a result."""

from collections.abc import Iterator, Mapping
from typing import Any

from piibench_duck.board.page_data import Found, mapping
from piibench_duck.board.page_parts import between, bounds, find, is_number, listed, p_value
from piibench_duck.board.terminal import number, signed


def headline(found: Found) -> list[str]:
    """Who is first, how sure that is, and whether a baseline is above a detector."""
    if not found.ran:
        return ["No run of this board has been scored."]
    first, result = next(iter(found.ran.items()))
    f1 = find(result, "scores", "mean", "f1")[1]
    if not is_number(f1):
        return ["No run of this board has a mean F1."]
    kind = "the baseline " if is_baseline(result) else ""
    by = [
        f"{between(*bounds(result, 'intervals', unit, 'f1'))} by {unit}"
        for unit in ("row", "document")
        if is_number(bounds(result, "intervals", unit, "f1")[0])
    ]
    how_sure = f" (95 % interval {', '.join(by)})" if by else ""
    told = [f"First is {kind}{first} with a mean F1 of {number(f1)}{how_sure}."]
    others = [run for run in found.ran if run != first]
    alike = [run for run in others if is_alike(found, "row", run)]
    if alike:
        told.append(f"Not separable from it on these rows: {listed(alike)}.")
    elif others and all("to_first" in found.comparison("row", run) for run in others):
        told.append("Every other run is separable from it on these rows.")
    for run, below in _above_detectors(found):
        told.append(f"The baseline {run} ranks above {listed(below)}: see where, before believing a figure.")
    return told


def is_baseline(result: Mapping[str, Any]) -> bool:
    """Whether a run is no detector, only what one has to beat."""
    return result.get("kind") == "baseline"


def is_alike(found: Found, unit: str, run: str) -> bool:
    """Whether these rows cannot tell a run from the first."""
    return mapping(found.comparison(unit, run), "to_first").get("is_separable") is False


def _above_detectors(found: Found) -> Iterator[tuple[str, list[str]]]:
    """Baselines with detectors below them, and which."""
    runs = list(found.ran)
    for place, run in enumerate(runs):
        below = [other for other in runs[place:] if not is_baseline(found.ran[other])]
        if is_baseline(found.ran[run]) and below:
            yield run, below


def interest(one: Mapping[str, Any]) -> str:
    """A publisher's best run against the strongest run without an interest."""
    publisher, runs, run, against = one.get("publisher"), one["runs"], one["run"], one.get("against")
    if len(runs) == 1:
        opening = f"{run}, {f'by {publisher}' if publisher else 'which names no publisher'}, has a conflict of interest"
    else:
        whose = f"by {publisher} with" if publisher else "that name no publisher and have"
        opening = f"Of the runs {whose} a conflict of interest ({listed(runs)}), {run} is the best"
    if against is None:
        return f"{opening}; there is no run without one to set against it."
    value = one.get("difference")
    if not is_number(value):
        return f"{opening}; it has no mean F1 to set against that of {against}, the strongest run without one."
    where = f"{signed(value)} above" if value > 0 else f"{signed(value)} below" if value < 0 else "equal to"
    p = f", p = {p_value(one['p_value'])}" if is_number(one.get("p_value")) else ""
    return (
        f"{opening}: its mean F1 is {where} that of {against}, the strongest run without one "
        f"(95 % interval {between(one.get('difference_low'), one.get('difference_high'), signed)}, "
        f"paired over {one.get('unit', 'row')}s{p})."
    )


def margin(recipe: str, one: Mapping[str, Any]) -> str:
    """How far the released run of a recipe is ahead, read against the spread of its seeds."""
    released = one.get("released")
    if released is None:
        return f"{recipe}: no ranked run of this recipe leaves its seed unsaid, so none is called the released one."
    of = one.get("margin")
    if not of or not is_number(of.get("difference")):
        return f"{recipe}: {released} is the released run; there is no run of another recipe to set it against."
    low, high = of.get("difference_low"), of.get("difference_high")
    spreads = of.get("in_spreads")
    told = f", {spreads:.1f} times the spread of the recipe's seeds" if is_number(spreads) else ""
    return (
        f"{recipe}: the released run, {released}, is {signed(of['difference'])} from {of['against']}, the strongest "
        f"run of another recipe (95 % interval {between(low, high, signed)}){told}."
    )


def citation(found: Found, run: str, result: Mapping[str, Any]) -> str:
    """A line to quote a run's figure by."""
    of = result["_provenance"]
    pinned = "@".join(str(of[name]) for name in ("model_id", "model_revision") if of.get(name))
    if result.get("kind") == "combined":
        pinned = " ".join(str(mapping(of, "settings").get(key)) for key in ("run_a", "rule", "run_b"))
    f1 = find(result, "scores", "mean", "f1")[1]
    by_row = bounds(result, "intervals", "row", "f1")
    return (
        f"{run} ({pinned or of.get('runner') or 'of no model'}), mean F1 {number(f1 if is_number(f1) else None)} "
        f"(95 % by row {between(*by_row)}), board {found.board}, protocol {of.get('protocol')}, "
        f"rows {str(of.get('rows_digest'))[:12]}, piibench-duck {of.get('piibench_duck')}"
    )
