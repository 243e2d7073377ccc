"""Other tools' predictions brought into a board as a run, beside those that the board's own runners make."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piibench_duck import boards, door, label_maps, left_open, predict, warehouse
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange import iob, tab
from piibench_duck.interchange.keys import PREDICTION, keys_read
from piibench_duck.interchange.records import check_rereadable
from piibench_duck.interchange.tables import PRED_COLUMNS, RUN_ROW_COLUMNS, Columns, Predictions, append, empty
from piibench_duck.json_types import word
from piibench_duck.names import may_be_told
from piibench_duck.offsets import OffsetUnit
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("auto", "jsonl", "tab")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # of files and folders on any system


class Imported(NamedTuple):
    """What a file brought, and what it left open of the rows that count."""

    n_rows: int
    n_spans: int
    n_ranked: int  # rows that the board ranks on
    n_missing: int  # of them, not answered
    designs: list[left_open.OpenRows]  # each of a built board that is answered in part or not at all
    unexplained: dict[str, int]  # labels that no map names, with their spans
    unused: list[str]  # labels that were explained and that no span has


class _Piece(NamedTuple):
    """A row as a part of its document."""

    row_id: str
    corpus: str
    start: int  # in the document
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class _Documents(NamedTuple):
    """What masks by document can answer."""

    pieces: Mapping[str, Sequence[_Piece]]  # in their order, by each name that a file may use
    texts: Mapping[str, str]  # by the same names
    corpora: Mapping[str, str]  # by row_id, of all rows that documents consist of
    unplaced: frozenset[str]  # names of documents of which nobody can say where their rows lie


def import_run(
    board: Board,
    protocol: Protocol,
    path: Path,
    name: str,
    kind: str = "auto",
    unit: OffsetUnit = "codepoint",
    key_map: Mapping[str, str] | None = None,
    note: str | None = None,
    allow_missing: bool = False,
    labels: Mapping[str, str] | None = None,
) -> Imported:
    """Write the predictions of a file, of one of `FORMATS`, as the run `name`, in place of one imported before.

    `labels` are types of the taxonomy, or `ignored`, by what the file calls them; the run keeps them.

    Refused where the file is, and, unless allowed, where it leaves out rows that it could have answered: those that the
    board ranks on, or of TAB's masks the documents of the corpora that it answers. Nothing is written then.
    """
    boards.require_built(board.warehouse, board.name)
    _check_name(board, protocol, name)
    check_rereadable(path)
    boards.sweep(board.warehouse)
    kind = _kind(path, key_map or {}) if kind == "auto" else kind
    labels = labels or {}
    if kind == "tab" and key_map:
        raise WrongUsageError("--map goes with a predictions file, not with masks by document")
    with predict.held(board.warehouse / "chunks" / name):
        con = warehouse.connect()
        boards.verify(con, board.warehouse, (*boards.kept_tables(), *warehouse.RUN_TABLES))
        warehouse.attach(con, board.warehouse, [name])
        if con.sql("select 1 from contracts.runs where kind <> 'file'").fetchall():
            raise PiibenchError(f"run {name!r} of board {board.name!r} was not imported; another name was expected")
        left_open.check_types(con, labels)
        plan = board_plan(board, protocol)
        ranked = _row_ids(con, plan.ranked if plan else None)
        if kind == "tab":
            answers = _of_masks(con, path, unit, plan.documents if plan else None)
            left_out: Sequence[str] = answers.missing_row_ids
        else:
            answers = _of_predictions(con, path, unit, key_map or {})
            left_out = sorted(ranked.intersection(answers.missing_row_ids))
        if left_out and not allow_missing:
            why = "the file has no line for it" if kind != "tab" else "the file does not name its document"
            why += "; --allow-missing leaves it open"
            texts = dict(con.sql("select row_id, text from contracts.rows order by row_id").fetchall())
            raise door.Refused(door.missing_rows(path, left_out, texts, why), listed_by=None)
        answered = answers.run_rows["row_id"]
        inputs = boards.row_inputs(con, board.warehouse, answered)
        line = _line(path, name, kind, note, answers.sha256, labels)
        boards.write_run(board.warehouse, line, _tables(name, answers), inputs)
        designs = left_open.rows(con, plan, answered)
    n_missing = len(ranked.difference(answered))
    found = answers.pred_spans["source_label"]
    unused = [label for label in labels if label not in set(found)]
    return Imported(
        *(len(answered), len(found), len(ranked), n_missing, designs), _unexplained(board, protocol, name, kind), unused
    )


def _unexplained(board: Board, protocol: Protocol, name: str, kind: str) -> dict[str, int]:
    con = warehouse.connect()
    label_maps.fill(con, board, protocol)
    warehouse.attach(con, board.warehouse, [name], keep=("taxonomy", "label_map"))
    found = left_open.unexplained(con)
    # A mask says nothing of the type.
    return {label: n_spans for label, n_spans in found.items() if kind != "tab" or label != iob.MASK}


def _check_name(board: Board, protocol: Protocol, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise PiibenchError(f"run name {name!r}: letters, digits, and - _ . behind the first of them were expected")
    if name in protocol.runs:
        raise PiibenchError(f"run {name!r} is one that protocol.toml defines; another name was expected")
    if (board.results / name).exists() and not (board.results / name).is_dir():
        raise PiibenchError(f"run name {name!r}: a file of the board's results is called so; another was expected")


def _kind(path: Path, key_map: Mapping[str, str]) -> str:
    """`tab` where a file is one JSON object and not a line of predictions, `jsonl` (or Parquet) for all else."""
    try:
        found = path.read_bytes()
    except OSError as error:
        raise PiibenchError(f"{path}: cannot be read ({error.strerror or type(error).__name__})") from error
    try:
        value = json.loads(found)
    except (ValueError, RecursionError):  # Parquet, several lines, or what the door will refuse
        return "jsonl"
    if not isinstance(value, dict):
        raise PiibenchError(
            f"{path}: is {word(value)}; predictions, an object with id and spans on each line, or masks, one object of "
            "documents, were expected (gold goes through `piibench-duck convert`)"
        )
    ids = keys_read({"id": PREDICTION["id"]}, key_map)
    is_masks = not any(isinstance(value.get(key), str) for key in ids)
    return "tab" if is_masks else "jsonl"


def _row_ids(con: warehouse.Connection, design: str | None) -> set[str]:
    """Rows of a design; all where none is named."""
    found = con.sql(
        "select row_id from contracts.rows "
        "where $design is null or row_id in (select row_id from contracts.designs where design = $design)",
        params={"design": design},
    ).fetchall()
    return {row_id for (row_id,) in found}


def _of_predictions(con: warehouse.Connection, path: Path, unit: OffsetUnit, key_map: Mapping[str, str]) -> Predictions:
    texts = dict(con.sql("select row_id, text from contracts.rows order by row_id").fetchall())
    return door.read_predictions(path, texts, unit, key_map, allow_missing=True)


def _of_masks(con: warehouse.Connection, path: Path, unit: OffsetUnit, design: str | None) -> Predictions:
    """Masks on the rows that make up their documents, cut at the rows' ends."""
    documents = _documents(con, design)
    try:
        masks = tab.read_masked(path, documents.texts, unit)
    except door.Refused as refused:
        for finding in refused.findings:
            if finding.row_id in documents.unplaced:
                raise PiibenchError(
                    f"{path}: document {finding.row_id!r} is several rows of the board, "
                    "whose passage_start does not say where in it they lie"
                ) from None
        raise
    spans: dict[str, list[tuple[int, int, str]]] = {}
    for name, start, end, label, _ in zip(*masks.pred_spans.values(), strict=True):
        spans.setdefault(name, []).append((start, end, label))
    run_rows, pred_spans = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)
    corpora: dict[str, str] = {}  # of the rows that are answered
    for name, _, n_seen in zip(*masks.run_rows.values(), strict=True):
        for piece in documents.pieces[name]:
            if piece.row_id in corpora:
                named = repr(name) if may_be_told(name) else "whose id may be text"
                raise PiibenchError(f"{path}: document {named} stands twice, under two of its names")
            corpora[piece.row_id] = piece.corpus
            n_here = min(max(n_seen - piece.start, 0), len(piece.text))
            append(run_rows, piece.row_id, "ok" if n_here == len(piece.text) else "truncated", n_here)
            for start, end, label in spans.get(name, ()):
                first, last = max(start, piece.start), min(end, piece.end)
                if first < last:
                    append(pred_spans, piece.row_id, first - piece.start, last - piece.start, label, None)
    asked = set(corpora.values()) or set(documents.corpora.values())
    missing = [row_id for row_id, corpus in documents.corpora.items() if corpus in asked and row_id not in corpora]
    return Predictions(run_rows, pred_spans, sorted(missing), masks.sha256)


