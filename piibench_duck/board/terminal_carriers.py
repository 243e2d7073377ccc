"""What carriers do to a run as tables for a terminal: lays out what a result says, computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck.board.terminal import DASH, number, show, signed, visible


def effects(run: str, found: Mapping[str, Any]) -> None:
    """Print the carrier effects of a result to stdout."""
    said = found["carrier_effects"]
    by_carrier: Mapping[str, Mapping[str, Any]] = said["by_carrier"]
    if not by_carrier:
        print(
            f"{visible(run)} has answered no passage both in prose and in another carrier; "
            "a row in prose names that carrier"
        )
        return
    replicates, seed = found["intervals"]["replicates"], found["intervals"]["seed"]
    print(f"{visible(run)}: each carrier against prose, over the passages that it answered in both")
    _print(
        ("carrier", "passages", "F1 in prose", "F1", "difference", "95 % interval"),
        [
            (
                name,
                str(one["n_passages"]),
                number(one["f1_prose"]),
                number(one["f1_carrier"]),
                signed(one["difference"]),
                _signed_interval(one["difference_low"], one["difference_high"]),
            )
            for name, one in by_carrier.items()
        ],
    )
    print()
    print("Of the personal data, characters of the passage: the share found, and what only one of the two found")
    _print(
        ("carrier", "recall in prose", "recall", "difference", "95 % interval", "lost", "gained"),
        [
            (
                name,
                number(one["recall_prose"]),
                number(one["recall_carrier"]),
                signed(one["recall_difference"]),
                _signed_interval(one["recall_difference_low"], one["recall_difference_high"]),
                str(one["lost_chars"]),
                str(one["gained_chars"]),
            )
            for name, one in by_carrier.items()
        ],
    )
    print()
    print("False alarms in characters; and fields (values of the carrier) flagged at all, of those with personal data")
    _print(
        ("carrier", "on values", "on scaffold", "on lookalikes", "fields", "with PII", "precision", "recall"),
        [
            (
                name,
                str(one["value_fp"]),
                str(one["scaffold_fp"]),
                f"{one['lookalike_touched']} of {one['lookalike']}",
                str(one["n_fields"]),
                str(one["field_tp"] + one["field_fn"]),
                number(one["field_precision"]),
                number(one["field_recall"]),
            )
            for name, one in by_carrier.items()
        ],
    )
    print()
    print("Of what was found in prose, the share lost in the carrier, by type")
    types = sorted({kind for one in by_carrier.values() for kind in one["by_type"]})
    _print(
        ("carrier", *types),
        [
            (name, *(_share(one["by_type"].get(kind, {}).get("share_lost")) for kind in types))
            for name, one in by_carrier.items()
        ],
    )
    print("F1 and recall are means over corpora; fields, characters and shares are of all corpora together.")
    print(
        f"Intervals by document, {replicates} bootstrap replicates, seed {seed}, paired, not adjusted for their number."
    )
    corpora = {one["n_corpora"] for one in by_carrier.values()}
    if len(corpora) > 1:
        print(
            "Corpora with an F1 in both: " + ", ".join(f"{name} {one['n_corpora']}" for name, one in by_carrier.items())
        )
    incomplete = {name: one["share_incomplete"] for name, one in by_carrier.items() if one["share_incomplete"]}
    if incomplete:
        told = ", ".join(f"{visible(name)} {share:.1%}" for name, share in incomplete.items())
        print(f"Replicates that left out a corpus without a value: {told}")


def _share(value: float | None) -> str:
    return DASH if value is None else f"{value:.1%}"


def _signed_interval(low: float | None, high: float | None) -> str:
    return f"{signed(low)} to {signed(high)}"


def _print(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right")
    for line in lines:
        table.add_row(Text(visible(line[0])), *line[1:])
    show(table)
