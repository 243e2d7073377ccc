"""What carriers do to a run as tables for a terminal: lays out what a result says, computes nothing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from piibench_duck.board.terminal import DASH, figures, number, signed, tell


def effects(run: str, found: Mapping[str, Any]) -> None:
    """Print the carrier effects of a result to stdout."""
    said = found["carrier_effects"]
    by_carrier: Mapping[str, Mapping[str, Any]] = said["by_carrier"]
    if not by_carrier:
        tell(f"{run} has answered no passage both in prose and in another carrier; a row in prose names that carrier")
        return

    def table(columns: Sequence[str], line: Callable[[Mapping[str, Any]], Sequence[str]]) -> None:
        figures(("carrier", *columns), [(name, *line(one)) for name, one in by_carrier.items()])

    replicates, seed = found["intervals"]["replicates"], found["intervals"]["seed"]
    tell(f"{run}: each carrier against prose, over the passages that it answered in both")
    table(
        ("passages", "F1 in prose", "F1", "difference", "95 % interval"),
        lambda one: (
            str(one["n_passages"]),
            number(one["f1_prose"]),
            number(one["f1_carrier"]),
            signed(one["difference"]),
            _signed_interval(one["difference_low"], one["difference_high"]),
        ),
    )
    print()
    tell("Of the personal data, characters of the passage: the share found (R), and what only one of the two found")
    table(
        ("R in prose", "R", "differs", "95 % interval", "lost", "gained"),
        lambda one: (
            number(one["recall_prose"]),
            number(one["recall_carrier"]),
            signed(one["recall_difference"]),
            _signed_interval(one["recall_difference_low"], one["recall_difference_high"]),
            str(one["lost_chars"]),
            str(one["gained_chars"]),
        ),
    )
    print()
    tell("False alarms, in characters")
    table(
        ("on values", "on scaffold", "on lookalikes"),
        lambda one: (
            str(one["value_fp"]),
            str(one["scaffold_fp"]),
            f"{one['lookalike_touched']} of {one['lookalike']}",
        ),
    )
    print()
    tell("Fields (values of the carrier) flagged at all, of those with personal data")
    table(
        ("fields", "with PII", "precision", "recall"),
        lambda one: (
            str(one["n_fields"]),
            str(one["field_tp"] + one["field_fn"]),
            number(one["field_precision"]),
            number(one["field_recall"]),
        ),
    )
    print()
    tell("Of what was found in prose, the share lost in the carrier, by type")
    types = sorted({kind for one in by_carrier.values() for kind in one["by_type"]})
    table(types, lambda one: [_share(one["by_type"].get(kind, {}).get("share_lost")) for kind in types])
    tell("F1 and recall are means over corpora; fields, characters and shares are of all corpora together.")
    tell(
        f"Intervals by document, {replicates} bootstrap replicates, seed {seed}, paired, not adjusted for their number."
    )
    corpora = {one["n_corpora"] for one in by_carrier.values()}
    if len(corpora) > 1:
        tell(
            "Corpora with an F1 in both: " + ", ".join(f"{name} {one['n_corpora']}" for name, one in by_carrier.items())
        )
    incomplete = {name: one["share_incomplete"] for name, one in by_carrier.items() if one["share_incomplete"]}
    if incomplete:
        told = ", ".join(f"{name} {share:.1%}" for name, share in incomplete.items())
        tell(f"Replicates that left out a corpus without a value: {told}")


def _share(value: float | None) -> str:
    return DASH if value is None else f"{value:.1%}"


def _signed_interval(low: float | None, high: float | None) -> str:
    return f"{signed(low)} to {signed(high)}"
