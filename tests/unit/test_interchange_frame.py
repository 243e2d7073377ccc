"""Frames of spans, of the libraries that people have."""

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piibench_duck.door import Refused
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.frame import read, read_frame

TEXTS = {"r1": "Ask Bo Fox", "r2": "Nobody"}
COLUMNS: dict[str, list[Any]] = {
    **{"row_id": ["r1", "r2"], "start": [4, None], "end": [10, None], "label": ["PER", None]},
    "score": [0.5, None],
}


class Handed:
    """A frame of a library that is not known here."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, lambda columns: Handed()])
def test_a_frame_of_any_library_that_hands_out_arrow_is_read(make: Any) -> None:
    taken = read_frame(make(COLUMNS), TEXTS)
    assert taken.run_rows["row_id"] == ["r1", "r2"]
    assert list(taken.pred_spans.values()) == [["r1"], [4], [10], ["PER"], [0.5]]
    assert (taken.missing_row_ids, len(taken.sha256)) == ([], 64)
    assert taken.sha256 == read_frame(pa.table(COLUMNS), TEXTS).sha256


def test_pandas_integers_that_may_be_missing_are_read() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(COLUMNS).astype({"start": "Int64", "end": "Int64"})
    assert read_frame(frame, TEXTS).pred_spans["start_char"] == [4]


def test_rows_that_were_answered_besides_are_told() -> None:
    frame = pa.table({"row_id": ["r1"], "start_char": [4], "end_char": [6], "source_label": ["PER"]})
    assert read_frame(frame, TEXTS).missing_row_ids == ["r2"]
    taken = read_frame(frame, TEXTS, answered=TEXTS)
    assert (taken.missing_row_ids, taken.run_rows["row_id"]) == ([], ["r1", "r2"])
    assert taken.sha256 != read_frame(frame, TEXTS).sha256


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_a_file_says_what_a_frame_says(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(path) if name == "x.csv" else frame.write_parquet(path)
    assert read(path, TEXTS)[:3] == read_frame(frame, TEXTS)[:3]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"start": [4.0, None]}, "'start' is a number, an integer was expected"),
        ({"start": [True, None]}, "'start' is true or false"),
        ({"start": ["4", None]}, "'start' is a string"),
        ({"label": [7, None]}, "'label' is an integer"),
        ({"row_id": [1, 2]}, "'id' is an integer"),
        ({"score": [float("nan"), None]}, "'score' is not finite"),
        ({"end": [11, None]}, "[4, 11) of a text of 10 code points"),
        ({"end": [None, None]}, "no 'end'"),
    ],
)
def test_a_frame_that_is_wrong_is_refused(columns: dict[str, list[Any]], said: str) -> None:
    with pytest.raises(Refused) as caught:
        read_frame(pl.DataFrame(COLUMNS | columns), TEXTS)
    assert said in "; ".join(finding.detail for finding in caught.value.findings)


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(PiibenchError, match="a frame of int is none of Polars, pandas or Arrow"):
        read_frame(7, TEXTS)


def test_parquet_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table(COLUMNS), tmp_path / "x.parquet")
    (tmp_path / "x.parquet").write_bytes((tmp_path / "x.parquet").read_bytes()[:-9])
    with pytest.raises(PiibenchError, match="Parquet that cannot be read"):
        read(tmp_path / "x.parquet", TEXTS)
