"""Rows and predictions as files for other tools: JSON lines or Parquet, the same bytes for the same content."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piibench_duck.beside import beside
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import Columns, Predictions, Rows

if TYPE_CHECKING:
    import pyarrow as pa

Line = dict[str, Any]
_ROWS_AT_ONCE = 1024


def write_rows(path: Path, rows: Rows) -> None:
    """A rows file in the order of the ids, spans in the order of their offsets. Every gold span needs its role."""
    gold = _by_row(rows.gold_spans)
    alignments = _by_row(rows.alignments)
    names: defaultdict[str, list[str]] = defaultdict(list)
    for row_id, name in zip(*rows.annotators.values(), strict=True) if rows.annotators else ():
        names[row_id].append(name)
    ordered = _sorted(rows.rows)
    _write(path, (_row(row, gold[row["row_id"]], alignments[row["row_id"]], names) for row in ordered), "rows")


def write_predictions(path: Path, predictions: Predictions) -> None:
    """A predictions file in the order of the ids, spans in the order of their offsets.

    A row whose status is `error` was not answered and has no line; only of a truncated one is `chars_seen` written.
    """
    spans = _by_row(predictions.pred_spans)
    answered = (row for row in _sorted(predictions.run_rows) if row["status"] != "error")
    _write(path, (_prediction(row, spans[row["row_id"]]) for row in answered), "predictions")


def _sorted(columns: Columns) -> list[Line]:
    lines = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return sorted(lines, key=lambda line: str(line["row_id"]))


def _by_row(columns: Columns) -> defaultdict[str, list[Line]]:
    lines: defaultdict[str, list[Line]] = defaultdict(list)
    for values in zip(*columns.values(), strict=True):
        line = dict(zip(columns, values, strict=True))
        lines[line["row_id"]].append(line)
    return lines


def _row(row: Line, gold: list[Line], alignments: list[Line], annotators: Mapping[str, list[str]]) -> Line:
    of_role: dict[str, list[Line]] = {"scored": [], "excluded": []}
    for span in gold:
        optional = {
            name: span[name] for name in ("entity_id", "identifier_type", "annotator") if span[name] is not None
        }
        written = {"start": span["start_char"], "end": span["end_char"], "label": span["source_label"], **optional}
        of_role[span["role"]].append(written)
    names = ("wire_start", "wire_end", "passage_start", "passage_end", "kind", "value_index")
    ordered = sorted(alignments, key=lambda alignment: int(alignment["interval_index"]))
    aligned = [{name: alignment[name] for name in names if alignment[name] is not None} for alignment in ordered]
    return {
        **{"id": row["row_id"], "dataset": row["corpus"], "doc_id": row["doc_id"], "language": row["language"]},
        **{"carrier": row["carrier"], "text": row["text"]},
        **{role: sorted(of_role[name], key=_order) for role, name in (("spans", "scored"), ("excluded", "excluded"))},
        **{name: row[name] for name in ("source", "split", "passage_id", "passage_start", "licence")},
        **{"slices": dict(row["slices"]), "alignments": aligned},
        **({"annotators": sorted(annotators[row["row_id"]])} if row["row_id"] in annotators else {}),
    }


def _prediction(row: Line, spans: list[Line]) -> Line:
    written = [
        {
            **{"start": span["start_char"], "end": span["end_char"], "label": span["source_label"]},
            **({} if span["score"] is None else {"score": span["score"]}),
        }
        for span in spans
    ]
    seen = {"chars_seen": row["chars_seen"]} if row["status"] == "truncated" else {}
    return {"id": row["row_id"], "spans": sorted(written, key=_order), **seen}


def _order(span: Line) -> tuple[Any, ...]:
    rest = (span.get(name) for name in ("entity_id", "identifier_type", "annotator"))
    return span["start"], span["end"], span["label"], span.get("score", -math.inf), *(value or "" for value in rest)


def _write(path: Path, lines: Iterable[Line], kind: str) -> None:
    """Beside `path` first, then renamed, so that a crash leaves the old file or the new one."""
    if path.suffix not in (".jsonl", ".parquet"):
        raise PiibenchError(f"{path}: the name ends in {path.suffix!r}; .jsonl or .parquet was expected")
    try:
        with beside(path) as part:
            (_write_jsonl if path.suffix == ".jsonl" else _write_parquet)(part, lines, kind)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise PiibenchError(
            f"{path}: cannot be written ({why}); a file in a folder that exists was expected"
        ) from error


def _write_jsonl(path: Path, lines: Iterable[Line], kind: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _write_parquet(path: Path, lines: Iterable[Line], kind: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(kind)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for some in _batches(lines):
            if kind == "rows":
                some = [{**line, "slices": sorted(line["slices"].items())} for line in some]
            writer.write_table(pa.Table.from_pylist(some, schema))


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    yield batch


def _schema(kind: str) -> "pa.Schema":
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    offsets: list[pa.Field[Any]] = [pa.field("start", number), pa.field("end", number), pa.field("label", text)]
    if kind == "predictions":
        spans = pa.list_(pa.struct([*offsets, pa.field("score", pa.float64())]))
        return pa.schema([("id", text), ("spans", spans), ("chars_seen", number)])
    judged: list[pa.Field[Any]] = [pa.field(name, text) for name in ("entity_id", "identifier_type", "annotator")]
    gold = pa.list_(pa.struct([*offsets, *judged]))
    wire: list[pa.Field[Any]] = [
        pa.field(name, number) for name in ("wire_start", "wire_end", "passage_start", "passage_end")
    ]
    alignments = pa.list_(pa.struct([*wire, pa.field("kind", text), pa.field("value_index", number)]))
    return pa.schema(
        [
            *((name, text) for name in ("id", "dataset", "doc_id", "language", "carrier", "text")),
            *(("spans", gold), ("excluded", gold)),
            *(("source", text), ("split", text), ("passage_id", text), ("passage_start", number), ("licence", text)),
            *(("slices", pa.map_(text, text)), ("alignments", alignments), ("annotators", pa.list_(text))),
        ]
    )
