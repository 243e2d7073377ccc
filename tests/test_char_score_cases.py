"""Rows and predictions with counts by a program of sets of characters: the published score, file in and file out."""

import json
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import door, protocol, warehouse
from piibench_duck import score as scoring

CASES = Path(__file__).parent / "fixtures" / "char_score"
COUNTS = ("tp", "fn", "fp", "touched", "excluded")
RATIOS = ("precision", "recall", "f1", "touch_rate")


@pytest.fixture(scope="module", params=["plain", "nasty"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What is expected and the folder of the result."""
    out = tmp_path_factory.mktemp(request.param)
    allow_missing = request.param == "nasty"
    rows = door.read_rows(CASES / f"{request.param}.rows.jsonl")
    answered = door.read_predictions(CASES / f"{request.param}.preds.jsonl", rows, allow_missing=allow_missing)
    options = scoring.Options(seed=0, replicates=20, allow_missing=allow_missing, threads=1)
    scoring.score_files(rows, answered, "detector", out, protocol.load(), options)
    return json.loads((CASES / f"{request.param}.expected.json").read_text("utf-8")), out


def test_the_counts_of_each_row_are_the_published_ones(case: tuple[dict[str, Any], Path]) -> None:
    want, out = case
    con = warehouse.connect(1)
    found = warehouse.rows_of(con, f"select * from read_parquet({warehouse.quoted(out / 'row_counts.parquet')})")
    assert {row["row_id"]: {name: row[name] for name in COUNTS} for row in found} == want["by_row"]


def test_counts_and_ratios_of_each_corpus_are_the_published_ones(case: tuple[dict[str, Any], Path]) -> None:
    want, out = case
    found = json.loads((out / "result.json").read_text("utf-8"))["scores"]["by_corpus"]
    names = (*COUNTS, *RATIOS, "n_rows", "n_rows_missing")
    assert {corpus: {name: scores[name] for name in names} for corpus, scores in found.items()} == want["by_dataset"]


def test_means_over_corpora_are_the_published_ones(case: tuple[dict[str, Any], Path]) -> None:
    want, out = case
    found = json.loads((out / "result.json").read_text("utf-8"))
    assert found["scores"]["mean"] == want["mean"]
    assert found["scores"]["n_corpora"] == 5
    assert found["n_rows_missing"] == sum(of_corpus["n_rows_missing"] for of_corpus in want["by_dataset"].values())


def test_every_figure_can_be_derived_again_from_the_counts_of_rows(case: tuple[dict[str, Any], Path]) -> None:
    _, out = case
    con = warehouse.connect(1)
    scores = json.loads((out / "result.json").read_text("utf-8"))["scores"]
    for kind in ("corpus", "carrier", "language"):
        select = (
            f"select {kind} as slice, count(*) as n_rows, sum(n_rows_missing) as n_rows_missing, "
            + ", ".join(f"sum({name}) as {name}" for name in COUNTS)
            + f" from read_parquet({warehouse.quoted(out / 'row_counts.parquet')}) group by all order by all"
        )
        for line in warehouse.rows_of(con, select):
            of_slice = scores[f"by_{kind}"][line.pop("slice")]
            assert {name: of_slice[name] for name in line} == line
            tp, fp, fn = of_slice["tp"], of_slice["fp"], of_slice["fn"]
            assert of_slice["f1"] == 2 * tp / (2 * tp + fp + fn)
