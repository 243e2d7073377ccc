"""The part of a page that ranks: the ranking, each run against the first, and all pairs."""

from collections.abc import Mapping
from typing import Any

from piibench_duck.board import charts, sentences, terminal_notes
from piibench_duck.board.page_data import Found, Result, mapping
from piibench_duck.board.page_parts import (
    Cell,
    Column,
    Row,
    Section,
    Table,
    between,
    bounds,
    count,
    counted,
    dash,
    difference,
    figure,
    find,
    interval,
    is_number,
    milliseconds,
    over,
    p_value,
    text,
)
from piibench_duck.board.terminal import signed

NO_IDENTIFIERS = "no identifiers here"
_UNITS = ("row", "document")
_WORDS = {"baseline": "baseline", "combined": "combined"}


def name_of(run: str, result: Result) -> Cell:
    """A run's name with the marks that a reader of any table has to see."""
    of = mapping(result, "_provenance")
    marks = [_WORDS[result["kind"]]] if result.get("kind") in _WORDS else []
    marks += ["conflict of interest"] if of.get("conflict_of_interest") else []
    marks += ["steered ‡"] if terminal_notes.steered(result) else []
    marks += ["not pinned"] if of.get("is_pinned") is False else []
    return Cell(run, run, (), tuple(marks))


def ranking(found: Found) -> Section:
    """All runs by mean F1, with what says how sure that is."""
    columns = [
        *(Column("Rank"), Column("Run", False), Column("Mean F1"), Column("95 % by row"), Column("95 % by document")),
        *(Column("Precision"), Column("Recall"), Column("Touch rate")),
        *(Column("Rank interval"), Column("To the first"), Column("p (Holm)"), Column("To the one above")),
        *(Column("ms, median"), Column("ms, p95")),
        *(Column("Missing rows"), Column("Kind", False), Column("Licence", False), Column("Revision", False)),
        Column("Notes", False),
    ]
    rows = [_ranked(found, run, one) for run, one in found.ran.items()]
    of = mapping(found.standings, "statistics")
    replicates = find(found.standings, "basis", "replicates")[1]
    notes = [
        "Mean F1, precision and recall are plain means over the corpora that have a value. The order is that of the "
        "mean F1 and nothing else; sorting a column leaves the ranks as they are.",
        f"Intervals of the mean F1: bootstrap, {told(replicates)} replicates. Differences, p and ranks: paired "
        f"bootstrap over rows, {told(of.get('replicates'))} replicates; p is adjusted after Holm for the comparisons "
        "with the first, the difference to the one above is not adjusted.",
        "Speed is of one text at a time and moves nothing.",
    ]
    table = Table("ranking-table", "Overall ranking by mean F1", columns, rows, 1, notes)
    others = [_comparisons(found, unit) for unit in _UNITS]
    pairs = [_pairs(found, unit) for unit in _UNITS]
    chart = charts.ranking(found)
    return Section("ranking", "Overall ranking", (), [*([chart] if chart else []), table, *others, *pairs])


def told(value: object) -> str:
    """A number of replicates in a sentence."""
    return count(value) if isinstance(value, int | float) else "an unknown number of"


def _ranked(found: Found, run: str, one: Result) -> Row:
    mean = ("scores", "mean")
    of = mapping(one, "_provenance")
    standing = found.comparison("row", run)
    kind = str(one.get("kind"))
    return Row(
        [
            figure(standing, "rank", why="no mean F1", show=count),
            name_of(run, one),
            figure(one, *mean, "f1"),
            *(_of_unit(one, unit) for unit in _UNITS),
            figure(one, *mean, "precision", why="nothing was marked"),
            figure(one, *mean, "recall"),
            figure(one, *mean, "touch_rate", why=NO_IDENTIFIERS),
            _ranks(standing),
            _to_first(standing),
            figure(mapping(standing, "to_first"), "p_holm", show=p_value)
            if standing.get("to_first")
            else dash("the first"),
            _to_above(standing),
            speed_of(one, "median"),
            speed_of(one, "p95"),
            counted(one, "n_rows_missing"),
            Cell(kind, kind),
            text(of.get("licence"), "part of piibench-duck" if _is_ours(of) else "not stated"),
            _revision(of),
            _notes(of),
        ],
        sentences.is_baseline(one),
    )


