"""Files of other tools read; and rows, gold and runs handed to a writer of another tool's format."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import boards, door, query, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import formats, guessing, tab
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    GOLD_COLUMNS,
    PRED_COLUMNS,
    ROW_COLUMNS,
    RUN_ROW_COLUMNS,
    Predictions,
    Rows,
    append,
    append_alignments,
    append_gold,
    append_row,
    empty,
)
from piibench_duck.offsets import OffsetUnit
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol

_ROWS = """
    select bench.*, rows.source, rows.split, rows.passage_start, rows.licence, rows.slices
    from marts.bench_rows as bench
    inner join contracts.rows as rows on bench.id = rows.row_id
    order by bench.id
"""


class Given(NamedTuple):
    """Rows with their gold, and runs over them by name."""

    rows: Rows
    runs: Mapping[str, Predictions]


def gold(file: Path, kind: str, unit: OffsetUnit) -> tuple[Rows, str | None]:
    """Gold of a file, and what its reader should be warned of. Raises `door.Refused`."""
    with guessing.hinted(file, kind, "read_rows"):
        known = guessing.of_gold(file) if kind == guessing.AUTO else kind
        reader = formats.rows_reader(known)
        if known != "tab" or unit != "codepoint":
            return reader(file, unit), None
        found = tab.read_gold(file)
        return tab.as_rows(found), tab.surface_warning(found)


def predictions(file: Path, kind: str, rows: Path, unit: OffsetUnit, allow_missing: bool) -> Predictions:
    """Answers of a file to those rows. Raises `door.Refused`, also for rows left out unless allowed."""
    reader = formats.reader(kind) if kind != guessing.AUTO else None
    texts = door.read_rows(rows).texts
    with guessing.hinted(file, kind, "read"):
        answered = (reader or formats.reader(guessing.of_predictions(file, {})))(file, texts, unit)
    if answered.missing_row_ids and not allow_missing:
        why = "the file does not answer it; --allow-missing leaves it out"
        raise door.Refused(door.missing_rows(file, answered.missing_row_ids, texts, why), listed_by=None)
    return answered


def of_board(board: Board, protocol: Protocol, runs: Sequence[str]) -> Given:
    """The rows that a board ranks on with gold under our types, and what these runs predicted on them."""
    boards.require_built(board.warehouse, board.name)
    there = boards.run_names(board.warehouse)
    for name in runs:
        if name not in there:
            raise PiibenchError(f"no run {name!r} on board {board.name!r}; there are {', '.join(there) or 'none'}")
    con = query.open_locked(board, protocol, list(runs), wanted=["marts.bench_rows"])
    rows, gold, alignments = empty(ROW_COLUMNS), empty(GOLD_COLUMNS), empty(ALIGNMENT_COLUMNS)
    for line in query.select(con, _ROWS).to_pylist():
        line["slices"] = dict(line["slices"] or ())
        append_row(rows, line)
        append_gold(gold, line)
        append_alignments(alignments, line)
    wanted = set(rows["row_id"])
    found = {name: _of_run(con, name, wanted) for name in runs}
    return Given(Rows(rows, gold, alignments, ""), found)


def _of_run(con: Any, name: str, wanted: set[str]) -> Predictions:
    run_rows, spans = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)
    for columns, table in ((run_rows, "run_rows"), (spans, "pred_spans")):
        select = (
            f"select {', '.join(columns)} from contracts.{table} where run_id = {warehouse.quoted(name)} order by all"
        )
        for line in query.cells(query.select(con, select)):
            if line[0] in wanted:
                append(columns, *line)
    answered = set(run_rows["row_id"])
    return Predictions(run_rows, spans, sorted(wanted - answered), "")


def write(out: Path, to: str, given: Given) -> Mapping[str, int]:
    """Write what was given in a format; how many spans are not in it, by reason.

    Raises `PiibenchError` where `out` is there already as a folder that holds anything, or cannot be written.
    """
    if out.is_dir() and any(out.iterdir()):
        raise PiibenchError(f"{out}: a folder that holds something; a new or an empty one was expected")
    try:
        lost = formats.writer(to)(out, given.rows, given.runs)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise PiibenchError(
            f"{out}: cannot be written ({why}); a place in a folder that exists was expected"
        ) from error
    return {reason: n_spans for reason, n_spans in lost.items() if n_spans}


def held_back(to: str, given: Given) -> list[str]:
    """What to say before a folder for the hub is shared: corpora whose licence does not surely let one."""
    if to != "hub-folder":
        return []
    from piibench_duck.interchange.hub_folder import terms

    return [
        f"corpus {one.corpus} ({one.licence}), {one.n_rows} rows: may be shared: {one.sharing}; ask before you share"
        for one in terms(given.rows)
        if not one.is_free
    ]
