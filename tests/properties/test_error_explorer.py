"""The error explorer equals plain Python on rows that are made to be awkward: nests, twins, neighbours, lookalikes."""

from collections import Counter
from functools import cache
from random import Random
from typing import Any

import pytest

from piibench_duck import parameters, query, warehouse
from piibench_duck.errors import PiibenchError
from tests import tables
from tests.explored import Explored, Line
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

N_ROWS = 300
RUNS = ("a", "b")
GOLD_LABELS = ("PERSON", "PERSON", "LOCATION", "DATE_TIME", "EMAIL", "OTHER", "nobody-knows")
PRED_LABELS = ("PERSON", "PERSON", "PER", "LOCATION", "EMAIL", "nobody-knows")
LISTS = ("missed_spans", "missed_by_length", "spurious_spans", "boundary_errors", "type_confusions", "confused_spans")


def places(random: Random, n_chars: int, most: int) -> list[tuple[int, int]]:
    """Intervals of a text, some of them the whole of it, twins or neighbours of one before."""
    found: list[tuple[int, int]] = []
    for _ in range(random.randint(0, most)):
        start = random.randint(0, n_chars - 1)
        end = min(n_chars, start + random.choice([1, 2, 3, 5, n_chars]))
        if found and random.random() < 0.4:
            start, end = random.choice([found[-1], (found[-1][0], end), (found[-1][1], n_chars)])
        if start < end:
            found.append((start, end))
    return found


@cache
def board() -> tuple[list[Row], list[Run]]:
    random = Random(20130612)
    rows, answers = [], {run: dict[str, Answer]() for run in RUNS}
    for index in range(N_ROWS):
        n_chars = random.randint(1, 60)
        gold = [Gold(*place, random.choice(GOLD_LABELS)) for place in places(random, n_chars, 5)]
        lookalike = [Stretch(0, 1, "lookalike", None, None, None), Stretch(1, n_chars, "copied", 0, n_chars - 1)]
        row = Row(
            f"r{index:03d}@json",
            "x" * n_chars,
            gold,
            corpus=random.choice(["one", "two"]),
            carrier=random.choice(["prose", "json"]),
            alignments=lookalike if n_chars > 1 and random.random() < 0.3 else (),
            in_design=random.random() < 0.9,
        )
        rows.append(row)
        for run in RUNS:
            if random.random() < 0.95:
                spans = [Pred(*place, random.choice(PRED_LABELS)) for place in places(random, n_chars, 5)]
                spans += [Pred(*random.choice(gold)[:3])] if gold and random.random() < 0.5 else []
                answers[run][row.row_id] = Answer(spans)
    return rows, [Run(run, answers[run]) for run in RUNS]


@cache
def derived() -> warehouse.Connection:
    con = tables.connect(*board(), design="ranked")
    warehouse.derive(con, [read for file in query.queries().values() for read in file.reads])
    return con


@cache
def explored(run: str) -> Explored:
    rows, runs = board()
    lines: dict[str, list[dict[str, Any]]] = {
        "rows": [tables.row_line(row) for row in rows],
        "designs": [{"design": "ranked", "row_id": row.row_id} for row in rows if row.in_design],
        "gold_spans": [line for row in rows for line in tables.gold_lines(row)],
        "alignments": [line for row in rows for line in tables.alignment_lines(row)],
        "runs": [tables.run_line(one) for one in runs],
        "pred_spans": [line for one in runs for line in tables.pred_lines(one)],
    }
    return Explored(lines, run, "ranked")


def asked(name: str, **params: object) -> list[Line]:
    return list(query.cells(query.named(derived(), name, params)))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", LISTS)
def test_an_answer_is_that_of_plain_python(name: str, run: str) -> None:
    expected: list[Line] = getattr(explored(run), name)()
    assert len(expected) > 3
    assert [line[: len(expected[0])] for line in asked(name, run=run)] == expected


@pytest.mark.parametrize("run", RUNS)
def test_characters_by_type_and_the_worst_rows_are_those_of_plain_python(run: str) -> None:
    cells = explored(run).char_cells()
    found = asked("char_confusions", run=run)
    assert {line[:2]: line[2] for line in found} == {key: len(chars) for key, chars in cells.items()}
    assert all({(line[4], char) for char in range(*line[5:7])} <= cells[line[0], line[1]] for line in found)
    assert [(line[0], *line[3:5]) for line in asked("worst_rows", run=run)] == explored(run).worst_rows()


def test_rows_of_disagreement_are_those_of_plain_python() -> None:
    found = [(line[0], *line[3:8]) for line in asked("disagreements", run_a="a", run_b="b")]
    assert found == explored("a").disagreements(explored("b"))
    assert len(found) > 100


def test_every_kind_of_boundary_error_occurs() -> None:
    kinds = Counter(line[4] for line in asked("boundary_errors", run="a"))
    assert sorted(kinds) == ["shifted", "split", "too_long", "too_short"]
    assert min(kinds.values()) > 3


def test_a_corpus_and_a_carrier_are_looked_at_alone() -> None:
    parts = [(corpus, carrier) for corpus in ("one", "two") for carrier in ("prose", "json")]
    for name in ("missed_spans", "confused_spans", "disagreements", "worst_rows"):
        runs = {"run_a": "a", "run_b": "b"} if name == "disagreements" else {"run": "a"}
        all_ = asked(name, **runs)
        for corpus, carrier in parts:
            chosen = {row.row_id for row in board()[0] if (row.corpus, row.carrier) == (corpus, carrier)}
            expected = [line for line in all_ if line[0] in chosen]
            assert asked(name, **runs, corpus=corpus, carrier=carrier) == expected
    for name, place in (("missed_by_length", 3), ("type_confusions", 2), ("char_confusions", 2)):
        found = [line for corpus, carrier in parts for line in asked(name, run="a", corpus=corpus, carrier=carrier)]
        assert sum(line[place] for line in found) == sum(line[place] for line in asked(name, run="a"))
        with pytest.raises(PiibenchError, match="no corpus 'three'; there are one, two"):
            asked(name, run="a", corpus="three")


ANNA = Row("r", "x", [Gold(0, 1)])


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        ([], [Run("a"), Run("b")]),
        ([ANNA], []),
        ([ANNA], [Run("a"), Run("b")]),
        ([ANNA], [Run("a", {"r": Answer([Pred(0, 1)])}), Run("b", {"r": Answer()})]),
        ([Row("r", "")], [Run("a", {"r": Answer()}), Run("b")]),
        ([Row("r", "x")], [Run("a", {"r": Answer([Pred(0, 1)])}), Run("b", status="not_run")]),
    ],
)
def test_next_to_nothing_is_no_error(rows: list[Row], runs: list[Run]) -> None:
    con = tables.connect(rows, runs)
    warehouse.derive(con, [read for file in query.queries().values() for read in file.reads])
    for name, file in query.queries().items():
        needed = [one.name for one in parameters.of(file).values() if one.is_needed]
        params = dict.fromkeys(parameters.of(file)) | {one: "b" if one == "run_b" else "a" for one in needed}
        assert len(con.sql(file.text, params=params).fetchall()) <= 1, name
