"""Other tools' predictions brought into a board as a run, beside those that the board's own runners make."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piibench_duck import boards, door, label_maps, left_open, masks, predict, warehouse
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange import formats, guessing, iob
from piibench_duck.interchange.guessing import AUTO
from piibench_duck.interchange.records import check_rereadable
from piibench_duck.interchange.tables import Columns, Predictions
from piibench_duck.interchange.taking import UncountedError
from piibench_duck.offsets import OffsetUnit
from piibench_duck.places import Board
from piibench_duck.protocol import BoardPlan, Protocol, board_plan

if TYPE_CHECKING:
    import pyarrow as pa

_OWN = ("jsonl", "parquet", "tab")  # of which the file alone says all that there is to say
_UNTYPED = ("tab", "redacted")  # whose MASK says nothing of the type
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # of files and folders on any system


class Checked(NamedTuple):
    """What a file would bring as a run, of a board that is not changed."""

    answers: Predictions
    designs: list[left_open.OpenRows]  # each of a built board that is answered in part or not at all
    unexplained: dict[str, int]  # labels that no map names, with their spans


class Imported(NamedTuple):
    """What a file brought, and what it left open of the rows that count."""

    n_rows: int
    n_spans: int
    n_ranked: int  # rows that the board ranks on
    n_missing: int  # of them, not answered
    designs: list[left_open.OpenRows]  # each of a built board that is answered in part or not at all
    unexplained: dict[str, int]  # labels that no map names, with their spans
    unused: list[str]  # labels that were explained and that no span has


class _Asked(NamedTuple):
    """A board as a file that answers it may need it."""

    con: warehouse.Connection
    texts: Mapping[str, str]  # of all rows, by row_id
    documents: str | None  # the design of whole documents
    orders: Sequence[Sequence[str]]  # rows that answers without ids may stand for


class _Source(NamedTuple):
    """Where answers come from."""

    path: Path
    kind: str  # the format
    read: Callable[[_Asked], Predictions]


def import_run(
    board: Board,
    protocol: Protocol,
    path: Path,
    name: str,
    kind: str = AUTO,
    unit: OffsetUnit = "codepoint",
    key_map: Mapping[str, str] | None = None,
    note: str | None = None,
    allow_missing: bool = False,
    labels: Mapping[str, str] | None = None,
) -> Imported:
    """Write the predictions of a file as the run `name`, in place of one imported before.

    `kind` is a format that predictions are read from, or `auto`, which tells PII Bench's files and TAB's masks apart.
    `labels` are types of the taxonomy, or `ignored`, by what the file calls them; the run keeps them.

    Refused where the file is, and, unless allowed, where it leaves out rows that it could have answered: those that the
    board ranks on, or of TAB's masks the documents of the corpora that it answers. Nothing is written then.
    """
    check_rereadable(path)
    boards.require_built(board.warehouse, board.name)
    with guessing.hinted(path, kind, "read"):
        source = _source(path, kind, unit, key_map or {})
        return write_run(board, protocol, name, source, note, allow_missing, labels or {})


def check(
    board: Board,
    protocol: Protocol,
    path: Path,
    kind: str = AUTO,
    unit: OffsetUnit = "codepoint",
    key_map: Mapping[str, str] | None = None,
) -> Checked:
    """What `import_run` would take of a file, or refuse; nothing is written."""
    check_rereadable(path)
    boards.require_built(board.warehouse, board.name)
    with guessing.hinted(path, kind, "read"):
        source = _source(path, kind, unit, key_map or {})
        con = warehouse.connect()
        boards.verify(con, board.warehouse, (*boards.kept_tables(), *warehouse.RUN_TABLES))
        warehouse.attach(con, board.warehouse, [])
        plan = board_plan(board, protocol)
        answers, _ = _answers(con, plan, source, allow_missing=False)
        line = _line(source, "checked", None, answers, {})
        designs = left_open.rows(con, plan, answers.run_rows["row_id"])
        return Checked(answers, designs, _unexplained(board, protocol, line, answers, source.kind))


def import_frame(
    board: Board,
    protocol: Protocol,
    frame: Any,
    name: str,
    unit: OffsetUnit = "codepoint",
    note: str | None = None,
    allow_missing: bool = False,
    labels: Mapping[str, str] | None = None,
    answered: Iterable[str] = (),
) -> Imported:
    """The same of a frame with a span on each line; `answered` are rows that were answered besides those in it."""
    from piibench_duck.interchange.frame import read_frame

    boards.require_built(board.warehouse, board.name)

    def read(asked: _Asked) -> Predictions:
        return read_frame(frame, asked.texts, unit, answered)

    return write_run(board, protocol, name, _Source(Path("frame"), "frame", read), note, allow_missing, labels or {})


def write_run(
    board: Board,
    protocol: Protocol,
    name: str,
    source: _Source,
    note: str | None,
    allow_missing: bool,
    labels: Mapping[str, str],
) -> Imported:
    """Write what a source says of a built board's rows as a run. Raises as `import_run` does."""
    _check_name(board, protocol, name)
    boards.sweep(board.warehouse)
    with predict.held(board.warehouse / "chunks" / name):
        con = warehouse.connect()
        boards.verify(con, board.warehouse, (*boards.kept_tables(), *warehouse.RUN_TABLES))
        warehouse.attach(con, board.warehouse, [name])
        if con.sql("select 1 from contracts.runs where kind <> 'file'").fetchall():
            raise PiibenchError(f"run {name!r} of board {board.name!r} was not imported; another name was expected")
        left_open.check_types(con, labels)
        plan = board_plan(board, protocol)
        answers, ranked = _answers(con, plan, source, allow_missing)
        answered = answers.run_rows["row_id"]
        inputs = boards.row_inputs(con, board.warehouse, answered)
        line = _line(source, name, note, answers, labels)
        boards.write_run(board.warehouse, line, _tables(name, answers), inputs)
        designs = left_open.rows(con, plan, answered)
    n_missing = len(ranked.difference(answered))
    found = answers.pred_spans["source_label"]
    unused = [label for label in labels if label not in set(found)]
    unexplained = _unexplained(board, protocol, line, answers, source.kind)
    return Imported(len(answered), len(found), len(ranked), n_missing, designs, unexplained, unused)


