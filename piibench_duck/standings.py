"""Statistics of a whole board, from its result files alone, into `board.json`: who is ahead, and how surely."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from piibench_duck import counted, draws, results, sources, warehouse
from piibench_duck.beside import write_json
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan

FILE = "board.json"
REPLICATES = 2000
FEWEST_A_RUN = 50
"""Replicates for each run of a board at least: of B, p is 2 / (B + 1) or more, and Holm multiplies that."""

UNITS = ("row", "document")
_MARTS = ("marts.standings", "marts.seed_spreads", "marts.interests")
_TABLES = ("marts.comparisons", "marts.mean_scores")
"""Marts that others read several times: computed once."""

_DIFFERENCE = ("difference", "difference_low", "difference_high")
_PAIR = ("run_a", "run_b", *_DIFFERENCE, "p_value", "smallest_detectable", "n_corpora", "share_incomplete")
_TO_FIRST = (*_DIFFERENCE, "p_value", "p_holm", "is_separable", "smallest_detectable", "n_corpora", "share_incomplete")


def write(
    board: Board, protocol: Protocol, scored: Sequence[str], replicates: int = REPLICATES, seed: int | None = None
) -> dict[str, Any]:
    """Write `board.json` of all results that may be ranked with the `scored` runs, and name the others in it."""
    found, apart = results.comparable(results.read_board(board.results), scored)
    enough = max(replicates, FEWEST_A_RUN * len(found))
    made = of_board(board, protocol, found, apart, protocol.seed if seed is None else seed, enough)
    write_json(board.results / FILE, made)
    return made


def write_all(board: Board, protocol: Protocol, replicates: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Write `board.json` of all results that there are, by default with as many replicates as `score` takes.

    Raises `PiibenchError` where one is none, where they are of different rows, protocols or draws, naming what differs,
    and for so few replicates that no run could be told apart from the first.
    """
    found = results.read_whole_board(board)
    refuse_different({one["model"]: one for one in found}, results.BASIS)
    enough = FEWEST_A_RUN * len(found)
    if replicates is not None and replicates < enough:
        raise PiibenchError(
            f"{replicates} replicates are too few for {len(found)} runs: adjusted for their number, no p could fall "
            f"below 0.05; at least {enough} were expected"
        )
    made = of_board(board, protocol, found, {}, seed, max(REPLICATES, enough) if replicates is None else replicates)
    write_json(board.results / FILE, made)
    return made


def of_board(
    board: Board,
    protocol: Protocol,
    found: Sequence[Mapping[str, Any]],
    apart: Mapping[str, str],
    seed: int,
    replicates: int,
) -> dict[str, Any]:
    """What `board.json` holds, of results that are comparable; `apart` are others, and what differs."""
    plan = board_plan(board, protocol)
    ran = {one["model"]: one for one in found if one["status"] == "ran"}
    con = derived({run: board.results / run for run in ran}, ran, seed, replicates) if ran else None
    ranked = _column(con, "select run_id from marts.standings group by run_id order by any_value(place)")
    seeds = _column(con, "select run_id from staging.runs where is_seed_run order by run_id")
    corpora = _corpora(board, ran)
    return {
        "board": board.name,
        "title": plan.title if plan else board.name,
        "piibench_duck": version("piibench-duck"),
        "basis": results.basis(next(iter(ran.values()))) if ran else {},
        "undated": [corpus for corpus in sources.undated(board) if corpus in corpora],
        "corpora": corpora,
        "runs": [*ranked, *(run for run in ran if run not in ranked and run not in seeds)],
        "seed_runs": seeds,
        "not_run": [one["model"] for one in found if one["status"] == "not_run"],
        "apart": dict(apart),
        "machines": {run: _machine(board.results / run) for run in sorted(ran)},
        "results": {
            one["model"]: _digest(board.results / one["model"]) for one in sorted(found, key=lambda one: one["model"])
        },
        "statistics": {
            "replicates": replicates,
            "seed": seed,
            **{unit: _of_unit(con, unit, ranked) for unit in UNITS},
        },
        "seed_spread": _seed_spread(con),
        "interests": _interests(con),
    }


