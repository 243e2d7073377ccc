"""The files of a result: result.json, meta.json, its counts and its predictions; what the marts say."""

import json
import os
import platform
import shutil
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import side_by_side, warehouse, yardsticks
from piibench_duck.beside import write_json
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board

FILES = (
    *("row_counts.parquet", "pair_counts.parquet", *(f"{name}.parquet" for name in yardsticks.COUNTS)),
    *("predictions.parquet", "meta.json", "result.json"),
)
_MARTS = (
    "speeds",
    *("mean_scores", "scores order by slice_by, slice"),
    *("type_scores order by type", "score_intervals order by unit", "slice_intervals order by unit"),
)
MEASURED = ("protocol", "design", "rows_digest", "label_map_digest", "taxonomy_digest")
"""What two results must share to be measurements of the same thing."""

DRAWN = ("replicates", "seed")
BASIS = (*MEASURED, *DRAWN)

_COUNTS = ("tp", "fp", "fn", "touched", "excluded", "n_rows", "n_rows_missing")
_RATIOS = ("precision", "recall", "f1", "touch_rate")
_SCAFFOLD = ("lookalike", "lookalike_touched", "scaffold_fp")


class Result(NamedTuple):
    """What a run's folder of results is made of, beside its counts and predictions."""

    run: str
    described: dict[str, Any]  # its line of `staging.runs`
    said: dict[str, Any]  # result.json


def of_runs(con: warehouse.Connection, known: Mapping[str, Any]) -> dict[str, Result]:
    """The result of each run of one scoring, by its name; each mart is read once for all of them.

    `known` is what provenance says of the scoring before the digests of its rows, its label map and its taxonomy.
    """
    settings = warehouse.rows_of(con, "select * from staging.settings")[0]
    parts: list[Callable[[warehouse.Connection], Any]] = [
        yardsticks.sections,
        partial(carrier_effects, design=settings["pairs_design"]),
        _digests,
        *(partial(warehouse.lines_of_runs, select=f"select * from marts.{mart}") for mart in _MARTS),
    ]
    others, effects, digests, speeds, means, scores, types, intervals, of_slices = side_by_side.each(con, parts)
    names = ("rows_digest", "label_map_digest", "taxonomy_digest", "piibench_duck")
    provenance = {**known, **{name: digests[name] for name in names}}
    found = {}
    for described in warehouse.rows_of(con, "select * from staging.runs order by run_id"):
        run = described["run_id"]
        about = {"model": run, "kind": described["kind"], "status": described["status"]}
        pins = {"_provenance": {**provenance, **_model(described)}}
        if described["status"] != "ran":
            found[run] = Result(run, described, {**about, "why": described["why"], **pins})
            continue
        [mean] = means[run]
        said = {
            **about,
            "scores": _scores(mean, scores[run], types[run], of_slices[run]),
            "intervals": _intervals(intervals[run], settings),
            "carrier_effects": effects[run],
            "speed": _speed(speeds.get(run, []), described["machine"]),
            **others[run],
            **{name: mean[name] for name in ("n_rows", "n_rows_missing", "n_duplicate_spans")},
            **{name: digests[name] for name in ("n_duplicate_gold_spans", "n_unmapped_gold_spans")},
            **pins,
        }
        found[run] = Result(run, described, said)
    return found


def _digests(con: warehouse.Connection) -> dict[str, Any]:
    return {
        **warehouse.rows_of(con, "select * from marts.rows_digest")[0],
        "label_map_digest": warehouse.content_digest(con, "select * from contracts.label_map"),
        "taxonomy_digest": warehouse.content_digest(con, "select * from contracts.taxonomy"),
        "piibench_duck": version("piibench-duck"),
    }