def _of_unit(one: Result, unit: str) -> Cell:
    """The interval of the mean F1; of one unit alone there is none, whatever width was found."""
    if find(one, "intervals", unit, "n_units_fewest")[1] == 1:
        return dash(f"a corpus has one {unit} alone")
    return interval(one, "intervals", unit, "f1")


def _is_ours(of: Mapping[str, Any]) -> bool:
    return of.get("model_id") is None and str(of.get("runner_version")).startswith("piibench-duck ")


def _ranks(standing: Mapping[str, Any]) -> Cell:
    low, high = standing.get("rank_low"), standing.get("rank_high")
    if not is_number(low) or not is_number(high):
        return dash("no mean F1" if standing else "not in board.json")
    return Cell(count(low) if low == high else f"{count(low)} to {count(high)}", low)


def _to_first(standing: Mapping[str, Any]) -> Cell:
    if not standing:
        return dash("not in board.json")
    if (of := standing.get("to_first")) is None:
        return dash("the first")
    marks = ("not separable",) if of.get("is_separable") is False else ()
    return difference(of)._replace(marks=marks)


def _to_above(standing: Mapping[str, Any]) -> Cell:
    if not standing:
        return dash("not in board.json")
    return difference(standing["to_above"]) if standing.get("to_above") else dash("none above")


def speed_of(one: Result, name: str) -> Cell:
    """Milliseconds with their interval; a dash where a run was not timed."""
    low, high = bounds(one, "speed", f"{name}_interval")
    below = (between(low, high, milliseconds),) if is_number(low) else ()
    why = find(one, "speed", "reason")[1]
    return dash("not timed") if why else figure(one, "speed", name, show=milliseconds, under=below)


def _revision(of: Mapping[str, Any]) -> Cell:
    model = of.get("model_id")
    if model is None:
        return dash("no model")
    return over(text(of.get("model_revision"), f"a folder, {model}"), str(model))


def _notes(of: Mapping[str, Any]) -> Cell:
    said = [str(of[name]) for name in ("publisher", "credit", "note") if of.get(name)]
    return Cell(said[0], said[0], tuple(said[1:])) if said else dash("none")


def _comparisons(found: Found, unit: str) -> Table:
    """Every run against the first."""
    columns = [
        *(Column("Rank"), Column("Run", False), Column("Rank interval"), Column("To the first"), Column("p")),
        *(
            Column("p (Holm)"),
            Column("Smallest detectable"),
            Column("To the one above"),
            Column("Replicates incomplete"),
        ),
    ]
    rows = []
    for run, one in found.ran.items():
        standing = found.comparison(unit, run)
        of = mapping(standing, "to_first")
        is_first = not of and bool(standing)
        rows.append(
            Row(
                [
                    figure(standing, "rank", why="no mean F1", show=count),
                    name_of(run, one),
                    _ranks(standing),
                    _to_first(standing),
                    *(
                        dash("the first") if is_first else figure(of, name, show=p_value)
                        for name in ("p_value", "p_holm", "smallest_detectable")
                    ),
                    _to_above(standing),
                    dash("the first")
                    if is_first
                    else figure(of, "share_incomplete", show=lambda value: f"{value:.1%}"),
                ],
                sentences.is_baseline(one),
            )
        )
    return Table(f"first-{unit}", f"Each run against the first, drawing {unit}s", columns, rows, 1, (), True)


def _pairs(found: Found, unit: str) -> Table:
    """All pairs, unadjusted."""
    columns = [
        *(Column("Run", False), Column("minus", False), Column("Difference"), Column("95 % interval")),
        *(Column("p, unadjusted"), Column("Smallest detectable"), Column("Corpora")),
    ]
    pairs = find(found.standings, "statistics", unit, "pairs")[1] or ()
    rows = [
        Row(
            [
                *(Cell(str(pair.get(name)), str(pair.get(name))) for name in ("run_a", "run_b")),
                over(difference(pair)),
                Cell(between(pair.get("difference_low"), pair.get("difference_high"), signed), _number(pair)),
                figure(pair, "p_value", show=p_value),
                figure(pair, "smallest_detectable"),
                counted(pair, "n_corpora"),
            ]
        )
        for pair in pairs
    ]
    caption = f"All pairs, drawing {unit}s: mean F1 of the first run minus the second, not adjusted for their number"
    return Table(f"pairs-{unit}", caption, columns, rows, 0, (), True)


def _number(pair: Mapping[str, Any]) -> float | None:
    low = pair.get("difference_low")
    return low if is_number(low) else None