def _documents(con: warehouse.Connection, design: str | None) -> _Documents:
    """Documents of a board: those of the design that holds them whole, or of one's own board as its rows say.

    A document's id, also without its source before it, names all of its rows, those in prose where it comes in carriers
    too. What is no document's id may be a row's.
    """
    found = con.sql(
        "select source, doc_id, carrier, row_id, corpus, passage_start, text from contracts.rows "
        "where $design is null or row_id in (select row_id from contracts.designs where design = $design) "
        "order by passage_start, row_id",
        params={"design": design},
    ).fetchall()
    by_document: dict[tuple[str, str], dict[bool, list[_Piece]]] = {}
    for source, doc_id, carrier, *piece in found:
        of_document = by_document.setdefault((source, doc_id), {True: [], False: []})
        of_document[carrier == "prose"].append(_Piece(*piece))
    pieces: dict[str, Sequence[_Piece]] = {}
    corpora: dict[str, str] = {}
    unplaced: set[str] = set()
    for (source, doc_id), of_document in by_document.items():
        whole = of_document[True] or of_document[False]
        corpora.update((piece.row_id, piece.corpus) for piece in whole)
        is_placed = all(before.end <= piece.start for before, piece in pairwise(whole))
        for name in {doc_id, doc_id.removeprefix(f"{source}/")}:
            if is_placed and name not in pieces and name not in unplaced:
                pieces[name] = whole
            else:  # nobody can say where in it a row lies, or which of two documents is meant
                pieces.pop(name, None)
                unplaced.add(name)
    for line in found:
        row = _Piece(*line[3:])
        if row.row_id not in pieces:
            pieces[row.row_id] = [row._replace(start=0)]
    texts = {name: _text(whole) for name, whole in pieces.items()}
    return _Documents(pieces, texts, corpora, frozenset(unplaced - pieces.keys()))


def _text(pieces: Sequence[_Piece]) -> str:
    """The document as far as its rows have it; white space where they leave something out."""
    text = ""
    for piece in pieces:
        text += " " * (piece.start - len(text)) + piece.text
    return text


def _line(path: Path, name: str, kind: str, note: str | None, sha256: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """The line of a run of which only its predictions are known."""
    if kind != "tab":
        with path.open("rb") as file:
            kind = "parquet" if file.read(4) == b"PAR1" else "jsonl"
    settings = [("file_sha256", sha256), ("format", kind), *left_open.settings(labels)]
    digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest() if labels else sha256
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