def write(con: warehouse.Connection, result: Result, folder: Path, seconds: float) -> None:
    """Write a run's result: all of it beside, then file by file into place, `result.json` last.

    Everything but `meta.json` is the same bytes for the same rows and predictions, on every machine.
    """
    folder.mkdir(parents=True, exist_ok=True)
    staging = folder / f".staging.{os.getpid()}"
    staging.mkdir()
    try:
        if result.described["status"] == "ran":
            side_by_side.each(con, (partial(_copy, result.run, staging / name, of) for name, of in _tables(con)))
        write_json(staging / "meta.json", _meta(result.described, seconds))
        write_json(staging / "result.json", result.said)
        for name in FILES:
            if (staging / name).is_file():
                (staging / name).replace(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
    finally:
        shutil.rmtree(staging)


def _tables(con: warehouse.Connection) -> list[tuple[str, str]]:
    """Files of counts and predictions, and the relation that each holds a run's lines of."""
    ranked = "intermediate.row_counts where row_id in (select row_id from staging.rows) and"
    return [
        ("predictions.parquet", "marts.bench_predictions where"),
        ("row_counts.parquet", ranked),
        ("pair_counts.parquet", "intermediate.pair_counts where"),
        *((f"{name}.parquet", f"intermediate.{name} where") for name in yardsticks.counts(con)),
    ]


def _copy(run: str, path: Path, relation: str, con: warehouse.Connection) -> None:
    warehouse.copy_to(con, f"select * exclude (run_id) from {relation} run_id = {warehouse.quoted(run)}", path)


def _scores(
    mean: Mapping[str, Any],
    scores: Sequence[Mapping[str, Any]],
    types: Sequence[Mapping[str, Any]],
    intervals: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    bounds: defaultdict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for line in intervals:
        figures = ("recall",) if line["slice_by"] == "type" else ("f1", "recall")
        of_unit = {name: [line[f"{name}_low"], line[f"{name}_high"]] for name in figures}
        bounds[line["slice_by"], line["slice"]][line["unit"]] = of_unit
    sliced: dict[str, dict[str, Any]] = {f"by_{kind}": {} for kind in ("corpus", "carrier", "language")}
    for line in scores:
        if f"by_{line['slice_by']}" in sliced:
            kept = {name: line[name] for name in (*_COUNTS, *_RATIOS, *_SCAFFOLD)}
            kept["intervals"] = bounds[line["slice_by"], line["slice"]]
            sliced[f"by_{line['slice_by']}"][line["slice"]] = kept
    return {
        "mean": {name: mean[name] for name in _RATIOS},
        "n_corpora": mean["n_corpora"],
        **sliced,
        "by_type": {
            line["type"]: {
                **{name: line[name] for name in ("tp", "fn", "recall")},
                "intervals": bounds["type", line["type"]],
            }
            for line in types
        },
    }


def _intervals(lines: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> dict[str, Any]:
    by_unit = {
        line["unit"]: {
            **{name: [line[f"{name}_low"], line[f"{name}_high"]] for name in ("f1", "recall")},
            **{name: line[name] for name in ("share_incomplete", "n_units_fewest")},
        }
        for line in lines
    }
    return {**by_unit, "replicates": settings["replicates"], "seed": settings["seed"]}


def _speed(lines: Sequence[Mapping[str, Any]], machine: Mapping[str, str]) -> dict[str, Any]:
    """Milliseconds a text takes by itself, with intervals, and on what it did."""
    if not lines:
        return {"reason": "no rows were timed one at a time"}
    [line] = lines
    figures = {name: line[f"{name}_ms"] for name in ("median", "p95")}
    intervals = {f"{name}_interval": [line[f"{name}_low_ms"], line[f"{name}_high_ms"]] for name in figures}
    on = {name: machine.get(name) for name in ("processor", "cores", "device", "provider", "threads")}
    return {"unit": "ms", "n_rows": line["n_rows"], **figures, **intervals, **on}


def carrier_effects(con: warehouse.Connection, design: str | None) -> defaultdict[str, dict[str, Any]]:
    """What each carrier does to a run, over the passages that it answered in prose too; by run."""
    losses: dict[tuple[str, str], dict[str, Any]] = {}
    for line in warehouse.rows_of(con, "select * from marts.carrier_losses order by run_id, carrier, type"):
        kept = {name: value for name, value in line.items() if name not in ("run_id", "carrier", "type")}
        losses.setdefault((line["run_id"], line["carrier"]), {})[line["type"]] = kept
    digests = {line["design"]: line["rows_digest"] for line in warehouse.rows_of(con, "from marts.design_digests")}
    found: defaultdict[str, dict[str, Any]] = defaultdict(
        lambda: {"design": design, "rows_digest": digests.get(design), "by_carrier": {}}
    )
    for line in warehouse.rows_of(con, "select * from marts.carrier_effects order by run_id, carrier"):
        run, carrier = line.pop("run_id"), line.pop("carrier")
        found[run]["by_carrier"][carrier] = {**line, "by_type": losses.get((run, carrier), {})}
    return found


def _model(described: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "runner": described["runner"],
        "runner_version": described["runner_version"],
        "model_id": described["model"],
        "model_revision": described["revision"],
        "is_pinned": described["is_pinned"],
        "artefact": described["artefact"],
        "weights_sha256": described["weights_sha256"],
        "settings": dict(described["settings"]),
        "settings_digest": described["settings_digest"] or None,
        "licence": described["licence"],
        "credit": described["credit"],
        "publisher": described["publisher"],
        "recipe": described["recipe"],
        "training_seed": described["training_seed"],
        "steered": None if described["steered"] is None else dict(described["steered"]),
        "conflict_of_interest": described["conflict_of_interest"],
        "note": described["note"],
    }


def _meta(described: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """When and where: all that differs between two runs of the same thing."""
    return {
        "scored_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "score_seconds": round(seconds, 3),
        "scored_on": {
            "host": platform.node(),
            "cores": str(os.cpu_count()),
            "python": platform.python_version(),
            "duckdb": version("duckdb"),
        },
        "predicted_on": dict(described["machine"]),
    }


def read_result(folder: Path, of_board: bool = False) -> dict[str, Any]:
    """The result in one run's folder; raises `PiibenchError` where the file is none.

    Where the folder lies among the results `of_board`, it is called as its run, and another name is refused too.
    """
    try:
        found = json.loads((folder / "result.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not _is_result(found):
        raise PiibenchError(f"{folder.name}/result.json is no result; score the run again")
    whole: dict[str, Any] = found
    if of_board and whole["model"] != folder.name:
        raise PiibenchError(f"{folder.name}/result.json is of another run; score the run again")
    return whole


def read_run(board: Board, run: str) -> dict[str, Any]:
    """The result of a run that ran; raises `PiibenchError` where there is none, or where it was not run."""
    names = sorted(path.parent.name for path in board.results.glob("*/result.json"))
    if run not in names:
        raise PiibenchError(
            f"no result of a run {run!r} on board {board.name!r}; there are {', '.join(names) or 'none yet'}: "
            "run `piibench-duck score`"
        )
    found = read_result(board.results / run, of_board=True)
    if found["status"] != "ran":
        raise PiibenchError(f"run {run!r} was not run: {found['why']}")
    if "carrier_effects" not in found:
        raise PiibenchError(f"the result of {run!r} says nothing of carriers, since it is older; score it again")
    return found


def _is_result(found: object) -> bool:
    """Whether it has what ranking and printing need."""
    try:
        assert isinstance(found, dict)
        texts = [found["model"], found["kind"], found["status"]]
        if found["status"] == "ran":
            mean, row = found["scores"]["mean"], found["intervals"]["row"]["f1"]
            figures = [*(mean[name] for name in _RATIOS), row[0], row[1]]
            assert all(figure is None or isinstance(figure, float) for figure in figures)
            assert isinstance(found["scores"]["by_corpus"], dict)
        else:
            texts.append(found["why"])
        return isinstance(found["_provenance"], dict) and all(isinstance(text, str) for text in texts)
    except (AssertionError, KeyError, TypeError, IndexError):
        return False


def read_board(folder: Path) -> list[dict[str, Any]]:
    """All results of a board, the highest mean F1 first, what has none after, what was not run last.

    A file that is no result has the status `broken` and hides none of the others.
    """
    found = []
    for path in sorted(folder.glob("*/result.json")):
        try:
            found.append(read_result(path.parent, of_board=True))
        except PiibenchError:
            found.append({"model": path.parent.name, "status": "broken"})

    def rank(one: Mapping[str, Any]) -> tuple[bool, bool, float, str]:
        f1 = one["scores"]["mean"]["f1"] if one["status"] == "ran" else None
        return one["status"] != "ran", f1 is None, -(f1 or 0.0), one["model"]

    return sorted(found, key=rank)


def read_whole_board(board: Board) -> list[dict[str, Any]]:
    """The same, where each must be a result and one at least have run; raises `PiibenchError` else."""
    found = read_board(board.results)
    if not any(one["status"] == "ran" for one in found):
        raise PiibenchError(f"board {board.name!r} has no results; run `piibench-duck score --board {board.name}`")
    for one in found:
        if one["status"] == "broken":
            read_result(board.results / one["model"], of_board=True)
    return found


def comparable(found: Sequence[dict[str, Any]], scored: Collection[str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Those results that may be ranked with the runs in `scored`, and of the others what differs, by run.

    Results of other rows, another protocol or design, or other draws are never ranked together.
    """
    reference = next((one for one in found if one["model"] in scored and one["status"] == "ran"), None)
    ranked, apart = [], {}
    for one in found:
        if one["status"] == "broken":
            apart[one["model"]] = "result.json is none"
            continue
        if reference is not None and one["status"] == "ran" and (differs := differing(reference, one, BASIS)):
            apart[one["model"]] = f"its {' and '.join(differs)} differs"
        else:
            ranked.append(one)
    return ranked, apart


def is_seed_run(one: Mapping[str, Any]) -> bool:
    """Whether a result is of a run that is there for the spread of its recipe alone, and never ranked."""
    of = one.get("_provenance", {})
    return of.get("recipe") is not None and of.get("training_seed") is not None


def differing(one: Mapping[str, Any], other: Mapping[str, Any], of: Sequence[str] = MEASURED) -> list[str]:
    """What two results that ran differ in, of the names of their basis."""
    whole, of_other = basis(one), basis(other)
    return [name for name in of if whole[name] != of_other[name]]


def basis(one: Mapping[str, Any]) -> dict[str, Any]:
    """What results must share to be ranked together: rows, gold and protocol, and the draws of their intervals."""
    of, intervals = one["_provenance"], one.get("intervals", {})
    return {**{name: of.get(name) for name in MEASURED}, **{name: intervals.get(name) for name in DRAWN}}
