"""PII Bench's data set: rows that travel in carriers already, with predictions beside them, and so no documents."""

from pathlib import Path

from piibench_duck.corpora import Reading
from piibench_duck.errors import PiibenchError
from piibench_duck.source_tables import Source


def read(root: Path, source: Source) -> Reading:
    """Raises `PiibenchError`: to wrap these rows once more would measure nothing."""
    raise PiibenchError(
        f"source {source.name!r} holds rows that travel in carriers already; "
        f"`piibench-duck fetch {source.name} --as-board FOLDER` makes a board of them"
    )
