"""Where the runs of a board stand, as a table for a terminal: lays out what `board.json` says, computes nothing."""

from collections.abc import Mapping
from typing import Any

from piibench_duck.board.terminal import DASH, figures, interval, number, signed, tell


def standings(found: Mapping[str, Any], unit: str) -> None:
    """Print each run against the first, and below the table what the columns are."""
    said = found["statistics"]
    tell(f"{found['title']}: every run against the first")
    lines = [(run, *_standing(said[unit]["runs"].get(run))) for run in found["runs"]]
    figures(("run", "rank", "of 95 %", "difference", "95 % interval", "p", "apart"), lines)
    tell(
        f"Mean F1 minus that of the first; intervals by {unit}, {said['replicates']} replicates, seed {said['seed']}, "
        "paired. p is two-sided, adjusted by Holm over this column; apart: p below 0.05."
    )
    for recipe, spread in found["seed_spread"].items():
        tell(
            f"{recipe}: {spread['n_runs']} seeds, mean F1 {number(spread['mean'])}, "
            f"{interval([spread['low'], spread['high']])}, standard deviation {number(spread['spread'])}; never ranked."
        )
    for run, why in found["apart"].items():
        tell(f"{run} is not compared with these: {why}")
    tell("All pairs and both units are in board.json, unadjusted.")


def _standing(one: Mapping[str, Any] | None) -> tuple[str, ...]:
    if one is None:
        return (DASH,) * 6
    ranks = (str(one["rank"]), f"{one['rank_low']} to {one['rank_high']}")
    if (first := one["to_first"]) is None:
        return (*ranks, *(DASH,) * 4)
    bounds = f"{signed(first['difference_low'])} to {signed(first['difference_high'])}"
    apart = {True: "yes", False: "no", None: DASH}[first["is_separable"]]
    return (*ranks, signed(first["difference"]), bounds, number(first["p_holm"]), apart)
