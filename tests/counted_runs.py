"""Result folders of invented counts, and what is expected of a board of them, in NumPy."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from piibench_duck.beside import write_json
from tests import oracle

Counts = Mapping[str, Sequence[tuple[int, int]]]
"""For each run tp and fp of each row, in the order of the rows."""

_ZEROS = ("touched", "excluded", "lookalike", "lookalike_touched", "scaffold_fp", "n_rows_missing", "n_duplicate_spans")


class Row(NamedTuple):
    """A row with so much gold."""

    row_id: str
    corpus: str
    doc_id: str
    gold: int
    carrier: str = "prose"
    language: str = "en"
    type: str = "PERSON"


def write(folder: Path, rows: Sequence[Row], counts: Counts, about: Mapping[str, Mapping[str, Any]] = {}) -> None:
    """A folder for each run with its `row_counts.parquet` and as much of a `result.json` as a board is made of."""
    for run, of_rows in counts.items():
        (folder / run).mkdir(parents=True, exist_ok=True)
        lines = [
            {
                **{"row_id": row.row_id, "passage_id": row.row_id, "doc_id": row.doc_id, "corpus": row.corpus},
                **{"carrier": row.carrier, "language": row.language, "tp": tp, "fp": fp, "fn": row.gold - tp},
                **dict.fromkeys(_ZEROS, 0),
                "by_type": [{"type": row.type, "tp": tp, "fn": row.gold - tp}] if row.gold else [],
            }
            for row, (tp, fp) in zip(rows, of_rows, strict=True)
        ]
        of_type = pa.struct([("type", pa.string()), ("tp", pa.int64()), ("fn", pa.int64())])
        kinds = {name: pa.string() for name in Row._fields[:3]} | {"by_type": pa.list_(of_type)}
        table = pa.Table.from_pylist(lines)
        schema = pa.schema([(name, kinds.get(name, table.schema.field(name).type)) for name in lines[0]])
        pq.write_table(table.cast(schema), folder / run / "row_counts.parquet")
        write_json(folder / run / "result.json", result(run, rows, of_rows, about.get(run, {})))


def result(run: str, rows: Sequence[Row], counts: Sequence[tuple[int, int]], said: Mapping[str, Any]) -> dict[str, Any]:
    """What ranking needs; `said` are `kind` and keys of its `_provenance`."""
    figure = mean_f1({run: counts}, rows, run)
    mean = dict.fromkeys(("precision", "recall", "touch_rate")) | {"f1": None if np.isnan(figure) else figure}
    of = {"protocol": "2", "design": None, "rows_digest": "d", "label_map_digest": "l", "taxonomy_digest": "t"}
    by_corpus: dict[str, Any] = {row.corpus: {} for row in rows}
    return {
        "model": run,
        "kind": said.get("kind", "model"),
        "status": "ran",
        "scores": {"mean": mean, "by_corpus": by_corpus},
        "intervals": {"row": {"f1": [None, None]}, "replicates": 10, "seed": 0},
        "_provenance": {**of, **{name: value for name, value in said.items() if name != "kind"}},
    }


def units(rows: Sequence[Row], counts: Sequence[tuple[int, int]], unit: str) -> dict[str, Any]:
    """Counts of each corpus, (units, 3), for `oracle`."""
    return oracle.by_unit(
        (row.corpus, row.row_id if unit == "row" else row.doc_id, tp, fp, row.gold - tp)
        for row, (tp, fp) in zip(rows, counts, strict=True)
    )


def mean_f1(counts: Counts, rows: Sequence[Row], run: str) -> float:
    """Mean over the corpora that have a value."""
    of_corpora = np.array([oracle.f1(of.sum(axis=0)) for of in units(rows, counts[run], "row").values()])
    return float(oracle.mean_over_corpora(of_corpora[:, None])[0])


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down: the smallest p by their number, the next by one less; none below one before it."""
    found: dict[str, float] = {}
    at_least = 0.0
    for place, (run, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        at_least = max(at_least, min(1.0, p * (len(p_values) - place)))
        found[run] = at_least
    return found
