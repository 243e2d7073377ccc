"""What a scoring leaves behind: the same bytes however it was computed, no text, and rows known by their digest."""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import boards, door, query, results, score, warehouse, yardsticks
from piibench_duck.beside import write_json
from piibench_duck.interchange import writing
from piibench_duck.interchange.tables import Columns, Predictions, Rows
from tests import tables
from tests.built import OPTIONS, PROTOCOL, RUNS, copy_of_demo, demo_board
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

CASES = Path(__file__).parent.parent / "fixtures" / "char_score"
KEPT = ("result.json", "row_counts.parquet", "pair_counts.parquet", "predictions.parquet")


def shuffled(columns: Columns, seed: int) -> Columns:
    """The same lines in another order."""
    lines = list(zip(*columns.values(), strict=True))
    random.Random(seed).shuffle(lines)
    return {name: list(values) for name, values in zip(columns, zip(*lines, strict=True), strict=False)} or columns


def written(folder: Path) -> dict[str, bytes]:
    """The bytes of every file under a folder that must not change, by its name there."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "meta.json"
    }


@pytest.fixture(scope="module")
def nasty() -> tuple[Rows, Predictions]:
    rows = door.read_rows(CASES / "nasty.rows.jsonl")
    return rows, door.read_predictions(CASES / "nasty.preds.jsonl", rows, allow_missing=True)


@pytest.fixture(scope="module")
def scored_once(nasty: tuple[Rows, Predictions], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return files_of(*nasty, tmp_path_factory.mktemp("once"), threads=1)


def files_of(rows: Rows, answered: Predictions, out: Path, threads: int) -> dict[str, bytes]:
    """What a scoring of files writes."""
    options = score.Options(seed=3, replicates=300, allow_missing=True, threads=threads)
    score.score_files(rows, answered, "detector", out, PROTOCOL, options)
    return written(out)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_a_result_is_the_same_bytes_on_any_number_of_threads_and_in_any_order(
    threads: int, nasty: tuple[Rows, Predictions], scored_once: dict[str, bytes], tmp_path: Path
) -> None:
    rows, answered = nasty
    rows = rows._replace(rows=shuffled(rows.rows, threads), gold_spans=shuffled(rows.gold_spans, threads))
    answered = answered._replace(
        run_rows=shuffled(answered.run_rows, threads), pred_spans=shuffled(answered.pred_spans, threads)
    )
    assert {*KEPT, "reports/d0.json"} <= {*scored_once}
    assert files_of(rows, answered, tmp_path, threads) == scored_once


@pytest.mark.parametrize("threads", [2, 8])
def test_a_board_scored_again_is_the_same_bytes_in_results_and_warehouse(threads: int, tmp_path: Path) -> None:
    board = copy_of_demo(tmp_path)
    before = written(tmp_path)
    for folder in (board.results, *(board.warehouse / table for table in boards.kept_tables())):
        for path in folder.rglob("*"):
            if path.is_file() and path.name != warehouse.EMPTY:
                path.unlink()
    score.score_board(board, PROTOCOL, OPTIONS._replace(threads=threads))
    assert written(tmp_path) == before


def test_a_mean_has_the_same_last_digit_in_any_order() -> None:
    values = [(f"corpus{place:03}", random.Random(place).random() / 7) for place in range(200)]
    found = set()
    for threads in (1, 2, 8):
        con = warehouse.connect(threads)
        for seed in range(3):
            random.Random(seed).shuffle(values)
            listed = ", ".join(f"('{name}', {value!r}::double)" for name, value in values)
            found |= set(con.sql(f"select mean_of(value, name) from (values {listed}) as t(name, value)").fetchall())
    assert len(found) == 1


def test_a_result_on_disk_holds_no_text_of_any_row() -> None:
    board = demo_board()
    con = warehouse.connect(1)
    warehouse.attach(con, board.warehouse)
    surfaces = con.sql(
        "select distinct substr(text, start_char + 1, end_char - start_char) from contracts.gold_spans "
        "inner join contracts.rows using (row_id) where end_char - start_char > 8 and source_label = 'PERSON'"
    ).fetchall()
    assert len(surfaces) > 20
    held = b"".join(path.read_bytes() for path in board.results.rglob("*") if path.suffix == ".json")
    assert not [1 for (surface,) in surfaces if surface.encode() in held]
    for path in board.results.rglob("*.parquet"):
        columns = con.sql(f"describe select * from read_parquet({warehouse.quoted(path)})").fetchall()
        assert "text" not in " ".join(f"{name} {kind}" for name, kind, *_ in columns).lower().split()


def test_only_meta_tells_when_and_where(tmp_path: Path) -> None:
    board = demo_board()
    result = results.read_result(board.results / "rules")
    meta = json.loads((board.results / "rules" / "meta.json").read_text("utf-8"))
    assert set(meta) == {"scored_at", "score_seconds", "scored_on", "predicted_on"}
    assert not {"host", "scored_at", "threads"} & set(json.dumps(result).replace('"', " ").split())


def test_a_board_is_read_from_the_best_run_to_those_that_were_not_run(tmp_path: Path) -> None:
    for name, status, f1 in (("b", "ran", 0.5), ("a", "ran", 0.5), ("c", "ran", 0.9), ("d", "ran", None)):
        folder = tmp_path / name
        folder.mkdir()
        mean = {"precision": 0.5, "recall": 0.5, "f1": f1, "touch_rate": None}
        one = {"model": name, "kind": "model", "status": status, "scores": {"mean": mean, "by_corpus": {}}}
        write_json(folder / "result.json", {**one, "intervals": {"row": {"f1": [None, None]}}, "_provenance": {}})
    (tmp_path / "absent").mkdir()
    write_json(
        tmp_path / "absent" / "result.json",
        {"model": "absent", "kind": "model", "status": "not_run", "why": "no model", "_provenance": {}},
    )
    for name, text in (("e", "{bad"), ("f", "[]"), ("g", "{}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text(text)
    found = results.read_board(tmp_path)
    assert [one["model"] for one in found] == ["c", "a", "b", "d", "absent", "e", "f", "g"]
    assert [one["status"] for one in found[5:]] == ["broken"] * 3


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path]]:
    """The demo board's rows, and the predictions of each run, as files for other tools."""
    folder = tmp_path_factory.mktemp(request.param)
    board = demo_board()
    rows = folder / f"rows.{request.param}"
    query.export(board, PROTOCOL, rows, "marts.bench_rows", None, [])
    preds = {run: folder / f"{run}.{request.param}" for run in RUNS}
    for run, path in preds.items():
        query.export(board, PROTOCOL, path, "marts.bench_predictions", f"run_id = '{run}'", ["id", "spans"])
    return rows, preds


