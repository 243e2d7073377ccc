"""PII Bench's own files, JSON lines or Parquet: a rows file, or a predictions file of one run.

Cannot carry: how a run was made, rows that failed, times.
"""

from collections.abc import Mapping
from pathlib import Path

from piibench_duck import door
from piibench_duck.errors import WrongUsageError
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.writing import write_predictions, write_rows
from piibench_duck.offsets import OffsetUnit


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """A predictions file; rows may be missing."""
    return door.read_predictions(path, texts, unit, allow_missing=True)


def read_rows(path: Path, unit: OffsetUnit = "codepoint") -> Rows:
    """A rows file, whose offsets are code points."""
    if unit != "codepoint":
        raise WrongUsageError("--offset-unit goes with predictions; offsets of a rows file are code points")
    return door.read_rows(path)


def write(path: Path, rows: Rows, runs: Mapping[str, Predictions]) -> Mapping[str, int]:
    """A rows file, or the predictions file of a run."""
    if not runs:
        write_rows(path, rows)
    for predictions in runs.values():
        write_predictions(path, predictions)
    return {}
