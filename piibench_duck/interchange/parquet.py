"""Parquet with nested spans as records, the same that JSON lines would give."""

from collections.abc import Iterator, Set
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.records import Digest, Fault, Record

_ROWS_AT_ONCE = 1024


def read_parquet(path: Path, file: BinaryIO, digest: Digest, columns: Set[str]) -> Iterator[Record]:
    """Each row, numbered from 1, with those of its `columns` that are not null; nulls inside structs are absent too."""
    while block := file.read(1 << 20):
        digest.update(block)
    file.seek(0)
    number = 0
    try:
        parquet = pq.ParquetFile(file)
        names = [name for name in parquet.schema_arrow.names if name in columns]
        if len(set(names)) != len(names):
            raise PiibenchError(f"{path}: a column stands twice; each name once was expected")
        for batch in parquet.iter_batches(_ROWS_AT_ONCE, columns=names):
            yield from _records(batch, number)
            number += batch.num_rows
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, NotImplementedError) as error:
        raise PiibenchError(
            f"{path}: Parquet that cannot be read behind row {number}; a whole file was expected"
        ) from error


def column_names(path: Path) -> list[str]:
    """The columns of a file; none where it cannot be read, which `read_parquet` says."""
    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        return []


def _records(batch: pa.RecordBatch, before: int) -> Iterator[Record]:
    try:
        rows = batch.to_pylist(maps_as_pydicts="strict")
    except (
        ValueError,
        KeyError,
        OverflowError,
        pa.ArrowException,
    ):  # at least one row; the others are still to be checked
        for index in range(batch.num_rows):
            yield _record(batch.slice(index, 1), before + index + 1)
    else:
        for index, row in enumerate(rows, 1):
            yield Record(before + index, _without_nulls(row))


def _record(batch: pa.RecordBatch, number: int) -> Record:
    try:
        return Record(number, _without_nulls(batch.to_pylist(maps_as_pydicts="strict")[0]))
    except UnicodeDecodeError:
        return Record(number, None, Fault("bad_json", "not UTF-8"))
    except (ValueError, KeyError, OverflowError, pa.ArrowException):
        return Record(number, None, Fault("bad_schema", "a column of a type that JSON has not"))


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_without_nulls(part) for part in value]
    return value
