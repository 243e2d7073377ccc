"""The parts of a page that are beside the ranking and move nothing in it: the spread of seeds, and speed."""

from collections.abc import Iterator

from piibench_duck.board import sentences
from piibench_duck.board.page_data import Found, mapping
from piibench_duck.board.page_parts import (
    Cell,
    Column,
    Row,
    Section,
    Table,
    between,
    counted,
    difference,
    figure,
    find,
    interval,
    is_number,
    listed,
    text,
)
from piibench_duck.board.page_ranking import name_of, speed_of


def seeds(found: Found) -> Section:
    """Runs of one recipe with other seeds: reported, never ranked."""
    spread = mapping(found.standings, "seed_spread")
    if not spread:
        return Section("seeds", "Seed variance", ["No run of this board declares a recipe together with a seed."])
    columns = [
        *(Column("Recipe", False), Column("Runs"), Column("Mean F1"), Column("Range"), Column("Standard deviation")),
        Column("Released run", False),
    ]
    rows = [
        Row(
            [
                Cell(recipe, recipe),
                counted(one, "n_runs"),
                figure(one, "mean"),
                Cell(between(one.get("low"), one.get("high")), one.get("low")),
                figure(one, "spread", why="one run alone"),
                text(one.get("released"), "none is ranked"),
            ]
        )
        for recipe, one in spread.items()
    ]
    each = [
        Row(
            [
                Cell(run, run),
                Cell(recipe, recipe),
                text(mapping(one, "seeds").get(run)),
                figure(one, "f1", run),
                interval(found.seeds.get(run, {}), "intervals", "row", "f1"),
                difference(mapping(one, "to_reference", run), why="no run of another recipe"),
            ]
        )
        for recipe, one in spread.items()
        for run in one.get("runs") or ()
    ]
    of_each = [
        *(Column("Run", False), Column("Recipe", False), Column("Seed"), Column("Mean F1"), Column("95 % by row")),
        Column("To the strongest of another recipe"),
    ]
    return Section(
        "seeds",
        "Seed variance: reported, never ranked",
        [
            "Training runs of one recipe that differ by their seed alone. They are in no ranked table; they say how "
            "much of a released run's figure is luck.",
            *(sentences.margin(recipe, one) for recipe, one in spread.items()),
        ],
        [
            Table("seed-recipes", "Spread of each recipe", columns, rows),
            Table("seed-runs", "Each training run", of_each, each),
        ],
    )


def speed(found: Found) -> Section:
    """Milliseconds of one text at a time, and on what."""
    timed = {run: one for run, one in found.ran.items() if is_number(find(one, "speed", "median")[1])}
    waiting = list(_reasons(found))
    if not timed:
        return Section("speed", "Speed", ["No run of this board was timed.", *waiting])
    keys = ("processor", "cores", "device", "provider", "threads")
    columns = [
        *(Column("Run", False), Column("ms, median"), Column("ms, p95"), Column("Rows timed")),
        *(Column(key.capitalize(), False) for key in keys),
    ]
    rows = [
        Row(
            [
                name_of(run, one),
                speed_of(one, "median"),
                speed_of(one, "p95"),
                counted(one, "speed", "n_rows"),
                *(text(mapping(one, "speed").get(key), "not said") for key in keys),
            ],
            sentences.is_baseline(one),
        )
        for run, one in timed.items()
    ]
    said = "One text at a time, after a warm-up that does not count; 95 % bootstrap intervals below each figure."
    return Section("speed", "Speed", [said, *waiting], [Table("speed-table", "Milliseconds a text", columns, rows)])


def _reasons(found: Found) -> Iterator[str]:
    """Why runs have no speed, those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for run, one in found.ran.items():
        if not is_number(find(one, "speed", "median")[1]):
            by_reason.setdefault(str(find(one, "speed", "reason")[1] or "not in its result file"), []).append(run)
    for reason, runs in by_reason.items():
        yield f"Without a speed, {reason}: {listed(runs)}."
