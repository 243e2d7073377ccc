"""The part of a page about carriers: scores in each, the paired effect of each, where false alarms lie, and fields."""

from collections.abc import Mapping
from typing import Any

from piibench_duck.board import charts, sentences
from piibench_duck.board.page_data import Found, Result, mapping
from piibench_duck.board.page_parts import (
    Cell,
    Column,
    Row,
    Section,
    Table,
    between,
    count,
    counted,
    dash,
    difference,
    figure,
    find,
    is_number,
    over,
    share,
)
from piibench_duck.board.page_ranking import name_of
from piibench_duck.board.page_slices import detail, matrix, scored
from piibench_duck.board.terminal import signed

NO_PAIRS = "no pairs with prose"


def effects_of(one: Result) -> Mapping[str, Any]:
    """What a result says each carrier does, by carrier."""
    return mapping(one, "carrier_effects", "by_carrier")


def carriers(found: Found) -> Section:
    """What a text travels in: the axis that the benchmark is for."""
    heads = {name: name for name in found.slices("carrier")}
    names = sorted({name for one in found.ran.values() for name in effects_of(one)})
    of_pairs = {name: name for name in names}
    chart = charts.heat_map(found, "carrier", "carriers-chart", "F1 of each run in each carrier", heads)
    paired = charts.effects(found)
    if not heads:
        return Section("carriers", "By carrier", ["No run has a score by carrier."])
    said = [
        "The first table sets carriers side by side that hold different texts. What a carrier does by itself is in the "
        "second: each passage once in prose and once in the carrier, mean F1 there minus mean F1 in prose.",
    ]
    if not of_pairs:
        said = ["No passage was answered both in prose and in another carrier, so what a carrier does is not known."]
    told = [
        "Intervals by document, paired, not adjusted for their number. Below 0 the carrier costs F1; an interval that "
        "holds 0 leaves it open.",
    ]
    return Section(
        "carriers",
        "By carrier",
        said,
        [
            *([chart] if chart else []),
            matrix(found, "carriers-table", "F1 by carrier, 95 % interval by row below", heads, scored("carrier")),
            detail(found, "carrier", "Every figure by carrier, with both intervals"),
            *([paired] if paired else []),
            matrix(
                found, "effects-table", "Paired carrier effect: mean F1 minus that in prose", of_pairs, _effect, told
            ),
            _effects(found),
            matrix(
                found,
                "scaffold-table",
                "False alarms on the carrier's own syntax, in characters; below, marked lookalikes of all lookalikes",
                heads,
                _scaffold,
                ["Lookalikes are ids, times and hosts of the carrier that are nobody's: no false alarms."],
            ),
            matrix(
                found,
                "fields-table",
                "Field verdicts: of fields with personal data, the share flagged; below, how many flags are right",
                of_pairs,
                _field,
                ["A field is a value of the carrier; it is flagged if anything in it is marked."],
            ),
        ],
    )


def _effect(one: Result, name: str) -> Cell:
    of = effects_of(one).get(name)
    return dash(NO_PAIRS) if of is None else difference(of, why="no F1 in both")


def _scaffold(one: Result, name: str) -> Cell:
    of = mapping(one, "scores", "by_carrier", name)
    touched, all_of = of.get("lookalike_touched"), of.get("lookalike")
    below = (f"{count(touched)} of {count(all_of)}",) if is_number(touched) and is_number(all_of) else ()
    return over(counted(of, "scaffold_fp", why="no alignment"), *below) if of else dash("not in this run")


def _field(one: Result, name: str) -> Cell:
    of = effects_of(one).get(name)
    if of is None:
        return dash(NO_PAIRS)
    precision = find(of, "field_precision")[1]
    below = f"right {share(precision)}" if is_number(precision) else "nothing flagged"
    return figure(of, "field_recall", why="no field with gold", show=share, under=(below,))


def _effects(found: Found) -> Table:
    """All that pairs say, a line for each run and carrier."""
    types = sorted(
        {kind for one in found.ran.values() for of in effects_of(one).values() for kind in of.get("by_type") or {}}
    )
    columns = [
        *(Column("Run", False), Column("Carrier", False), Column("Passages"), Column("F1 in prose"), Column("F1")),
        *(Column("Difference"), Column("95 % by document"), Column("Recall in prose"), Column("Recall")),
        *(Column("Recall difference"), Column("95 % by document"), Column("Lost"), Column("Gained")),
        *(
            Column("fp on values"),
            Column("fp on scaffold"),
            Column("Fields"),
            Column("Flags right"),
            Column("Fields flagged"),
        ),
        *(Column(f"Lost of {kind}") for kind in types),
        *(Column("Corpora"), Column("Replicates incomplete")),
    ]
    rows = [
        Row(_effect_line(run, one, name, of, types), sentences.is_baseline(one))
        for run, one in found.ran.items()
        for name, of in effects_of(one).items()
    ]
    notes = [
        "Lost and gained: characters of gold found only in prose, and only in the carrier. Lost of a type: of its "
        "characters that were found in prose, the share lost in the carrier."
    ]
    return Table("effects-detail", "Everything that pairs with prose say", columns, rows, 0, notes, True)


def _effect_line(run: str, one: Result, name: str, of: Mapping[str, Any], types: list[str]) -> list[Cell]:
    return [
        name_of(run, one),
        Cell(name, name),
        counted(of, "n_passages"),
        *(figure(of, f"f1_{where}") for where in ("prose", "carrier")),
        *_apart(of, "difference"),
        *(figure(of, f"recall_{where}") for where in ("prose", "carrier")),
        *_apart(of, "recall_difference"),
        *(counted(of, key, why="no alignment") for key in ("lost_chars", "gained_chars", "value_fp", "scaffold_fp")),
        counted(of, "n_fields"),
        figure(of, "field_precision", why="nothing flagged", show=share),
        figure(of, "field_recall", why="no field with gold", show=share),
        *(
            figure(mapping(of, "by_type", kind), "share_lost", why="none found in prose", show=share)
            if kind in mapping(of, "by_type")
            else dash("no gold of this type")
            for kind in types
        ),
        counted(of, "n_corpora"),
        figure(of, "share_incomplete", show=share),
    ]


def _apart(of: Mapping[str, Any], name: str) -> list[Cell]:
    """A difference and its interval, each in a cell."""
    low, high = of.get(f"{name}_low"), of.get(f"{name}_high")
    whole = difference(of, name)
    found = Cell(between(low, high, signed), low) if is_number(low) else dash("no interval")
    return [over(whole), found]