def _source(path: Path, kind: str, unit: OffsetUnit, key_map: Mapping[str, str]) -> _Source:
    """A file, and how it is read."""
    kind = guessing.of_predictions(path, key_map) if kind == AUTO else kind
    if key_map and kind != "jsonl":
        told = "masks by document" if kind == "tab" else f"a file of the format {kind}"
        raise WrongUsageError(f"--map goes with a predictions file, not with {told}")
    reader = formats.reader(kind)

    def read(asked: _Asked) -> Predictions:
        if kind == "tab":
            return masks.read(asked.con, path, unit, asked.documents)
        if kind == "jsonl":
            return door.read_predictions(path, asked.texts, unit, key_map, allow_missing=True)
        return _of_format(reader, path, asked, unit)

    return _Source(path, kind, read)


def _answers(
    con: warehouse.Connection, plan: BoardPlan | None, source: _Source, allow_missing: bool
) -> tuple[Predictions, set[str]]:
    """What a source says of the board in `con`, and the rows that the board ranks on."""
    texts = dict(con.sql("select row_id, text from contracts.rows order by row_id").fetchall())
    ranked = _row_ids(con, plan.ranked if plan else None)
    answers = source.read(_Asked(con, texts, plan.documents if plan else None, _orders(con, plan)))
    left_out: Sequence[str] = answers.missing_row_ids
    if source.kind != "tab":
        left_out = sorted(ranked.intersection(left_out))
    if left_out and not allow_missing:
        why = "the file has no line for it" if source.kind != "tab" else "the file does not name its document"
        why += "; --allow-missing leaves it open"
        raise door.Refused(door.missing_rows(source.path, left_out, texts, why), listed_by=None)
    return answers, ranked


