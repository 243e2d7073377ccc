"""Small boards in memory: rows, gold and runs as plain values, filled into an empty DuckDB."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from piibench_duck import warehouse


class Gold(NamedTuple):
    """An annotated span; its role is the label map's where it is None."""

    start: int
    end: int
    label: str = "PERSON"
    role: str | None = None
    identifier_type: str | None = None
    entity_id: str | None = None
    annotator: str | None = None


class Pred(NamedTuple):
    """A predicted span."""

    start: int
    end: int
    label: str = "PERSON"
    score: float | None = None


class Stretch(NamedTuple):
    """An alignment of a row."""

    wire_start: int
    wire_end: int
    kind: str = "copied"
    passage_start: int | None = None
    passage_end: int | None = None
    value_index: int | None = 0  # a lookalike has none


class Row(NamedTuple):
    """A text with its gold; a document of its own unless told otherwise."""

    row_id: str
    text: str
    gold: Sequence[Gold] = ()
    corpus: str = "one"
    doc_id: str | None = None
    carrier: str = "prose"
    language: str = "en"
    alignments: Sequence[Stretch] = ()
    in_design: bool = True
    in_pairs: bool = True
    in_documents: bool = True
    passage_start: int = 0
    slices: Mapping[str, str] = {}
    passage_id: str | None = None  # what stands before the @ of the row's id unless told otherwise


class Answer(NamedTuple):
    """What a run says of a row."""

    spans: Sequence[Pred] = ()
    status: str = "ok"


class Run(NamedTuple):
    """A run, its answers by row id; a row that is not there was not answered."""

    run_id: str
    answers: Mapping[str, Answer] = {}
    status: str = "ran"
    label_namespace: str = "*"


def connect(
    rows: Sequence[Row],
    runs: Sequence[Run],
    design: str | None = None,
    seed: int = 0,
    replicates: int = 10,
    threads: int = 1,
    pairs_design: str | None = None,
    documents_design: str | None = None,
    **further: object,
) -> warehouse.Connection:
    """The board's contracts, filled; nothing derived yet. `further` are other settings."""
    con = warehouse.connect(threads)
    warehouse.fill_seeds(con)
    settings = {"design": design, "pairs_design": pairs_design, "documents_design": documents_design}
    settings |= {"seed": seed, "replicates": replicates, "allow_missing": True, **further}
    fill(con, "settings", [settings])
    fill(con, "rows", [row_line(row) for row in rows])
    fill(con, "gold_spans", [line for row in rows for line in gold_lines(row)])
    fill(con, "alignments", [line for row in rows for line in alignment_lines(row)])
    if design is not None:
        fill(con, "designs", [{"design": design, "row_id": row.row_id} for row in rows if row.in_design])
    if pairs_design is not None:
        fill(con, "designs", [{"design": pairs_design, "row_id": row.row_id} for row in rows if row.in_pairs])
    if documents_design is not None:
        fill(con, "designs", [{"design": documents_design, "row_id": row.row_id} for row in rows if row.in_documents])
    fill(con, "runs", [run_line(run) for run in runs])
    fill(con, "run_rows", [line for run in runs for line in answer_lines(run, rows)])
    fill(con, "pred_spans", [line for run in runs for line in pred_lines(run)])
    return con


def fill(con: warehouse.Connection, table: str, lines: Sequence[Mapping[str, Any]]) -> None:
    """Append lines, which all have the same columns."""
    if lines:
        warehouse.fill(con, table, {name: [line[name] for line in lines] for name in lines[0]})


def row_line(row: Row) -> dict[str, Any]:
    """A line of contracts.rows."""
    return {
        "row_id": row.row_id,
        "corpus": row.corpus,
        "source": row.corpus,
        "split": "all",
        "doc_id": row.doc_id or row.row_id,
        "passage_id": row.passage_id or row.row_id.split("@")[0],
        "passage_start": row.passage_start,
        "language": row.language,
        "carrier": row.carrier,
        "licence": "CC0-1.0",
        "text": row.text,
        "n_chars": len(row.text),
        "slices": sorted(row.slices.items()),
    }


def gold_lines(row: Row) -> list[dict[str, Any]]:
    """Lines of contracts.gold_spans."""
    return [
        {
            "row_id": row.row_id,
            "span_id": span_id,
            "start_char": span.start,
            "end_char": span.end,
            "surface": row.text[span.start : span.end],
            "source_label": span.label,
            "role": span.role,
            "entity_id": span.entity_id,
            "identifier_type": span.identifier_type,
            "annotator": span.annotator,
        }
        for span_id, span in enumerate(row.gold)
    ]


def alignment_lines(row: Row) -> list[dict[str, Any]]:
    """Lines of contracts.alignments."""
    return [
        {
            "row_id": row.row_id,
            "interval_index": index,
            **stretch._asdict(),
            "value_index": None if stretch.kind == "lookalike" else stretch.value_index,
        }
        for index, stretch in enumerate(row.alignments)
    ]


def run_line(run: Run) -> dict[str, Any]:
    """A line of contracts.runs."""
    return {
        "run_id": run.run_id,
        "status": run.status,
        "kind": "rules",
        "runner": "rules",
        "label_namespace": run.label_namespace,
        "settings": [],
        "settings_digest": "",
        "machine": [],
    }


def answer_lines(run: Run, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Lines of contracts.run_rows."""
    lengths = {row.row_id: len(row.text) for row in rows}
    return [
        {"run_id": run.run_id, "row_id": row_id, "status": answer.status, "chars_seen": lengths.get(row_id, 0)}
        for row_id, answer in run.answers.items()
    ]


def pred_lines(run: Run) -> list[dict[str, Any]]:
    """Lines of contracts.pred_spans."""
    return [
        {
            "run_id": run.run_id,
            "row_id": row_id,
            "start_char": span.start,
            "end_char": span.end,
            "source_label": span.label,
            "score": span.score,
        }
        for row_id, answer in run.answers.items()
        for span in answer.spans
    ]
