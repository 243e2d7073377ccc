"""Files from outside as columns: what the door hands on and what is written for other tools."""

from collections.abc import Mapping, Sequence
from sys import intern
from typing import Any, NamedTuple

Columns = dict[str, list[Any]]


class Rows(NamedTuple):
    """A rows file as columns of `contracts.rows`, `gold_spans`, `alignments` and `annotators`, in the file's order."""

    rows: Columns
    gold_spans: Columns
    alignments: Columns
    sha256: str  # of the bytes of the file
    annotators: Columns | None = None  # of `contracts.annotators`; None where no row names its own

    @property
    def tables(self) -> dict[str, Columns]:
        """What of it goes into which table of `contracts`."""
        named = {"annotators": self.annotators} if self.annotators else {}
        return {"rows": self.rows, "gold_spans": self.gold_spans, "alignments": self.alignments, **named}

    @property
    def texts(self) -> dict[str, str]:
        """row_id → text."""
        return dict(zip(self.rows["row_id"], self.rows["text"], strict=True))


class Predictions(NamedTuple):
    """A predictions file as columns of `contracts.run_rows` and `pred_spans` without `run_id`, in the file's order."""

    run_rows: Columns
    pred_spans: Columns
    missing_row_ids: Sequence[str]  # rows that the file does not answer, in the order of the rows
    sha256: str  # of the bytes of the file
    settings: Sequence[tuple[str, str]] = ()  # how the file was read, where that is more than its format


ROW_COLUMNS = (
    *("row_id", "corpus", "source", "split", "doc_id", "passage_id", "passage_start"),
    *("language", "carrier", "licence", "text", "n_chars", "slices"),
)
GOLD_COLUMNS = (
    *("row_id", "span_id", "start_char", "end_char", "surface", "source_label"),
    *("role", "entity_id", "identifier_type", "annotator"),
)
ALIGNMENT_COLUMNS = (
    *("row_id", "interval_index", "value_index", "wire_start", "wire_end"),
    *("passage_start", "passage_end", "kind"),
)
ANNOTATOR_COLUMNS = ("row_id", "annotator")
RUN_ROW_COLUMNS = ("row_id", "status", "chars_seen")
PRED_COLUMNS = ("row_id", "start_char", "end_char", "source_label", "score")


def empty(names: Sequence[str]) -> Columns:
    """No lines of these columns."""
    return {name: [] for name in names}


def append(columns: Columns, *values: object) -> None:
    """One more line, its values in the order of the columns."""
    for column, value in zip(columns.values(), values, strict=True):
        column.append(value)


def append_row(columns: Columns, row: Mapping[str, Any]) -> None:
    """A line of a rows file, with what it leaves out."""
    row_id, text = row["id"], row["text"]
    corpus = row.get("dataset") or "all"
    carrier = row.get("carrier") or "unknown"
    append(
        columns,
        row_id,
        corpus,
        row.get("source") or corpus,
        row.get("split") or "all",
        row.get("doc_id") or row_id,
        row.get("passage_id") or row_id.removesuffix(f"@{carrier}") or row_id,
        row.get("passage_start") or 0,
        row.get("language") or "und",
        carrier,
        row.get("licence") or "unknown",
        text,
        len(text),
        sorted((row.get("slices") or {}).items()),
    )


def append_gold(columns: Columns, row: Mapping[str, Any]) -> None:
    """The spans of a line of a rows file, scored and excluded."""
    scored, excluded = row["spans"], row.get("excluded", [])
    spans = scored + excluded
    columns["row_id"] += [row["id"]] * len(spans)
    columns["span_id"] += range(len(spans))
    columns["start_char"] += [span["start"] for span in spans]
    columns["end_char"] += [span["end"] for span in spans]
    columns["surface"] += [row["text"][span["start"] : span["end"]] for span in spans]
    columns["source_label"] += [intern(span["label"]) for span in spans]
    columns["role"] += ["scored"] * len(scored) + ["excluded"] * len(excluded)
    for name in ("entity_id", "identifier_type", "annotator"):
        columns[name] += [span.get(name) for span in spans]


def append_alignments(columns: Columns, row: Mapping[str, Any]) -> None:
    """The alignments of a line of a rows file, in their order on the wire."""
    if not row.get("alignments"):
        return
    ordered = sorted(row["alignments"], key=lambda alignment: (alignment["wire_start"], alignment["wire_end"]))
    columns["row_id"] += [row["id"]] * len(ordered)
    columns["interval_index"] += range(len(ordered))
    for name in ("value_index", "wire_start", "wire_end", "passage_start", "passage_end", "kind"):
        columns[name] += [alignment.get(name) for alignment in ordered]


def append_annotators(columns: Columns, row: Mapping[str, Any]) -> None:
    """Who annotated a line of a rows file, each once."""
    for name in dict.fromkeys(row.get("annotators") or ()):
        append(columns, row["id"], name)


def append_preds(columns: Columns, row: Mapping[str, Any]) -> None:
    """The spans of a line of a predictions file."""
    spans = row["spans"]
    scores = [span.get("score") for span in spans]
    columns["row_id"] += [row["id"]] * len(spans)
    columns["start_char"] += [span["start"] for span in spans]
    columns["end_char"] += [span["end"] for span in spans]
    columns["source_label"] += [intern(span["label"]) for span in spans]  # one string a label, not one a span
    columns["score"] += [None if score is None else float(score) for score in scores]
