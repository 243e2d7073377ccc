"""Every mart on boards where there is little or nothing to measure: NULLs and counts, never an error, never a NaN."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import pytest

from piibench_duck import results, warehouse
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

MARTS = tuple(file.name for file in warehouse.files() if file.schema == "marts")
TEXT = "Anna met Bob at x@y.z"


class Board(NamedTuple):
    """Rows and runs, and the settings that are not the usual ones."""

    rows: list[Row]
    runs: list[Run]
    settings: Mapping[str, Any] = {}


def judged(start: int, end: int, label: str = "PERSON", judgement: str = "DIRECT", entity: str = "e1") -> Gold:
    """A span on which every part has something to say."""
    return Gold(start, end, label, None, judgement, entity, "annotator")


def gold() -> list[Gold]:
    return [judged(0, 4), judged(9, 12, judgement="QUASI", entity="e2"), Gold(16, 21, "EMAIL")]


def alone(text: str, spans: list[Gold], preds: list[Pred]) -> Board:
    """One text, one document, one corpus, one run."""
    return Board([Row("a", text, spans)], [Run("r", {"a": Answer(preds)})])


def several(spans: list[Gold], preds: list[Pred], **settings: Any) -> Board:
    """Two corpora of three documents, in prose and JSON lines alike."""
    rows = [
        Row(
            f"{corpus}{n}@{carrier}",
            TEXT,
            spans,
            corpus,
            f"d{n}",
            carrier,
            alignments=[Stretch(0, 21, "copied", 0, 21)],
        )
        for corpus in ("x", "y")
        for n in range(3)
        for carrier in ("prose", "json")
    ]
    return Board(rows, [Run(run, {row.row_id: Answer(preds) for row in rows}) for run in ("r", "s")], settings)


DESIGNS = {"design": "balanced", "pairs_design": "paired", "documents_design": "documents"}
NAMES = [Pred(0, 4), Pred(9, 12)]
NO_MASK = "nothing that needs a mask, by the published rules"
BOARDS = {
    "no rows and no runs": Board([], []),
    "no rows in designs that are empty": Board([], [Run("r")], DESIGNS),
    "a run that was not run": Board([Row("a", TEXT, gold())], [Run("r", status="not_run")]),
    "no rows answered in designs": Board([Row("a", TEXT, gold()), Row("b", TEXT)], [Run("r")], DESIGNS),
    "no gold": several([], NAMES),
    "no predictions": several(gold(), []),
    "no gold and no predictions": several([], []),
    "an empty text": alone("", [], []),
    "one character that is both": alone("a", [judged(0, 1)], [Pred(0, 1)]),
    "everything masked": several(gold(), [Pred(0, 21)], replicates=1),
    "identifiers alone": several([Gold(16, 21, "EMAIL")], [Pred(16, 21)]),
    NO_MASK: several([judged(0, 4, judgement="NO_MASK")], NAMES, tab_rules="compat", weights="uniform"),
    "one document": alone(TEXT, gold(), NAMES),
}
UNSCORED = ("no gold", "no gold and no predictions", "identifiers alone", NO_MASK)
every_board = pytest.mark.parametrize("name", BOARDS)


@cache
def derived(name: str) -> warehouse.Connection:
    """The board with every mart."""
    board = BOARDS[name]
    con = tables.connect(board.rows, board.runs, **board.settings)
    warehouse.derive(con, MARTS)
    return con


def values(found: object) -> Iterator[object]:
    """Every value in a table, in lists and dictionaries too."""
    if isinstance(found, dict):
        yield from values(list(found.values()))
    elif isinstance(found, list | tuple):
        for value in found:
            yield from values(value)
    else:
        yield found


@every_board
def test_every_mart_gives_lines_without_nan_or_infinity(name: str) -> None:
    for mart in MARTS:
        floats = [
            value for value in values(derived(name).sql(f"select * from {mart}").fetchall()) if isinstance(value, float)
        ]
        assert [value for value in floats if not math.isfinite(value)] == [], mart


@every_board
def test_every_run_gets_a_result_that_is_json(name: str) -> None:
    con = derived(name)
    found = results.of_runs(con, {"protocol": "test"})
    assert found.keys() == {run.run_id for run in BOARDS[name].runs}
    json.dumps([result.said for result in found.values()], allow_nan=False)


def ratios(name: str, pattern: str) -> set[tuple[str, str, float | None]]:
    """The different values of each column of a mart whose name fits."""
    con = derived(name)
    return {
        (mart, column, value)
        for mart in MARTS
        for column, kind, *_ in con.sql(f"describe {mart}").fetchall()
        if kind == "DOUBLE" and re.search(pattern, column)
        for (value,) in con.sql(f"select distinct {column} from {mart}").fetchall()
    }


@pytest.mark.parametrize("name", UNSCORED)
def test_without_scored_gold_no_recall_is_defined(name: str) -> None:
    found = ratios(name, "recall")
    assert {mart for mart, _, _ in found} >= {"marts.scores", "marts.mean_scores"}
    assert name != NO_MASK or "marts.tab_scores" in {mart for mart, _, _ in found}
    with_identifiers = ("marts.typed", "marts.entity") if name == "identifiers alone" else ()
    assert [line for line in found if line[2] is not None and not line[0].startswith(with_identifiers)] == []


@pytest.mark.parametrize("name", ["no predictions", "no gold and no predictions"])
def test_without_predictions_no_precision_is_defined(name: str) -> None:
    found = ratios(name, "precision")
    assert {mart for mart, _, _ in found} >= {"marts.scores", "marts.mean_scores"}
    assert [line for line in found if line[2] is not None] == []


def test_where_there_is_nothing_no_ratio_is_defined() -> None:
    found = ratios("no gold and no predictions", "")
    assert len(found) > 40
    assert [line for line in found if line[2] is not None and line[1] != "share_incomplete"] == []


def test_where_everything_is_masked_nothing_is_exposed() -> None:
    con = derived("everything masked")
    shares = "select share_protected, share_protected_with_identifiers, share_protected_low from marts.document_scores "
    assert set(con.sql(shares + "inner join marts.document_intervals using (run_id, corpus)").fetchall()) == {(1, 1, 1)}
