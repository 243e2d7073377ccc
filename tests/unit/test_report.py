"""Reports: what they say of a run and a corpus, under which names, and that no text is in them."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import report, warehouse
from tests import tables
from tests.built import demo_board
from tests.tables import Answer, Gold, Pred, Row, Run

ROWS = [
    Row("a", "Anna 4111", [Gold(0, 4), Gold(5, 9, "PAYMENT_CARD")], "one", in_documents=False),
    Row("b", "Anna 4111", [Gold(0, 4), Gold(5, 9, "PAYMENT_CARD")], "one", in_design=False, slices={"domain": "hr"}),
    Row("c", "Bert", [Gold(0, 4)], "two", in_documents=False, carrier="json"),
    Row("d", "none", [Gold(0, 4, "OTHER")], "three"),
]
ANSWERS = {row.row_id: Answer([Pred(0, 4), Pred(0, 4, "made-up")]) for row in ROWS}
READ = {
    "one-a": {"corpus": "one", "sha256": "a" * 64, "revision": None},
    "one-b": {"corpus": "one", "sha256": "b" * 64, "revision": "v2"},
    "two": {"corpus": "two", "sha256": "c" * 64, "revision": "v3"},
}


@cache
def board(limit: int | None = None) -> warehouse.Connection:
    """A run that answered all, and one that answered no whole documents."""
    runs = [Run("run", ANSWERS), Run("short", {"a": Answer(), "c": Answer()})]
    con = tables.connect(ROWS, runs, design="ranked", documents_design="whole", document_limit=limit)
    con.execute("update contracts.runs set revision = 'r1', settings_digest = 's1' where run_id = 'run'")
    warehouse.derive(con, [*report.MARTS, "marts.rows_digest", "marts.design_digests"])
    return con


def report_of(corpus: str, run: str = "run", limit: int | None = None) -> dict[str, Any]:
    con = board(limit)
    return report.reports(report.common(con, READ), run)[corpus]


def test_a_report_names_the_bytes_and_versions_that_it_rests_on() -> None:
    found = report_of("two")
    assert (found["run"], found["corpus"], found["preset_revision"]) == ("run", "two", "r1")
    assert (found["corpus_sha256"], found["corpus_revision"]) == ("c" * 64, "v3")
    assert found["taxonomy"] == warehouse.content_digest(board(), "select * from contracts.taxonomy")
    assert (found["environment"]["settings_digest"], found["environment"]["weights_sha256"]) == ("s1", None)
    assert report_of("one")["corpus_sha256"] == {"one-a": "a" * 64, "one-b": "b" * 64}
    assert report_of("one")["corpus_revision"] == {"one-a": None, "one-b": "v2"}
    assert report_of("three")["corpus_sha256"] is None


def test_a_report_on_a_rows_file_names_the_digest_of_the_file_and_of_its_rows() -> None:
    con = tables.connect(ROWS[:1], [Run("run", ANSWERS)])
    warehouse.derive(con, [*report.MARTS, "marts.rows_digest", "marts.design_digests"])
    found = report.reports(report.common(con, rows_sha256="f" * 64), "run")["one"]
    assert (found["corpus_sha256"], found["corpus_revision"], found["design"]) == ("f" * 64, None, None)
    assert [(found["rows_digest"],)] == con.sql("select rows_digest from marts.rows_digest").fetchall()


def test_a_report_is_of_whole_documents_or_else_of_what_ranks() -> None:
    digests = dict(board().sql("select design, rows_digest from marts.design_digests").fetchall())
    for corpus, run, design in (("one", "run", "whole"), ("two", "run", "ranked"), ("one", "short", "ranked")):
        found = report_of(corpus, run)
        assert (found["design"], found["rows_digest"], found["documents_scored"]) == (design, digests[design], 1)


def test_a_report_has_the_figures_of_each_slice_and_type() -> None:
    found = report_of("one")
    assert found["slices"].keys() == {"all", "carrier=prose", "language=en", "domain=hr"}
    whole = found["slices"]["all"]
    assert [whole[key] for key in ("docs", "gold", "pred", "tp", "fp", "fn", "leak")] == [1, 2, 1, 1, 0, 1, 1]
    assert [whole[key] for key in ("precision", "recall", "f1", "f2")] == [1.0, 0.5, 2 / 3, 5 / 9]
    assert [whole[key] for key in ("exposed", "contained", "covered", "touched", "missed")] == [1, 1, 1, 1, 1]
    assert [whole[key] for key in ("exposed_chars", "n_out_of_scope", "n_unmapped", "n_ignored")] == [4, 0, 1, 0]
    assert whole["per_type"].keys() == {"PERSON", "PAYMENT_CARD"}
    assert whole["per_type"]["PERSON"]["f1"] == 1.0
    assert whole["per_type"]["PAYMENT_CARD"]["precision"] is None
    assert whole["high_severity_leaks"] == {"PAYMENT_CARD": {"gold": 1, "leak": 1, "exposed": 1}}
    assert found["corpus_diagnostics"] == [
        {"source": "one", "source_label": label, "n_spans": 2, "type": label, "role": role, "reason": None}
        for label, role in (("PAYMENT_CARD", "excluded"), ("PERSON", "scored"))
    ]


def test_a_report_with_a_limit_says_so_and_that_it_is_not_comparable() -> None:
    assert (report_of("one")["limit"], report_of("one")["comparable"]) == (None, True)
    assert (report_of("one", limit=1)["limit"], report_of("one", limit=1)["comparable"]) == (1, False)


def test_reports_are_written_one_a_corpus_and_stale_ones_go(tmp_path: Path) -> None:
    place = tmp_path / "reports"
    place.mkdir()
    (place / "gone.json").write_text("{}")
    (place / "gone.limit-2.json").write_text("{}")
    report.write(report.common(board()), "run", tmp_path)
    assert {path.name for path in place.iterdir()} == {"one.json", "two.json", "three.json", "gone.limit-2.json"}
    assert [one["corpus"] for one in report.read(tmp_path)] == ["one", "three", "two"]
    before = {path: path.read_bytes() for path in place.iterdir()}
    report.write(report.common(board(1)), "run", tmp_path)
    assert {path: path.read_bytes() for path in place.iterdir() if path in before} == before
    assert [one["limit"] for one in report.read(tmp_path, 1)] == [1, 1, 1]
    assert [one["limit"] for one in report.read(tmp_path)] == [None, None, None]


@pytest.mark.parametrize("corpus", ["../../etc", "A", "a.limit-3", "", "x/y", "ö", "a" * 80])
def test_the_name_of_a_file_is_safe_whatever_the_corpus_is_called(corpus: str) -> None:
    name = report.file_name(corpus)
    assert name == report.file_name(corpus) != report.file_name(corpus + "b")
    assert len(name) == 64 + len(".json")
    assert name.removesuffix(".json").isalnum()


def test_the_section_of_a_result_says_what_does_not_apply_and_why() -> None:
    section = report.sections(board())["run"]
    assert section.keys() == {"by_corpus"}  # and nothing over corpora
    assert section["by_corpus"].keys() == {"one", "two", "three"}
    found = section["by_corpus"]
    assert found["one"].keys() == {"ranked", "whole"}
    assert found["one"]["whole"].keys() == {"all", "per_type"}
    assert found["two"]["ranked"]["by_carrier"].keys() == {"json"}
    assert found["one"]["ranked"]["all"]["leak"] == 1
    nothing = {"reason": "nothing in the corpus is annotated with a type that is scored or excluded"}
    assert found["three"] == {"ranked": nothing, "whole": nothing}
    short = report.sections(board())["short"]["by_corpus"]
    assert short["one"]["whole"] == {"reason": "the run left texts of this design open"}


def test_a_result_without_a_design_calls_its_rows_all_rows() -> None:
    con = tables.connect(ROWS[:1], [Run("run", ANSWERS)])
    warehouse.derive(con, report.MARTS)
    assert report.sections(con)["run"]["by_corpus"].keys() == {"one"}
    assert report.sections(con)["run"]["by_corpus"]["one"].keys() == {"all_rows"}


def strings(value: object) -> Iterator[str]:
    """Every string in a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def test_no_report_and_no_result_holds_text_of_a_row() -> None:
    folder = demo_board().results
    files = [*folder.glob("*/reports/*.json"), *folder.glob("*/result.json")]
    assert len(files) == 2 * 5 + 2
    con = warehouse.connect(1)
    pattern = warehouse.quoted(demo_board().warehouse / "gold_spans" / "*.parquet")
    found = con.sql(f"select distinct surface from read_parquet({pattern}) where length(surface) >= 4").fetchall()
    surfaces = {surface for (surface,) in found}
    assert len(surfaces) > 100
    for path in files:
        assert not surfaces & {*strings(json.loads(path.read_text("utf-8")))}, path.name


def test_reports_say_what_the_marts_say() -> None:
    folder = demo_board().results / "rules"
    for found in report.read(folder):
        typed = json.loads((folder / "result.json").read_text("utf-8"))["typed"]["by_corpus"][found["corpus"]]
        whole = typed[found["design"]]
        assert found["slices"]["all"].items() >= whole["all"].items()
        assert found["design"] == "documents"
        assert found["corpus_sha256"]
