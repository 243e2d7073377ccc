"""Masks by document on the rows of a board that make up their documents."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from piibench_duck import door, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tab
from piibench_duck.interchange.tables import PRED_COLUMNS, RUN_ROW_COLUMNS, Predictions, append, empty
from piibench_duck.names import may_be_told
from piibench_duck.offsets import OffsetUnit


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


def read(con: warehouse.Connection, path: Path, unit: OffsetUnit, design: str | None) -> Predictions:
    """Masks of a file on the rows that make up their documents, of a design if one is named, cut at the rows' ends."""
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
