"""The files of a result: result.json, meta.json, its counts and its predictions; what the marts say."""

import json
import os
import platform
import shutil
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import warehouse, yardsticks
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board

FILES = (
    *("row_counts.parquet", "pair_counts.parquet", *(f"{name}.parquet" for name in yardsticks.COUNTS)),
    *("predictions.parquet", "meta.json", "result.json"),
)
_COUNTS = ("tp", "fp", "fn", "touched", "excluded", "n_rows", "n_rows_missing")
_RATIOS = ("precision", "recall", "f1", "touch_rate")
_SCAFFOLD = ("lookalike", "lookalike_touched", "scaffold_fp")


class Shared(NamedTuple):
    """What is the same for every run of one scoring."""

    provenance: dict[str, Any]
    yardsticks: dict[str, dict[str, Any]]  # by run: entities, typed spans, text anonymization, whole documents
    n_duplicate_gold_spans: int
    n_unmapped_gold_spans: int


def write(con: warehouse.Connection, run: str, folder: Path, shared: Shared, seconds: float) -> None:
    """Write a run's result: all of it beside, then file by file into place, `result.json` last.

    Everything but `meta.json` is the same bytes for the same rows and predictions, on every machine.
    """
    described = _described(con, run)
    ran = described["status"] == "ran"
    where = f"run_id = {warehouse.quoted(run)}"
    ranked = "row_id in (select row_id from staging.rows)"
    folder.mkdir(parents=True, exist_ok=True)
    staging = folder / f".staging.{os.getpid()}"
    staging.mkdir()
    try:
        if ran:
            for name, select in (
                ("row_counts", f"select * exclude (run_id) from intermediate.row_counts where {where} and {ranked}"),
                ("pair_counts", f"select * exclude (run_id) from intermediate.pair_counts where {where}"),
                ("predictions", f"select * exclude (run_id) from marts.bench_predictions where {where}"),
                *(
                    (name, f"select * exclude (run_id) from intermediate.{name} where {where}")
                    for name in yardsticks.counts(con)
                ),
            ):
                warehouse.copy_to(con, select, staging / f"{name}.parquet")
        write_json(staging / "meta.json", _meta(described, seconds))
        write_json(staging / "result.json", result(con, run, shared) if ran else _not_run(described, shared))
        for name in FILES:
            if (staging / name).is_file():
                (staging / name).replace(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
    finally:
        shutil.rmtree(staging)


def result(con: warehouse.Connection, run: str, shared: Shared) -> dict[str, Any]:
    """What `result.json` says of a run that ran."""
    where = f"run_id = {warehouse.quoted(run)}"
    described = _described(con, run)
    mean = warehouse.rows_of(con, f"select * from marts.mean_scores where {where}")[0]
    scores = warehouse.rows_of(con, f"select * from marts.scores where {where} order by slice_by, slice")
    types = warehouse.rows_of(con, f"select * from marts.type_scores where {where} order by type")
    intervals = warehouse.rows_of(con, f"select * from marts.score_intervals where {where} order by unit")
    settings = warehouse.rows_of(con, "select * from staging.settings")[0]
    sliced = {
        f"by_{kind}": {
            line["slice"]: {name: line[name] for name in (*_COUNTS, *_RATIOS, *_SCAFFOLD)}
            for line in scores
            if line["slice_by"] == kind
        }
        for kind in ("corpus", "carrier", "language")
    }
    return {
        "model": run,
        "kind": described["kind"],
        "status": "ran",
        "scores": {
            "mean": {name: mean[name] for name in _RATIOS},
            "n_corpora": mean["n_corpora"],
            **sliced,
            "by_type": {line["type"]: {name: line[name] for name in ("tp", "fn", "recall")} for line in types},
        },
        "intervals": {
            **{
                line["unit"]: {"f1": [line["f1_low"], line["f1_high"]], "share_incomplete": line["share_incomplete"]}
                for line in intervals
            },
            "replicates": settings["replicates"],
            "seed": settings["seed"],
        },
        "carrier_effects": carrier_effects(con, run, settings["pairs_design"]),
        **shared.yardsticks[run],
        "n_rows": mean["n_rows"],
        "n_rows_missing": mean["n_rows_missing"],
        "n_duplicate_spans": mean["n_duplicate_spans"],
        "n_duplicate_gold_spans": shared.n_duplicate_gold_spans,
        "n_unmapped_gold_spans": shared.n_unmapped_gold_spans,
        "_provenance": {**shared.provenance, **_model(described)},
    }


def carrier_effects(con: warehouse.Connection, run: str, design: str | None) -> dict[str, Any]:
    """What each carrier does to the run, over the passages that it answered in prose too."""
    where = f"run_id = {warehouse.quoted(run)}"
    losses: dict[str, dict[str, Any]] = {}
    for line in warehouse.rows_of(con, f"select * from marts.carrier_losses where {where} order by carrier, type"):
        kept = {name: value for name, value in line.items() if name not in ("run_id", "carrier", "type")}
        losses.setdefault(line["carrier"], {})[line["type"]] = kept
    effects = warehouse.rows_of(con, f"select * from marts.carrier_effects where {where} order by carrier")
    digests = warehouse.rows_of(con, "select * from marts.design_digests")
    return {
        "design": design,
        "rows_digest": next((line["rows_digest"] for line in digests if line["design"] == design), None),
        "by_carrier": {
            line["carrier"]: {
                **{name: value for name, value in line.items() if name not in ("run_id", "carrier")},
                "by_type": losses.get(line["carrier"], {}),
            }
            for line in effects
        },
    }


def shared(con: warehouse.Connection, known: Mapping[str, Any]) -> Shared:
    """What is known of a scoring, and the digests of its rows, its label map and its taxonomy."""
    digest = warehouse.rows_of(con, "select * from marts.rows_digest")[0]
    provenance = {
        **known,
        "rows_digest": digest["rows_digest"],
        "label_map_digest": warehouse.content_digest(con, "select * from contracts.label_map"),
        "taxonomy_digest": warehouse.content_digest(con, "select * from contracts.taxonomy"),
        "piibench_duck": version("piibench-duck"),
    }
    return Shared(
        provenance, yardsticks.sections(con), digest["n_duplicate_gold_spans"], digest["n_unmapped_gold_spans"]
    )


def _not_run(described: Mapping[str, Any], shared: Shared) -> dict[str, Any]:
    return {
        "model": described["run_id"],
        "kind": described["kind"],
        "status": "not_run",
        "why": described["why"],
        "_provenance": {**shared.provenance, **_model(described)},
    }


def _described(con: warehouse.Connection, run: str) -> dict[str, Any]:
    return warehouse.rows_of(con, f"select * from staging.runs where run_id = {warehouse.quoted(run)}")[0]


def _model(described: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "runner": described["runner"],
        "model_id": described["model"],
        "model_revision": described["revision"],
        "weights_sha256": described["weights_sha256"],
        "settings": dict(described["settings"]),
        "settings_digest": described["settings_digest"] or None,
        "licence": described["licence"],
        "credit": described["credit"],
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


def write_json(path: Path, value: object) -> None:
    """Sorted, indented, beside and renamed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(
            json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n", "utf-8"
        )
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def read_result(folder: Path) -> dict[str, Any]:
    """The result in one run's folder; raises `PiibenchError` where the file is none."""
    try:
        found = json.loads((folder / "result.json").read_text("utf-8"))
    except (OSError, ValueError):
        found = None
    if not _is_result(found):
        raise PiibenchError(f"{folder.name}/result.json is no result; score the run again")
    whole: dict[str, Any] = found
    return whole


def read_run(board: Board, run: str) -> dict[str, Any]:
    """The result of a run that ran; raises `PiibenchError` where there is none, or where it was not run."""
    names = sorted(path.parent.name for path in board.results.glob("*/result.json"))
    if run not in names:
        raise PiibenchError(
            f"no result of a run {run!r} on board {board.name!r}; there are {', '.join(names) or 'none yet'}: "
            "run `piibench-duck score`"
        )
    found = read_result(board.results / run)
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
            found.append(read_result(path.parent))
        except PiibenchError:
            found.append({"model": path.parent.name, "status": "broken"})

    def rank(one: Mapping[str, Any]) -> tuple[bool, bool, float, str]:
        f1 = one["scores"]["mean"]["f1"] if one["status"] == "ran" else None
        return one["status"] != "ran", f1 is None, -(f1 or 0.0), one["model"]

    return sorted(found, key=rank)


def comparable(found: Sequence[dict[str, Any]], scored: Collection[str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Those results that may be ranked with the runs in `scored`, and of the others what differs, by run.

    Results of other rows, another protocol or design, or other draws are never ranked together.
    """
    reference = next((_basis(one) for one in found if one["model"] in scored and one["status"] == "ran"), None)
    ranked, apart = [], {}
    for one in found:
        if one["status"] == "broken":
            apart[one["model"]] = "result.json is none"
            continue
        differs = [
            name
            for name, value in _basis(one).items()
            if one["status"] == "ran" and reference is not None and value != reference[name]
        ]
        if differs:
            apart[one["model"]] = f"its {' and '.join(differs)} differs"
        else:
            ranked.append(one)
    return ranked, apart


def _basis(one: Mapping[str, Any]) -> dict[str, Any]:
    of = one["_provenance"]
    names = ("protocol", "design", "rows_digest", "label_map_digest", "taxonomy_digest")
    intervals = one.get("intervals", {})
    return {**{name: of.get(name) for name in names}, **{name: intervals.get(name) for name in ("replicates", "seed")}}