def read(board: Board) -> dict[str, Any]:
    """A board's statistics; raises `PiibenchError` where there are none, or where its results have changed since."""
    path = board.results / FILE
    make = f"run `piibench-duck compare --all --board {board.name}`"
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        said = found["results"]
        assert isinstance(said, dict)
        assert isinstance(found["statistics"]["row"]["runs"], dict)
    except FileNotFoundError:
        raise PiibenchError(f"board {board.name!r} has no {FILE}; {make}") from None
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AssertionError):
        raise PiibenchError(f"{FILE} of board {board.name!r} is none; {make}") from None
    there = {folder.parent.name for folder in board.results.glob("*/result.json")} - found["apart"].keys()
    stale = sorted(
        run for run in there | said.keys() if run not in there or said.get(run) != _digest(board.results / run)
    )
    if stale:
        raise PiibenchError(f"{FILE} of board {board.name!r} is older than the results of {', '.join(stale)}; {make}")
    return found


def compare_results(
    folders: Mapping[str, Path], unit: str, seed: int = 0, replicates: int = REPLICATES
) -> list[dict[str, Any]]:
    """The paired comparisons of runs in result folders, each pair in both orders, as lines of `marts.comparisons`.

    Raises `PiibenchError` where they are not of the same rows, protocol and label map, naming what differs.
    """
    found = results_of(folders)
    refuse_different(found)
    con = derived(folders, found, seed, replicates)
    lines = warehouse.rows_of(con, "select * from marts.comparisons order by run_a, run_b, unit")
    return [line for line in lines if line["unit"] == unit]


