"""The counts of a result computed again from its predictions, where the rows of its board are there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piibench_duck import bare_runs, boards, label_maps, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol

_KEPT = ("taxonomy", "label_map", "runs", "run_rows", "pred_spans", "timings")
_ANSWERS = """
insert into contracts.run_rows by name
select runs.run_id, found.id as row_id, if(found.chars_seen is null, 'ok', 'truncated') as status,
    coalesce(found.chars_seen, 0) as chars_seen
from main.predictions as found
cross join contracts.runs as runs;
insert into contracts.pred_spans by name
select
    runs.run_id, found.row_id, found.span.start as start_char, found.span."end" as end_char,
    found.span.label as source_label, found.span.score as score
from (select id as row_id, unnest(spans) as span from main.predictions) as found
cross join contracts.runs as runs;
"""
_OTHERS = """
with
    given as (select * from main.row_counts),
    found as (select * exclude (run_id) from intermediate.row_counts)
select row_id from ((from given except all from found) union all (from found except all from given))
group by row_id order by row_id
"""


def why_not(board: Board) -> str | None:
    """Why predictions cannot be scored again here; None where they can."""
    try:
        boards.require_built(board.warehouse, board.name)
    except PiibenchError as error:
        return str(error)
    return None


def differences(board: Board, protocol: Protocol, folder: Path, said: Mapping[str, Any]) -> list[str]:
    """Where counts or digest are others than the board's rows and the run's predictions give, a line each."""
    con = warehouse.connect()
    label_maps.fill(con, board, protocol)
    boards.verify(con, board.warehouse, boards.kept_tables(), [])
    warehouse.attach(con, board.warehouse, [], keep=_KEPT)
    settings = {"design": said["_provenance"]["design"], "seed": 0, "replicates": 1}
    warehouse.fill(con, "settings", {name: [value] for name, value in settings.items()})
    bare_runs.fill(con, said["model"])
    for name in ("predictions", "row_counts"):
        warehouse.create_from_parquet(con, f"main.{name}", folder / f"{name}.parquet")
    try:
        con.execute(_ANSWERS)
        warehouse.derive(con, ["intermediate.row_counts", "marts.rows_digest"])
        others = con.sql(_OTHERS).fetchall()
        digest = warehouse.one_value(con, "select rows_digest from marts.rows_digest")
    except RuntimeError as error:
        boards.refuse_broken(board.warehouse, error)
        raise
    found = []
    if others:
        found.append(
            f"row_counts.parquet: {len(others)} rows have other counts than predictions.parquet gives, "
            f"the first of them {others[0][0]!r}"
        )
    if digest != said["_provenance"]["rows_digest"]:
        found.append("_provenance.rows_digest is not that of the board's rows")
    return found
