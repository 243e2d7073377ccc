"""The files of a result: result.json, meta.json, row_counts.parquet and predictions.parquet; what the marts say."""

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from piibench_duck import warehouse
from piibench_duck.interchange import tables, writing

_COUNTS = ("tp", "fp", "fn", "touched", "excluded", "n_rows", "n_rows_missing")
_RATIOS = ("precision", "recall", "f1", "touch_rate")
_SCAFFOLD = ("lookalike", "lookalike_touched", "scaffold_fp")


def write(con: warehouse.Connection, run: str, folder: Path, provenance: Mapping[str, Any], seconds: float) -> None:
    """Write a run's result. `result.json` comes last, so that whoever reads it finds the rest.

    Everything but `meta.json` is the same bytes for the same rows and predictions, on every machine.
    """
    folder.mkdir(parents=True, exist_ok=True)
    described = _described(con, run)
    ran = described["status"] == "ran"
    where = f"run_id = {warehouse.quoted(run)}"
    if ran:
        warehouse.write(
            con,
            f"select * exclude (run_id) from intermediate.row_counts where {where}",
            folder / "row_counts.parquet",
            {},
        )
        writing.write_predictions(folder / "predictions.parquet", _predictions(con, where))
    else:
        for name in ("row_counts.parquet", "predictions.parquet"):
            (folder / name).unlink(missing_ok=True)
    write_json(folder / "meta.json", _meta(described, seconds))
    write_json(folder / "result.json", result(con, run, provenance) if ran else _not_run(described, provenance))


def result(con: warehouse.Connection, run: str, provenance: Mapping[str, Any]) -> dict[str, Any]:
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
        "n_rows": mean["n_rows"],
        "n_rows_missing": mean["n_rows_missing"],
        "n_duplicate_spans": mean["n_duplicate_spans"],
        "_provenance": {**provenance, **_model(described)},
    }


def shared_provenance(con: warehouse.Connection, known: Mapping[str, Any]) -> dict[str, Any]:
    """What `_provenance` says of every run of one scoring: what is known, and the digests of rows, map and taxonomy."""
    digest = warehouse.rows_of(con, "select * from marts.rows_digest")[0]
    return {
        **known,
        "rows_digest": digest["rows_digest"],
        "n_duplicate_gold_spans": _duplicate_gold(con),
        "label_map_digest": warehouse.content_digest(con, "select * from contracts.label_map"),
        "taxonomy_digest": warehouse.content_digest(con, "select * from contracts.taxonomy"),
        "piibench_duck": version("piibench-duck"),
    }


def _not_run(described: Mapping[str, Any], provenance: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "model": described["run_id"],
        "kind": described["kind"],
        "status": "not_run",
        "why": described["why"],
        "_provenance": {**provenance, **_model(described)},
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


def _duplicate_gold(con: warehouse.Connection) -> int:
    """Gold spans of the rows that count which were there already."""
    found = con.sql(
        "select (select count(*) from contracts.gold_spans as spans inner join staging.rows as rows "
        "on spans.row_id = rows.row_id) - (select count(*) from staging.gold_spans)"
    )
    return int(found.fetchall()[0][0])


def _predictions(con: warehouse.Connection, where: str) -> tables.Predictions:
    def columns(names: tuple[str, ...], table: str) -> tables.Columns:
        found = con.sql(f"select {', '.join(names)} from contracts.{table} where {where}").fetchall()
        return {name: list(values) for name, values in zip(names, zip(*found, strict=True), strict=False)} or {
            name: [] for name in names
        }

    return tables.Predictions(
        columns(tables.RUN_ROW_COLUMNS, "run_rows"), columns(tables.PRED_COLUMNS, "pred_spans"), (), ""
    )


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
    """The result in one run's folder."""
    found: dict[str, Any] = json.loads((folder / "result.json").read_text("utf-8"))
    return found


def read_board(folder: Path) -> list[dict[str, Any]]:
    """All results of a board, the highest mean F1 first, what has none after, what was not run last."""
    found = [read_result(path.parent) for path in sorted(folder.glob("*/result.json"))]

    def rank(one: Mapping[str, Any]) -> tuple[bool, bool, float, str]:
        f1 = one["scores"]["mean"]["f1"] if one["status"] == "ran" else None
        return one["status"] != "ran", f1 is None, -(f1 or 0.0), one["model"]

    return sorted(found, key=rank)
