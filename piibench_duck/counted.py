"""Results opened by their counts: the integers of each row, without any warehouse or text, ready to be derived from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piibench_duck import bare_runs, warehouse
from piibench_duck.errors import PiibenchError

COUNTS = "row_counts.parquet"
_TEXTS = ("row_id", "passage_id", "doc_id", "corpus", "carrier", "language")
_INTEGERS = (
    *("tp", "fp", "fn", "touched", "excluded", "lookalike", "lookalike_touched", "scaffold_fp"),
    *("n_rows_missing", "n_duplicate_spans"),
)
_COLUMNS = {
    **dict.fromkeys(_TEXTS, "VARCHAR"),
    **dict.fromkeys(_INTEGERS, "BIGINT"),
    "by_type": 'STRUCT("type" VARCHAR, tp BIGINT, fn BIGINT)[]',
}
"""Columns of the counts: deriving the relation to look at them would take longer than opening a board."""

_LIKE_ROWS = (
    "(row_number() over (order by row_id))::bigint as row_key, row_id, corpus, null::varchar as source, "
    "null::varchar as split, doc_id, passage_id, null::bigint as passage_start, language, carrier, "
    "null::varchar as licence, null::varchar as text, null::bigint as n_chars, "
    "map([]::varchar[], []::varchar[]) as slices"
)


def open_results(
    folders: Mapping[str, Path], results: Mapping[str, Mapping[str, Any]], seed: int, replicates: int
) -> warehouse.Connection:
    """The runs of these result folders as `staging.runs`, their rows as `staging.rows` and `intermediate.row_counts`.

    Raises `PiibenchError` where a folder has no counts, or where they are of other rows than those of the first.
    """
    con = warehouse.connect()
    settings = {
        "tab_rules": "corrected",
        "weights": "unigram",
        "allow_missing": True,
        "seed": seed,
        "replicates": replicates,
    }
    warehouse.fill(con, "settings", {name: [value] for name, value in settings.items()})
    for run, result in results.items():
        try:
            bare_runs.fill(con, run, **_said(result))
        except (warehouse.Error, KeyError, TypeError, ValueError, AttributeError):
            name = folders[run].name if run in folders else run
            raise PiibenchError(f"{name}/result.json says of its run what no run is; score the run again") from None
    for run, folder in folders.items():
        if not (folder / COUNTS).is_file():
            raise PiibenchError(f"{folder.name}/{COUNTS} is not there; score the run again")
        warehouse.create_from_parquet(con, "main.of_one", folder / COUNTS)
        if con.sql("select column_name, column_type from (describe main.of_one)").fetchall() != [*_COLUMNS.items()]:
            raise PiibenchError(f"{folder.name}/{COUNTS} has other columns than `score` writes; score the run again")
        kind = "create table" if run == next(iter(folders)) else "insert into"
        told = "as" if kind == "create table" else ""
        con.execute(
            f"{kind} intermediate.row_counts {told} select {warehouse.quoted(run)} as run_id, * from main.of_one"
        )
        con.execute("drop table main.of_one")
    _refuse_other_rows(con)
    con.execute(f"create table staging.rows as select {_LIKE_ROWS} from ({_OF_FIRST})")
    return con


_OF_FIRST = "select * from intermediate.row_counts where run_id = (select min(run_id) from intermediate.row_counts)"


def _refuse_other_rows(con: warehouse.Connection) -> None:
    """Every run has counts of the same rows, each once, and of the same gold."""
    same = "row_id, corpus, doc_id, passage_id, carrier, language, tp + fn, excluded"
    found = con.sql(
        "select run_id, count(*), count(distinct row_id), "
        f"sha256(coalesce(string_agg(sha256(row({same})::varchar), '' order by row_id), '')) "
        "from intermediate.row_counts group by run_id order by run_id"
    ).fetchall()
    for run, n_rows, n_ids, digest in found:
        if n_rows != n_ids:
            raise PiibenchError(f"{run}/{COUNTS} has a row twice; score the run again")
        if digest != found[0][3]:
            raise PiibenchError(f"{run}/{COUNTS} is of other rows or other gold than {found[0][0]}/{COUNTS}")


def _said(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a result says of its run, by column of `contracts.runs`."""
    of = result["_provenance"]
    named = ("runner_version", "is_pinned", "weights_sha256", "artefact", "licence", "credit", "publisher")
    return {
        "status": result["status"],
        "why": result.get("why"),
        "kind": result["kind"],
        "runner": of.get("runner") or "file",
        "model": of.get("model_id"),
        "revision": of.get("model_revision"),
        "settings": list((of.get("settings") or {}).items()),
        "settings_digest": of.get("settings_digest") or "",
        "steered": None if of.get("steered") is None else list(of["steered"].items()),
        **{name: of.get(name) for name in (*named, "recipe", "training_seed", "conflict_of_interest", "note")},
    }