def _of_format(reader: formats.Read, path: Path, asked: _Asked, unit: OffsetUnit) -> Predictions:
    """Answers by id, or in the order of as many rows as there are answers."""
    try:
        return reader(path, asked.texts, unit)
    except UncountedError:
        for order in asked.orders:
            try:
                taken = reader(path, {row_id: asked.texts[row_id] for row_id in order}, unit)
            except UncountedError:
                continue
            chosen = {*order}
            rest = [row_id for row_id in asked.texts if row_id not in chosen]
            return taken._replace(missing_row_ids=[*taken.missing_row_ids, *rest])
        raise


def _orders(con: warehouse.Connection, plan: BoardPlan | None) -> list[list[str]]:
    """Rows that answers without ids may stand for, beside all: what `marts.bench_texts` asks for, and what ranks."""
    if plan is None:
        return []
    asked = [plan.ranked, plan.pairs, plan.documents]
    select = "select distinct row_id from contracts.designs where design in (select unnest($designs)) order by row_id"
    found = [con.sql(select, params={"designs": designs}).fetchall() for designs in (asked, [plan.ranked])]
    return [[row_id for (row_id,) in rows] for rows in found]


def _unexplained(
    board: Board, protocol: Protocol, line: Mapping[str, Any], answers: Predictions, kind: str
) -> dict[str, int]:
    con = warehouse.connect()
    label_maps.fill(con, board, protocol)
    warehouse.fill(con, "runs", {name: [value] for name, value in line.items()})
    for spans in _tables(line["run_id"], answers)["pred_spans"]:
        warehouse.fill_arrow(con, "pred_spans", spans)
    found = left_open.unexplained(con)
    return {label: n_spans for label, n_spans in found.items() if kind not in _UNTYPED or label != iob.MASK}


def _check_name(board: Board, protocol: Protocol, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise PiibenchError(f"run name {name!r}: letters, digits, and - _ . behind the first of them were expected")
    if name in protocol.runs:
        raise PiibenchError(f"run {name!r} is one that protocol.toml defines; another name was expected")
    if (board.results / name).exists() and not (board.results / name).is_dir():
        raise PiibenchError(f"run name {name!r}: a file of the board's results is called so; another was expected")


def _row_ids(con: warehouse.Connection, design: str | None) -> set[str]:
    """Rows of a design; all where none is named."""
    found = con.sql(
        "select row_id from contracts.rows "
        "where $design is null or row_id in (select row_id from contracts.designs where design = $design)",
        params={"design": design},
    ).fetchall()
    return {row_id for (row_id,) in found}


def _line(
    source: _Source, name: str, note: str | None, answers: Predictions, labels: Mapping[str, str]
) -> dict[str, Any]:
    """The line of a run of which only its predictions are known."""
    kind = source.kind
    if kind == "jsonl":
        with source.path.open("rb") as file:
            kind = "parquet" if file.read(4) == b"PAR1" else "jsonl"
    settings = [("file_sha256", answers.sha256), ("format", kind), *answers.settings, *left_open.settings(labels)]
    is_told_by_file = kind in _OWN and not labels
    digest = answers.sha256 if is_told_by_file else hashlib.sha256(json.dumps(settings).encode()).hexdigest()
    return {
        **{"run_id": name, "status": "ran", "kind": "file", "runner": "file", "label_namespace": "*"},
        **{"settings": settings, "settings_digest": digest},
        **{"machine": [], "note": note},
    }


def _tables(name: str, answers: Predictions) -> "dict[str, list[pa.Table]]":
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    types: dict[str, pa.DataType] = {
        **{"run_id": text, "row_id": text, "status": text, "chars_seen": number},
        **{"start_char": number, "end_char": number, "source_label": text, "score": pa.float64()},
    }

    def table(columns: Columns) -> pa.Table:
        filled = {"run_id": [name] * len(columns["row_id"]), **columns}
        return pa.table({column: pa.array(values, types[column]) for column, values in filled.items()})

    return {"run_rows": [table(answers.run_rows)], "pred_spans": [table(answers.pred_spans)]}
