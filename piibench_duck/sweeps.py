"""A run at score floors: what is left of it is a run of its own, scored by the very same SQL."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from piibench_duck import protocol as protocols
from piibench_duck import typed, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.floors import check, check_recall
from piibench_duck.places import Board
from piibench_duck.score import Options
from piibench_duck.warehouse import Connection

if TYPE_CHECKING:
    import polars as pl

    from piibench_duck.explore import OpenBoard

Level = Literal["typed", "characters"]
LEVELS: tuple[Level, ...] = ("typed", "characters")
APART = ("n_out_of_scope", "n_unmapped", "n_ignored", "n_left_out")
"""Predicted spans that are not among `pred` of typed scores, by why."""
COLUMNS = {
    **{"run": str, "corpus": str, "level": str, "design": str, "floor": float, "is_reached": bool},
    **{"docs": int, "n_rows": int, "n_rows_missing": int, "n_scored": int, "n_unscored": int},
    **{"gold": int, "pred": int, "tp": int, "fp": int, "fn": int},
    **{"precision": float, "recall": float, "f1": float, "f2": float, "leak": int},
    **dict.fromkeys(APART, int),
}
"""Names and types of what a sweep gives."""

_OF_RUN = ("runs", "run_rows", "pred_spans")
_MOST_THREADS = 1024
_PROBES = 6
"""Floors that a search tries at once in each corpus."""

_SELECTS: Mapping[Level, tuple[str, str]] = {
    "typed": (
        "marts.typed_scores",
        "select run_id, corpus, is_ranked, design, docs, n_rows, n_rows_missing, gold, pred, tp, fp, fn, precision, "
        f"recall, f1, f2, leak, {', '.join(APART)} from marts.typed_scores where is_reported and slice_by = 'all'",
    ),
    "characters": (
        "marts.scores",
        "select run_id, slice as corpus, true as is_ranked, settings.design, null as docs, n_rows, n_rows_missing, "
        "tp + fn as gold, tp + fp as pred, tp, fp, fn, precision, recall, f1, metrics.f2(tp, fp, fn) as f2, "
        f"null as leak, {', '.join(f'null as {name}' for name in APART)} "
        "from marts.scores cross join staging.settings as settings where slice_by = 'corpus'",
    ),
}
_COUNTED = """
select rows.corpus, rows.is_selected, rows.is_of_document, spans.score, count(spans.row_id) as n_spans
from staging.all_rows as rows left join given.whole_pred_spans as spans on rows.row_id = spans.row_id
where rows.is_selected or rows.is_of_document group by all order by all
"""

Line = dict[str, Any]
Floors = Mapping[str, float | None]
"""A floor for each corpus, None for none at all: every figure is of one corpus, so one pseudo-run serves them all."""


class Asked(NamedTuple):
    """Whose predictions are swept, and how."""

    board: Board
    protocol: protocols.Protocol
    run: str
    corpus: str | None
    keeps_unscored: bool
    threads: int | None


class _Scores(NamedTuple):
    """What a run says of how sure it is."""

    distinct: dict[str, list[float]]  # by corpus, ascending
    n_scored: Counter[tuple[str, bool]]  # by corpus and whether of the rows that rank; else of whole documents
    n_unscored: Counter[tuple[str, bool]]


def frame(
    path: "str | Path | OpenBoard",
    run: str,
    floors: Sequence[float | None] | None,
    at_recall: float | None,
    corpus: str | None,
    unscored: str,
    threads: int | None,
) -> "pl.DataFrame":
    """What `piibench_duck.sweep` gives."""
    import polars as pl

    from piibench_duck import explore

    protocol = protocols.load()
    found = lines(explore.find_place(path, protocol), protocol, run, floors, at_recall, corpus, unscored, threads)
    types = {str: pl.String(), float: pl.Float64(), int: pl.Int64(), bool: pl.Boolean()}
    return pl.DataFrame(found, schema={name: types[kind] for name, kind in COLUMNS.items()})


def lines(
    board: Board,
    protocol: protocols.Protocol,
    run: str,
    floors: Sequence[float | None] | None = None,
    at_recall: float | None = None,
    corpus: str | None = None,
    unscored: str = "keep",
    threads: int | None = None,
) -> list[Line]:
    """The lines of a sweep, each a dictionary with the keys of `COLUMNS`."""
    if (floors is None) == (at_recall is None):
        raise PiibenchError("a sweep needs either floors or a recall, found both or neither")
    wanted = [] if floors is None else check(floors)
    target = 0.0 if at_recall is None else check_recall(at_recall)
    if unscored not in ("keep", "drop"):
        raise PiibenchError(f"predictions without a score cannot be {unscored!r}; keep or drop was expected")
    if threads is not None and not (type(threads) is int and 1 <= threads <= _MOST_THREADS):
        raise PiibenchError(f"threads are not a whole number from 1 to {_MOST_THREADS}")
    typed.asked(board, [run])
    of = Asked(board, protocol, run, corpus, unscored == "keep", threads)
    with typed.opened(board, protocol, Options(0, 1, threads=threads), [run]) as con:
        _prepare(con, of)
        scores = _scores(con)
        if floors is not None:
            found = list(_at_floors(con, of, scores, wanted))
        else:
            found = list(_at_recall(con, of, scores, target))
    for line in found:
        of_design = line["corpus"], line["is_ranked"]
        line |= {"n_scored": scores.n_scored[of_design], "n_unscored": scores.n_unscored[of_design]}
    return [{name: line[name] for name in COLUMNS} for line in found]


def _at_floors(con: Connection, of: Asked, scores: _Scores, floors: Sequence[float | None]) -> Iterator[Line]:
    measured = _measure(con, of, [dict.fromkeys(scores.distinct, floor) for floor in floors], LEVELS)
    for corpus in scores.distinct:
        for level in LEVELS:
            for slot, floor in enumerate(floors):
                if (slot, corpus, level) in measured:
                    yield {**measured[slot, corpus, level], "floor": floor, "is_reached": None}


def _at_recall(con: Connection, of: Asked, scores: _Scores, target: float) -> Iterator[Line]:
    whole = _measure(con, of, [dict.fromkeys(scores.distinct)], LEVELS)
    best = {
        (corpus, level): {**line, "floor": None, "is_reached": _reaches(line, target)}
        for (_, corpus, level), line in whole.items()
    }
    for level in LEVELS:
        reached = [corpus for corpus in scores.distinct if best.get((corpus, level), {}).get("is_reached")]
        for corpus, line in _highest(con, of, {name: scores.distinct[name] for name in reached}, level, target):
            best[corpus, level] = line
    for corpus in scores.distinct:
        yield from (best[corpus, level] for level in LEVELS if (corpus, level) in best)


def _highest(
    con: Connection, of: Asked, floors: Mapping[str, list[float]], level: Level, target: float
) -> Iterator[tuple[str, Line]]:
    """The measure at the highest of a corpus's floors that reaches the target, better ones after others.

    Recall never rises with the floor, so the floors in question are cut in parts until none is left.
    """
    questions = {corpus: (0, len(ascending)) for corpus, ascending in floors.items()}
    while questions := {corpus: (low, high) for corpus, (low, high) in questions.items() if low < high}:
        probes = {corpus: _spread(low, high) for corpus, (low, high) in questions.items()}
        slots = [
            {corpus: floors[corpus][places[slot]] for corpus, places in probes.items() if slot < len(places)}
            for slot in range(max(map(len, probes.values())))
        ]
        measured = _measure(con, of, slots, [level])
        for corpus, places in probes.items():
            low, high = questions[corpus]
            n_good = sum(_reaches(measured[slot, corpus, level], target) for slot in range(len(places)))
            if n_good:
                low = places[n_good - 1] + 1
                line = measured[n_good - 1, corpus, level]
                yield corpus, {**line, "floor": slots[n_good - 1][corpus], "is_reached": True}
            if n_good < len(places):
                high = places[n_good]
            questions[corpus] = low, high


def _reaches(line: Line, target: float) -> bool:
    return line["recall"] is not None and line["recall"] >= target


def _spread(low: int, high: int) -> list[int]:
    """Some indexes from `low` to below `high`, evenly spread, in order.

    >>> _spread(0, 3), _spread(0, 70)
    ([0, 1, 2], [10, 20, 30, 40, 50, 60])
    """
    if high - low <= _PROBES:
        return list(range(low, high))
    return [low + (high - low) * (probe + 1) // (_PROBES + 1) for probe in range(_PROBES)]


def _measure(
    con: Connection, of: Asked, slots: Sequence[Floors], levels: Sequence[Level]
) -> dict[tuple[int, str, Level], Line]:
    """Each corpus at each level with the predictions that a slot's floor leaves of it.

    A slot is a run in memory that nothing is written of; where it names no floor of a corpus, that has no predictions.
    """
    _clear(con)
    floors = [(str(slot), corpus, floor) for slot, named in enumerate(slots) for corpus, floor in named.items()]
    con.executemany("insert into given.floors values (?, ?, ?)", floors)
    for table in ("runs", "run_rows"):
        con.execute(
            f"insert into contracts.{table} by name select run.* replace (slots.run_id as run_id) "
            f"from given.whole_{table} as run cross join (select distinct run_id from given.floors) as slots"
        )
    con.execute(
        "insert into contracts.pred_spans by name select spans.* replace (floors.run_id as run_id) "
        "from given.whole_pred_spans as spans inner join contracts.rows as rows on spans.row_id = rows.row_id "
        "inner join given.floors as floors on rows.corpus = floors.corpus "
        "where floors.floor is null or spans.score >= floors.floor or (spans.score is null and $keeps)",
        {"keeps": of.keeps_unscored},
    )
    warehouse.derive(con, [_SELECTS[level][0] for level in levels])
    return {
        (int(line["run_id"]), line["corpus"], level): {**line, "run": of.run, "level": level}
        for level in levels
        for line in warehouse.rows_of(con, _SELECTS[level][1])
    }


def _clear(con: Connection) -> None:
    """Forget the pseudo-runs before, and all that was derived of them."""
    for schema in ("marts", "intermediate", "staging"):
        con.execute(f"drop schema {schema} cascade; create schema {schema}")
    for table in ("given.floors", *(f"contracts.{table}" for table in _OF_RUN)):
        con.execute(f"delete from {table}")


def _prepare(con: Connection, of: Asked) -> None:
    """Put the run aside as it is, and leave the board the rows of one corpus where one is asked for."""
    [(status, why)] = con.sql("select status, why from contracts.runs").fetchall()
    if status == "not_run":
        raise PiibenchError(f"run {of.run!r} was not run: {why}")
    for table in _OF_RUN:
        con.execute(f"create table given.whole_{table} as select * from contracts.{table}")
    con.execute("create table given.floors (run_id varchar, corpus varchar, floor double)")
    if of.corpus is None:
        return
    there = [name for (name,) in con.sql("select distinct corpus from contracts.rows order by all").fetchall()]
    if of.corpus not in there:
        raise PiibenchError(f"no corpus {of.corpus!r} on board {of.board.name!r}; there are {', '.join(there)}")
    con.execute("delete from contracts.rows where corpus <> $corpus", {"corpus": of.corpus})


def _scores(con: Connection) -> _Scores:
    warehouse.derive(con, ["staging.all_rows"])
    distinct: dict[str, list[float]] = {}
    n_scored: Counter[tuple[str, bool]] = Counter()
    n_unscored: Counter[tuple[str, bool]] = Counter()
    for corpus, is_ranked, is_of_document, score, n_spans in con.sql(_COUNTED).fetchall():
        its_scores = distinct.setdefault(corpus, [])
        if score is not None:
            its_scores.append(score)
        counts = n_unscored if score is None else n_scored
        counts[corpus, True] += n_spans * is_ranked
        counts[corpus, False] += n_spans * is_of_document
    return _Scores({corpus: sorted({*its_scores}) for corpus, its_scores in distinct.items()}, n_scored, n_unscored)
