"""A new score is one SQL file and one line, in every part that has scores."""

import shutil
from collections.abc import Iterator

import pytest

from piibench_duck import places, sqlfiles, warehouse
from tests import tables
from tests.tables import Answer, Gold, Pred, Row, Run

METRIC = """-- Of what is gold or predicted, the share that is both.
create or replace macro metrics.jaccard(tp, fp, fn) as safe_ratio(tp, tp + fp + fn)
;
"""
ADDED = {  # by mart: the one line's arguments, and what comes of them on the board below
    "marts.scores": ("tp, fp, fn", 7 / 10),  # characters
    "marts.entity_scores": ("correct, actual - correct, possible - correct", 1 / 3),  # in the scheme that is asked for
    "marts.typed_scores": ("tp, pred - tp, gold - tp", 1 / 3),
    "marts.tab_scores": ("mentions_covered, masks - masks_right, mentions - mentions_covered", 2 / 3),
    "marts.document_scores": ("sum(n_protected), 0, sum(n_documents - n_protected)", 1 / 2),
}
LINE = "    metrics.jaccard({}) as jaccard,  -- the share that is both"
WHERE = {
    "marts.scores": "where slice_by = 'corpus'",
    "marts.entity_scores": "where slice_by = 'all' and scheme = 'strict'",
    "marts.typed_scores": "where slice_by = 'all'",
    "marts.document_scores": "where corpus = 'one'",
}


def judged(start: int, end: int, judgement: str) -> Gold:
    return Gold(start, end, identifier_type=judgement, entity_id=f"e{start}", annotator="annotator")


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[warehouse.Connection]:
    """One name found whole, one with three characters too many; from SQL to which a metric has been added."""
    folder = tmp_path_factory.mktemp("added") / "sql"
    shutil.copytree(places.sql_dir(), folder)
    (folder / "metrics" / "jaccard.sql").write_text(METRIC, "utf-8")
    for mart, (arguments, _) in ADDED.items():
        path = folder / f"{mart.replace('.', '/')}.sql"
        before, select, columns = path.read_text("utf-8").rpartition("\nselect\n")
        path.write_text(f"{before}{select}{LINE.format(arguments)}\n{columns}", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warehouse, "sql_dir", lambda: folder)
        rows = [
            Row("a", "Anna met Bob at noon", [judged(0, 4, "DIRECT"), judged(9, 12, "QUASI")]),
            Row("b", "Nobody was there."),
        ]
        con = tables.connect(rows, [Run("run", {"a": Answer([Pred(0, 4), Pred(9, 15)]), "b": Answer()})])
        warehouse.derive(con, ADDED)
        yield con


@pytest.mark.parametrize("mart", ADDED)
def test_one_file_and_one_line_add_a_figure(mart: str, board: warehouse.Connection) -> None:
    found = board.sql(f"select distinct jaccard from {mart} {WHERE.get(mart, '')}").fetchall()
    assert found == [(pytest.approx(ADDED[mart][1], abs=1e-15),)]


def test_its_comment_is_read_with_the_others(board: warehouse.Connection) -> None:
    described = {file.name: dict(file.columns) for file in warehouse.files()}
    assert [described[mart]["jaccard"] for mart in ADDED] == ["the share that is both"] * len(ADDED)
    assert "jaccard" not in {file.name.split(".")[1] for file in sqlfiles.load(places.sql_dir())}