def results_of(folders: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """The result in each folder; raises `PiibenchError` where one is none."""
    return {run: results.read_result(folder) for run, folder in folders.items()}


def refuse_different(found: Mapping[str, Mapping[str, Any]], of: Sequence[str] = results.MEASURED) -> None:
    """Raise `PiibenchError` unless results that ran are alike in the names `of` their basis, naming what differs."""
    ran = {run: one for run, one in found.items() if one["status"] == "ran"}
    if not ran:
        return
    first = next(iter(ran))
    differing = {run: results.differing(ran[first], one, of) for run, one in ran.items()}
    told = [f"{run!r} in {' and '.join(names)}" for run, names in differing.items() if names]
    if told:
        raise PiibenchError(f"these differ from {first!r} and cannot be compared with it: {', '.join(told)}")


def derived(
    folders: Mapping[str, Path], found: Mapping[str, Mapping[str, Any]], seed: int, replicates: int
) -> warehouse.Connection:
    """Counts of result folders with all statistics of a board derived from them."""
    con = counted.open_results(folders, found, seed, replicates)
    by_name = {file.name: file for file in warehouse.files()}
    made_by = {name: partial(_as_table, file=by_name[name]) for name in _TABLES}
    warehouse.derive(con, [*_MARTS, *_TABLES], {draws.TABLE: draws.derive, **made_by})
    return con


def _as_table(con: warehouse.Connection, file: Any) -> None:
    warehouse.execute_file(con, file, f"create table {file.name} as\n")


def _of_unit(con: warehouse.Connection | None, unit: str, ranked: Sequence[str]) -> dict[str, Any]:
    if con is None:
        return {"runs": {}, "pairs": []}
    lines = warehouse.rows_of(
        con, f"select * from marts.standings where unit = {warehouse.quoted(unit)} order by place"
    )
    pairs = warehouse.rows_of(con, f"select * from marts.comparisons where unit = {warehouse.quoted(unit)}")
    by_runs = {(pair["run_a"], pair["run_b"]): {name: pair[name] for name in _PAIR} for pair in pairs}
    return {
        "runs": {line["run_id"]: _standing(line) for line in lines},
        "pairs": [by_runs[one, other] for place, one in enumerate(ranked) for other in ranked[place + 1 :]],
    }


def _standing(line: Mapping[str, Any]) -> dict[str, Any]:
    to_above = {name: line[f"above_{name}"] for name in ("difference", "low", "high")}
    return {
        **{name: line[name] for name in ("rank", "rank_low", "rank_high")},
        "to_first": None if line["place"] == 1 else {name: line[name] for name in _TO_FIRST},
        "to_above": None
        if line["run_above"] is None
        else {
            "run": line["run_above"],
            "difference": to_above["difference"],
            "difference_low": to_above["low"],
            "difference_high": to_above["high"],
        },
    }


def _seed_spread(con: warehouse.Connection | None) -> dict[str, Any]:
    if con is None:
        return {}
    runs = warehouse.rows_of(
        con,
        "select runs.recipe, runs.run_id, runs.training_seed, means.f1, spreads.reference_run, compared.* "
        "from staging.runs as runs inner join marts.mean_scores as means on runs.run_id = means.run_id "
        "inner join marts.seed_spreads as spreads on runs.recipe = spreads.recipe "
        "left join marts.comparisons as compared on compared.run_a = runs.run_id "
        "and compared.run_b = spreads.reference_run and compared.unit = 'row' "
        "where runs.is_seed_run order by runs.recipe, runs.run_id",
    )
    found = {}
    for line in warehouse.rows_of(con, "select * from marts.seed_spreads order by recipe"):
        of_recipe = [run for run in runs if run["recipe"] == line["recipe"]]
        found[line["recipe"]] = {
            "runs": [run["run_id"] for run in of_recipe],
            "n_runs": line["n_runs"],
            **{
                name: line[f"f1{of}"]
                for name, of in (("mean", ""), ("low", "_min"), ("high", "_max"), ("spread", "_spread"))
            },
            "f1": {run["run_id"]: run["f1"] for run in of_recipe},
            "seeds": {run["run_id"]: run["training_seed"] for run in of_recipe},
            "to_reference": {run["run_id"]: {name: run[name] for name in _DIFFERENCE} for run in of_recipe},
            "released": line["released_run"],
            "margin": None
            if line["released_run"] is None or line["reference_run"] is None
            else {
                "against": line["reference_run"],
                "difference": line["margin"],
                "difference_low": line["margin_low"],
                "difference_high": line["margin_high"],
                "in_spreads": line["margin_in_spreads"],
            },
        }
    return found


def _interests(con: warehouse.Connection | None) -> list[dict[str, Any]]:
    if con is None:
        return []
    return [
        {
            "publisher": line["publisher"],
            "runs": line["runs"],
            "run": line["run_id"],
            "against": line["against"],
            "unit": "row",
            **{name: line[name] for name in (*_DIFFERENCE, "p_value")},
        }
        for line in warehouse.rows_of(con, "select * from marts.interests order by publisher nulls first")
    ]


def _corpora(board: Board, ran: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What is known of each corpus that the results are of."""
    known = {source.corpus: source for source in sources.of_board(board).values()}
    names = sorted({name for one in ran.values() for name in one["scores"]["by_corpus"]})
    return {
        name: {"title": known[name].title, "language": known[name].language, "licence": known[name].licence}
        if name in known
        else {}
        for name in names
    }


def _machine(folder: Path) -> dict[str, Any]:
    """What a run was predicted on, as its `meta.json` says; nothing where there is none."""
    try:
        found = json.loads((folder / "meta.json").read_text("utf-8"))["predicted_on"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return {}
    return dict(sorted(found.items())) if isinstance(found, dict) else {}


def _digest(folder: Path) -> str | None:
    try:
        return hashlib.sha256((folder / "result.json").read_bytes()).hexdigest()
    except OSError:
        return None


def _column(con: warehouse.Connection | None, select: str) -> list[Any]:
    return [] if con is None else [value for (value,) in con.sql(select).fetchall()]
