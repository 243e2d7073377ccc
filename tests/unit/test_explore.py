"""A board in Python: slices and queries as Polars frames."""

from pathlib import Path

import polars as pl
import pytest

import piibench_duck
from piibench_duck import build, runs, score
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests.built import PROTOCOL


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo board with two cheap runs, scored."""
    home = tmp_path_factory.mktemp("home")
    plan = PROTOCOL
    board = Board("demo", home / "warehouse" / "demo", home / "results" / "demo", None)
    build.build(board, plan)
    for name in ("mask-everything", "mask-nothing"):
        runs.run_on_board(board, plan, plan.runs[name])
    score.score_board(board, plan, score.Options(seed=0, replicates=20))
    return home / "warehouse"


def test_a_slice_is_a_lazy_frame_of_the_rows_asked_for(warehouse: Path) -> None:
    frame = piibench_duck.open(warehouse / "demo").slice(corpus="demo-en", carrier="json", run_id="mask-everything")
    assert isinstance(frame, pl.LazyFrame)
    found = frame.collect()
    assert found.height == 4  # 50 passages, dealt out to twelve carriers
    assert set(found["corpus"]) == {"demo-en"}
    assert set(found["carrier"]) == {"json"}
    assert found["fn"].sum() == 0
    assert found["tp"].sum() > 0
    assert "text" not in found.columns


def test_a_slice_takes_several_values_of_a_column(warehouse: Path) -> None:
    opened = piibench_duck.open(warehouse)
    both = opened.slice(language=["en", "de"], run_id="mask-nothing").collect()
    assert set(both["language"]) == {"en", "de"}
    assert both["tp"].sum() == 0


def test_counts_reach_polars_as_integers(warehouse: Path) -> None:
    schema = piibench_duck.open(warehouse, "demo").slice("marts.scores").collect_schema()
    assert {schema[name] for name in ("tp", "fp", "fn", "touched", "excluded", "n_rows")} == {pl.Int64()}


def test_a_query_gives_a_frame(warehouse: Path) -> None:
    found = piibench_duck.open(warehouse).sql("select run_id, f1 from marts.mean_scores order by run_id")
    assert found["run_id"].to_list() == ["mask-everything", "mask-nothing"]
    assert found["f1"].to_list()[1] == 0.0


def test_a_wrong_column_table_or_folder_is_named(warehouse: Path, tmp_path: Path) -> None:
    opened = piibench_duck.open(warehouse)
    with pytest.raises(PiibenchError, match="no column 'colour'"):
        opened.slice(colour="red")
    with pytest.raises(PiibenchError, match=r"no table 'marts\.nothing'"):
        opened.slice("marts.nothing")
    with pytest.raises(PiibenchError, match="holds no board"):
        piibench_duck.open(tmp_path)
