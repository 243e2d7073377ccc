"""A board in Python: texts, spans, counts, slices and queries as Polars frames."""

import doctest
import gc
import inspect
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import piibench_duck
from piibench_duck import runs, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.explore import OpenBoard
from tests import explored
from tests.built import PROTOCOL, RUNS, copy_of_demo, demo_board

Frame = Callable[..., pl.LazyFrame]
FRAMES = ("rows", "gold", "predictions", "chars", "counts", "scores")
LENGTH = pl.col("end_char") - pl.col("start_char")


@pytest.fixture(scope="module")
def board(several: Path) -> OpenBoard:
    return piibench_duck.open(several, board="demo")


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two boards: the demo board, and one of the same files that no protocol knows."""
    folder = tmp_path_factory.mktemp("warehouse")
    for name in ("demo", "other"):
        shutil.copytree(demo_board().warehouse, folder / name)
    return folder


@pytest.fixture(scope="module")
def plain() -> explored.Explored:
    """What the rules found, by Python alone."""
    return explored.Explored(explored.read(demo_board().warehouse), "rules", "balanced")


def ranked(frame: pl.LazyFrame, board: OpenBoard) -> pl.LazyFrame:
    return frame.join(board.rows(design="balanced"), on="row_id", how="semi")


def test_rows_are_those_that_were_written_and_their_text_is_asked_for(board: OpenBoard) -> None:
    written = {line["row_id"]: line for line in explored.lines(demo_board().warehouse, "rows")}
    found = board.rows(text=True).collect()
    assert dict(zip(found["row_id"], found["text"], strict=True)) == {key: of["text"] for key, of in written.items()}
    assert board.rows().collect_schema().names() == [name for name in found.columns if name != "text"]


def test_gold_is_what_was_annotated_and_its_surface_is_asked_for(board: OpenBoard, plain: explored.Explored) -> None:
    found = ranked(board.gold(text=True), board).collect()
    scored = found.filter(pl.col("role") == "scored").select("row_id", "start_char", "end_char", "type").unique()
    assert {*scored.iter_rows()} == {(row, *span) for row, spans in plain.scored.items() for span in spans}
    for row_id, start, end, surface in found.select("row_id", "start_char", "end_char", "surface").iter_rows():
        assert plain.rows[row_id]["text"][start:end] == surface
    assert "surface" not in board.gold().collect_schema()


def test_predictions_are_what_the_run_gave(board: OpenBoard, plain: explored.Explored) -> None:
    found = ranked(board.predictions("rules"), board).select("row_id", "start_char", "end_char", "source_label")
    given = {(row, *span) for row, spans in plain.pred.items() for span in spans}
    assert sorted(found.collect().iter_rows()) == sorted(given)


def test_characters_are_counted_by_their_intervals(board: OpenBoard, plain: explored.Explored) -> None:
    of_text = ranked(board.chars("rules"), board).group_by("row_id")
    missed = LENGTH.filter(pl.col("is_gold"), ~pl.col("is_pred")).sum()
    found = of_text.agg(n_chars=LENGTH.sum(), fn=missed).collect()
    assert found.height == len(plain.rows)
    for row_id, n_chars, n_missed in found.iter_rows():
        gold, _, pred = plain.chars(row_id)
        assert (n_chars, n_missed) == (plain.rows[row_id]["n_chars"], len(gold - pred)), row_id


def test_counts_and_scores_are_of_the_same_characters(board: OpenBoard, plain: explored.Explored) -> None:
    counted = board.counts("rules").select(pl.col("tp", "fp", "fn").sum()).collect().row(0)
    expected = [0, 0, 0]
    for row_id in plain.rows:
        gold, nobodys, pred = plain.chars(row_id)
        for place, chars in enumerate((gold & pred, pred - gold - nobodys, gold - pred)):
            expected[place] += len(chars)
    assert counted == tuple(expected)
    scored = board.scores("rules").filter(pl.col("slice_by") == "carrier").select(pl.col("tp", "fp", "fn").sum())
    assert scored.collect().row(0) == counted


@pytest.mark.parametrize("name", FRAMES)
def test_frames_are_lazy_and_their_columns_are_those_that_are_documented(name: str, board: OpenBoard) -> None:
    frame = getattr(board, name)()
    assert isinstance(frame, pl.LazyFrame)
    said = {*re.findall(r"`(\w+)`", inspect.getdoc(getattr(OpenBoard, name)) or "")}
    if name in ("counts", "scores"):
        said |= {*re.findall(r"`(\w+)`", f"{OpenBoard.rows.__doc__} {OpenBoard.counts.__doc__}")}
    assert {*frame.collect_schema().names()} <= said
    assert frame.collect_schema() == frame.collect().schema


@pytest.mark.parametrize("name", FRAMES[2:])
def test_runs_are_one_or_several_or_all(name: str, board: OpenBoard) -> None:
    asked: Frame = getattr(board, name)
    assert {*asked("rules").collect()["run_id"]} == {"rules"}
    for several in (asked([*RUNS]), asked()):
        assert {*several.collect()["run_id"]} == {*RUNS}
    with pytest.raises(PiibenchError, match="no run 'rulse'; there are mask-everything, rules"):
        asked(["rules", "rulse"])


@pytest.mark.parametrize("name", FRAMES[2:])
def test_no_runs_are_no_lines_and_any_iterable_of_names_is_taken_once(name: str, board: OpenBoard) -> None:
    asked: Frame = getattr(board, name)
    assert asked([]).collect().is_empty()
    assert asked([]).collect_schema() == asked().collect_schema()
    for names in ((run for run in ("rules",)), {"rules": 1}.keys(), pl.Series(["rules"]), ("rules",), {"rules"}):
        assert {*asked(names).collect()["run_id"]} == {"rules"}
    for wrong in (5, b"rules", [None], [["rules"]], Path("rules"), pl.col("run_id")):
        with pytest.raises(PiibenchError, match=r"^a run is asked for by its name, several by a list of names; found "):
            asked(wrong)


def test_a_run_without_scores_has_predictions_alone(tmp_path: Path) -> None:
    place = copy_of_demo(tmp_path)
    runs.run_on_board(place, PROTOCOL, PROTOCOL.runs["mask-nothing"])
    with piibench_duck.open(place.warehouse) as board:
        assert board.predictions("mask-nothing").collect().is_empty()
        with pytest.raises(PiibenchError, match="'mask-nothing' has not been scored; run `piibench-duck score"):
            board.chars("mask-nothing")


def test_a_slice_has_the_values_asked_for_one_or_several(board: OpenBoard) -> None:
    frame = board.slice(language=["en", "de"], carrier="json", run_id="mask-everything")
    assert isinstance(frame, pl.LazyFrame)
    found = frame.collect()
    assert {*found["language"]} == {"en", "de"}
    assert {*found["carrier"]} == {"json"}
    assert found["fn"].sum() == 0
    assert found["tp"].sum() > 0
    assert "text" not in found.columns


def test_a_slice_may_ask_for_nulls(board: OpenBoard) -> None:
    table = "contracts.runs"
    whose = dict(board.slice(table).select("run_id", "publisher").collect().iter_rows())
    [[unknown], [known]] = ([run for run in RUNS if (whose[run] is None) is is_null] for is_null in (True, False))

    def found(*values: object) -> set[str]:
        asked = (board.slice(table, publisher=one).collect() for one in values)
        return {run for one in asked for run in one["run_id"]}

    assert found(None) == found([None]) == found([None, "nobody"]) == {unknown}
    assert found([whose[known], None]) == {known, unknown}
    assert found(whose[known]) == found([whose[known]]) == {known}
    assert found([]) == found("nobody") == set()


def test_values_of_a_slice_come_from_any_iterable_and_are_of_the_type_of_the_column(board: OpenBoard) -> None:
    wanted = board.slice(carrier=["json", "xml"]).select(pl.len()).collect().item()
    for values in ({"json": 1, "xml": 2}.keys(), (one for one in ("json", "xml")), pl.Series(["json", "xml"])):
        assert board.slice(carrier=values).select(pl.len()).collect().item() == wanted
    counted = board.slice(fn=range(3)).collect()
    assert {*counted["fn"]} <= {0, 1, 2}
    assert counted.height == board.counts().filter(pl.col("fn") < 3).select(pl.len()).collect().item()
    assert board.slice("marts.scores", recall=1).collect()["recall"].to_list()
    for wrong in (3, range(3), [["json"]], b"json", [None, 1], 1.5, True, {"json": 1}.items()):
        with pytest.raises(PiibenchError, match=r"^carrier of marts\.row_scores holds values of type String; found a"):
            board.slice(carrier=wrong)
    for another in ("1", 1.0, True, 2**70):
        with pytest.raises(PiibenchError, match=r"^fn of marts\.row_scores holds values of type Int64; found an? "):
            board.slice(fn=another)
    with pytest.raises(PiibenchError, match=r"^by_type of marts\.row_scores holds values of type List"):
        board.slice(by_type="PERSON")


def test_what_is_no_text_is_told_in_one_sentence(board: OpenBoard, several: Path) -> None:
    for wrong in (None, b"select 1", 5, ["select 1"]):
        with pytest.raises(PiibenchError, match=r"^a query is a text, exactly one SELECT; found "):
            board.sql(wrong)  # type: ignore[arg-type]  # that is what is asked
    for place, name in ((several, 3), (several, b"demo"), (board, "demo"), (3, None), (None, "demo")):
        with pytest.raises(PiibenchError, match=r"^a board is its name"):
            piibench_duck.open(place, name)  # type: ignore[arg-type]  # that is what is asked


def test_nothing_beyond_the_folder_of_the_board_can_be_read(several: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(outside)
    with piibench_duck.open(several, "demo") as board:
        for file in (outside, *(several / "other" / "rows").glob("*.parquet")):
            with pytest.raises(PiibenchError, match="Permission"):
                board.sql(f"select * from read_parquet('{file}')")
        inside = next((several / "demo" / "rows").glob("*.parquet"))
        assert board.sql(f"select count(*) from read_parquet('{inside}')").height == 1
        assert board.scores().collect().height > 0  # a view that is made after the lock


def test_counts_reach_polars_as_integers(board: OpenBoard) -> None:
    schema = board.scores().collect_schema()
    assert {schema[name] for name in ("tp", "fp", "fn", "touched", "excluded", "n_rows")} == {pl.Int64()}


def test_a_query_gives_a_frame(board: OpenBoard) -> None:
    found = board.sql("select run_id, f1 from marts.mean_scores order by run_id")
    assert found["run_id"].to_list() == [*RUNS]
    with pytest.raises(PiibenchError, match="exactly one SELECT"):
        board.sql("drop view contracts.rows")


def test_what_is_not_there_is_named_with_what_is(board: OpenBoard, several: Path, tmp_path: Path) -> None:
    with pytest.raises(PiibenchError, match="no column 'colour'; there are run_id, row_id"):
        board.slice(colour="red")
    with pytest.raises(PiibenchError, match=r"no table 'marts\.nothing'; there are contracts\."):
        board.slice("marts.nothing")
    with pytest.raises(PiibenchError, match="no design 'whole'; there are balanced, documents, paired"):
        board.rows(design="whole")
    with pytest.raises(PiibenchError, match="holds no board"):
        piibench_duck.open(tmp_path)
    with pytest.raises(PiibenchError, match="it holds demo, other; name one"):
        piibench_duck.open(several)


def test_duckdb_runs_the_filters_and_columns_of_a_frame_and_nothing_before() -> None:
    con = warehouse.connect()
    guarded = warehouse.lazy(con, "select i, if(i >= 3, error('computed'), i) as j from range(10) as t(i)")
    assert guarded.select("i").collect().height == 10
    assert guarded.filter(pl.col("i") < 3).collect().rows() == [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(Exception, match="computed"):
        guarded.collect()


def test_frames_of_a_board_are_joined_with_each_other_and_themselves(board: OpenBoard) -> None:
    chars, n_intervals = board.chars(), board.chars().select(pl.len()).collect().item()
    keys = ["run_id", "row_id", "start_char"]
    for other in (chars, board.chars().filter(pl.col("end_char") > 0)):
        assert chars.join(other, on=keys).select(pl.len()).collect().item() == n_intervals
    longest = chars.join(board.rows(), on="row_id").sort(LENGTH).tail(2).collect(engine="streaming")
    assert longest.height == 2


def test_boards_are_read_in_threads_and_beside_each_other(several: Path) -> None:
    boards = [piibench_duck.open(several, name) for name in ("demo", "other")]

    def counted(number: int) -> tuple[Any, ...]:
        one = boards[number % 2]
        f1 = one.sql("select f1 from marts.mean_scores where run_id = 'rules'").item()
        return (one.name, f1, *one.counts("rules").select(pl.col("tp", "fn").sum()).collect().row(0))

    with ThreadPoolExecutor(6) as executor:
        found = {*executor.map(counted, range(12))}
    assert {name for name, *_ in found} == {"demo", "other"}
    assert len(found) == 2


def test_a_frame_outlives_its_board_but_not_its_closing(several: Path) -> None:
    frame = piibench_duck.open(several, "demo").counts()
    gc.collect()
    assert frame.collect().height > 0
    with piibench_duck.open(several, "demo") as board:
        taken, left = board.scores().collect(), board.scores()
    assert taken.height > 0
    with pytest.raises(PiibenchError, match="has been closed"):
        left.collect()
    with pytest.raises(PiibenchError, match="'demo' has been closed"):
        board.rows()


def test_arrow_and_pandas_hold_the_same_lines(board: OpenBoard) -> None:
    found = board.scores("rules").sort("slice_by", "slice").collect()
    assert found.to_arrow().column("tp").to_pylist() == found["tp"].to_list()
    frame = found.to_pandas()
    assert list(frame.columns) == found.columns
    assert frame["tp"].sum() == found["tp"].sum()
    assert frame["f1"].isna().sum() == found["f1"].null_count()


def test_the_examples_of_the_methods_are_true(board: OpenBoard) -> None:
    examples = doctest.DocTestFinder().find(OpenBoard, globs={"board": board, "pl": pl})
    ended = [doctest.DocTestRunner().run(example) for example in examples if example.examples]
    assert len(ended) >= 4
    assert sum(one.failed for one in ended) == 0