def test_exported_rows_and_predictions_score_as_the_board_does(
    exported: tuple[Path, dict[str, Path]], tmp_path: Path
) -> None:
    rows = door.read_rows(exported[0])
    for run, path in exported[1].items():
        score.score_files(rows, door.read_predictions(path, rows), run, tmp_path / run, PROTOCOL, OPTIONS)
        found, want = (results.read_result(folder / run) for folder in (tmp_path, demo_board().results))
        for name in ("scores", "intervals", "n_rows", "n_rows_missing", "n_duplicate_spans"):
            assert found[name] == want[name], name
        assert found["_provenance"]["rows_digest"] == want["_provenance"]["rows_digest"]
        con = warehouse.connect(1)
        counts = [
            con.sql(f"select * from read_parquet({warehouse.quoted(folder / run / 'row_counts.parquet')})").fetchall()
            for folder in (tmp_path, demo_board().results)
        ]
        assert counts[0] == counts[1]


def test_rows_that_went_through_other_files_keep_their_digest(
    exported: tuple[Path, dict[str, Path]], tmp_path: Path
) -> None:
    want = results.read_result(demo_board().results / "rules")["_provenance"]["rows_digest"]
    rows = door.read_rows(exported[0])
    for name in ("again.jsonl", "again.parquet"):
        writing.write_rows(tmp_path / name, rows)
        assert digest_of_file(tmp_path / name) == want
    lines = (tmp_path / "again.jsonl").read_text("utf-8").splitlines()
    random.Random(0).shuffle(lines)
    (tmp_path / "shuffled.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    assert digest_of_file(tmp_path / "shuffled.jsonl") == want


def digest_of_file(path: Path) -> str:
    """The digest of a rows file."""
    rows = door.read_rows(path)
    con = warehouse.connect(1)
    warehouse.fill_seeds(con)
    warehouse.fill(con, "settings", {"design": [None], "seed": [0], "replicates": [1]})
    for table, columns in (("rows", rows.rows), ("gold_spans", rows.gold_spans), ("alignments", rows.alignments)):
        warehouse.fill(con, table, columns)
    return digest(con)


def digest(con: warehouse.Connection) -> str:
    """The digest of the rows of a board."""
    warehouse.derive(con, ["marts.rows_digest"])
    return str(con.sql("select rows_digest from marts.rows_digest").fetchall()[0][0])


def test_no_corpus_means_something_else_by_the_name_of_a_type() -> None:
    con = warehouse.connect(1)
    warehouse.fill_seeds(con)
    other = "select * from contracts.label_map where source_label in (select type from contracts.taxonomy)"
    assert con.sql(f"select namespace, source_label from ({other}) where source_label != type").fetchall() == []


FIRST = Row("p1@json", '{"m":"Anna"}', [Gold(6, 10)], "one", "d", "json", "en", [Stretch(6, 10, "copied", 0, 4)])
SECOND = Row("p2@prose", "Bonn", [Gold(0, 4, "LOCATION")], doc_id="d")
Change = Callable[[Row], Row]
DIFFERENT: Mapping[str, Change] = {
    "id": lambda row: row._replace(row_id="p3@json"),
    "text": lambda row: row._replace(text='{"m":"Ann!"}'),
    "corpus": lambda row: row._replace(corpus="two"),
    "document": lambda row: row._replace(doc_id="e"),
    "carrier": lambda row: row._replace(carrier="prose"),
    "language": lambda row: row._replace(language="de"),
    "no gold": lambda row: row._replace(gold=[]),
    "gold start": lambda row: row._replace(gold=[Gold(7, 10)]),
    "gold end": lambda row: row._replace(gold=[Gold(6, 9)]),
    "gold type": lambda row: row._replace(gold=[Gold(6, 10, "LOCATION")]),
    "gold role": lambda row: row._replace(gold=[Gold(6, 10, role="excluded")]),
    "another span": lambda row: row._replace(gold=[Gold(6, 10), Gold(0, 1)]),
    "scaffold": lambda row: row._replace(alignments=[Stretch(5, 11, "copied", 0, 6)]),
    "lookalike": lambda row: row._replace(alignments=[Stretch(2, 3, "lookalike"), *row.alignments]),
}
SAME: Mapping[str, Change] = {
    "nothing": lambda row: row,
    "a twin": lambda row: row._replace(gold=[*row.gold, *row.gold]),
    "another annotator": lambda row: row._replace(gold=[*row.gold, Gold(6, 10, annotator="a2", entity_id="e9")]),
    "an ignored span": lambda row: row._replace(gold=[*row.gold, Gold(0, 3, "OTHER")]),
    "a role that the map gives too": lambda row: row._replace(gold=[Gold(6, 10, role="scored")]),
    "a value in two pieces": lambda row: row._replace(
        alignments=[Stretch(6, 8, "copied", 0, 2), Stretch(8, 10, "escaped", 2, 4)]
    ),
}


def digest_of(*rows: Row) -> str:
    """The digest of a board of these rows."""
    return digest(tables.connect(rows, []))


@pytest.mark.parametrize("change", DIFFERENT)
def test_the_digest_of_rows_changes_with(change: str) -> None:
    assert digest_of(DIFFERENT[change](FIRST), SECOND) != digest_of(FIRST, SECOND)


@pytest.mark.parametrize("change", SAME)
def test_the_digest_of_rows_does_not_change_with(change: str) -> None:
    assert digest_of(SECOND, SAME[change](FIRST)) == digest_of(FIRST, SECOND)


def test_the_digest_of_rows_does_not_change_with_licence_split_source_or_slices() -> None:
    con = tables.connect([FIRST, SECOND], [])
    con.execute(
        "update contracts.rows set licence = 'MIT', split = 'test', source = 's', slices = map {'k': 'v'}, "
        "passage_start = 12"
    )
    assert digest(con) == digest_of(FIRST, SECOND)


def test_the_digest_covers_the_rows_of_the_design_alone() -> None:
    con = tables.connect([FIRST, SECOND._replace(in_design=False)], [], design="balanced")
    assert digest(con) == digest_of(FIRST)


def test_a_run_that_was_not_run_says_why_and_has_no_counts(tmp_path: Path) -> None:
    con = tables.connect([FIRST], [Run("absent", status="not_run"), Run("there", {"p1@json": Answer([Pred(6, 10)])})])
    con.execute("update contracts.runs set why = 'no model' where run_id = 'absent'")
    warehouse.derive(con, (*score.SCORE_MARTS, *yardsticks.marts(con)))
    (tmp_path / "row_counts.parquet").touch()
    results.write(con, results.of_runs(con, {})["absent"], tmp_path, 0.0)
    found: dict[str, Any] = results.read_result(tmp_path)
    assert (found["status"], found["why"], "scores" in found) == ("not_run", "no model", False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["meta.json", "result.json"]
