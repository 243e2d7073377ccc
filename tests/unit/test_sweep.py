"""A run at score floors: equal to scoring what is left of it, and never worse in recall than at a higher floor."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import piibench_duck
from piibench_duck import build, given, imports, results, score, sweeps, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests.built import OPTIONS, PROTOCOL, copy_of_demo
from tests.shell import write_lines

TEXT = "Anna Bert Carl 4111"
WORDS = ((0, 4, "PERSON"), (5, 9, "PERSON"), (10, 14, "PERSON"), (15, 19, "PAYMENT_CARD"))
FLOORS = [None, 0.0, 0.5, 0.75]
Line = dict[str, Any]


def span(start: int, end: int, label: str, **more: float) -> Line:
    return {"start": start, "end": end, "label": label, **more}


def rows() -> list[Line]:
    """Lines of a rows file: two corpora, ten texts each, and one without gold."""
    return [
        {
            **{"id": f"r{place:02}", "dataset": corpus, "text": TEXT},
            "spans": [] if corpus == "empty" else [span(*word) for word in WORDS[:3]],
            "excluded": [] if corpus == "empty" else [span(*WORDS[3])],
        }
        for place, corpus in enumerate(["one"] * 10 + ["two"] * 10 + ["empty"])
    ]


def predictions(seed: int, share_unscored: float) -> list[Line]:
    """Lines of a predictions file: right and wrong spans, some sure, some not, some without a score."""
    random = Random(seed)
    found = []
    for row in rows():
        spans = []
        for start, end, label in WORDS:
            for _ in range(random.choice([0, 1, 1, 2])):
                shift = random.choice([0, 0, 0, 1])
                sure = {} if random.random() < share_unscored else {"score": random.randrange(0, 101) / 100}
                spans.append(span(start, end - shift, random.choice([label, label, "PERSON"]), **sure))
        found.append({"id": row["id"], "spans": spans})
    return found


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """A user's own board with three runs: some scores, all, and none."""
    folder = tmp_path_factory.mktemp("board")
    board = Board("own", folder / "warehouse", folder / "results", folder)
    write_lines(folder / "rows.jsonl", rows())
    build.build(board, PROTOCOL)
    never = [{**line, "spans": [span(*WORDS[0])]} for line in predictions(3, 1.0)]
    for name, lines in (("mixed", predictions(1, 0.3)), ("sure", predictions(2, 0.0)), ("never", never)):
        imports.import_run(board, PROTOCOL, write_lines(folder / f"{name}.jsonl", lines), name, "jsonl")
    return board


def swept(board: Board, run: str, **how: Any) -> list[Line]:
    return sweeps.lines(board, PROTOCOL, run, **how, threads=1)


def left(line: Line, floor: float | None, keeps: bool) -> Line:
    """A line of a predictions file with what a floor leaves."""

    def stays(one: Line) -> bool:
        return floor is None or (one["score"] >= floor if "score" in one else keeps)

    return {**line, "spans": [one for one in line["spans"] if stays(one)]}


def test_a_floor_is_as_good_as_a_run_without_what_is_below_it(board: Board, tmp_path: Path) -> None:
    floors = {f"{unscored}{floor}": (unscored, floor) for unscored in ("keep", "drop") for floor in FLOORS}
    files = [
        write_lines(tmp_path / name, [left(line, floor, unscored == "keep") for line in predictions(1, 0.3)])
        for name, (unscored, floor) in floors.items()
    ]
    taken, answered = given.read(write_lines(tmp_path / "rows.jsonl", rows()), files, "codepoint", {}, False)
    con = score.filled(taken, dict(zip(floors, answered, strict=True)), OPTIONS)
    warehouse.derive(con, ["marts.typed_scores", "marts.scores"])
    found = {
        (unscored, of["floor"], of["corpus"], of["level"]): of
        for unscored in ("keep", "drop")
        for of in swept(board, "mixed", floors=FLOORS, unscored=unscored)
    }
    assert len(found) == 2 * len(FLOORS) * 3 * 2
    names = ["gold", "pred", "tp", "fp", "fn", "precision", "recall", "f1", "f2", "leak", "docs"]
    for of in warehouse.rows_of(con, "select * from marts.typed_scores where slice_by = 'all'"):
        same = found[*floors[of["run_id"]], of["corpus"], "typed"]
        assert [same[name] for name in names] == [of[name] for name in names]
    names = ["tp", "fp", "fn", "precision", "recall", "f1", "n_rows"]
    for of in warehouse.rows_of(con, "select * from marts.scores where slice_by = 'corpus'"):
        same = found[*floors[of["run_id"]], of["slice"], "characters"]
        assert [same[name] for name in names] == [of[name] for name in names]


def test_no_floor_gives_what_score_gives(tmp_path: Path) -> None:
    demo = copy_of_demo(tmp_path)
    result = results.read_result(demo.results / "rules")
    found = sweeps.lines(demo, PROTOCOL, "rules", [None])
    assert len(found) == 2 * 5
    for line in found:
        if line["level"] == "typed":
            whole = result["typed"]["by_corpus"][line["corpus"]][line["design"]]["all"]
            assert line["design"] == "documents"
        else:
            whole = result["scores"]["by_corpus"][line["corpus"]]
            assert line["design"] == "balanced"
        for name in ("tp", "fp", "fn", "precision", "recall", "f1", "n_rows_missing"):
            assert line[name] == whole[name], name


@pytest.mark.parametrize("unscored", ["keep", "drop"])
def test_recall_never_rises_with_the_floor(board: Board, unscored: str) -> None:
    for run in ("mixed", "sure"):
        found = swept(board, run, floors=FLOORS, unscored=unscored)
        for corpus in ("one", "two"):
            for level in sweeps.LEVELS:
                recalls = [of["recall"] for of in found if (of["corpus"], of["level"]) == (corpus, level)]
                assert recalls == sorted(recalls, reverse=True)
                assert recalls[0] > recalls[-1]


@cache
def all_floors(folder: Path, unscored: str) -> list[Line]:
    """The run at every score that it has, and at none."""
    scores = {one["score"] for line in predictions(1, 0.3) for one in line["spans"] if "score" in one}
    board = Board("own", folder / "warehouse", folder / "results", folder)
    return swept(board, "mixed", floors=[None, *sorted(scores)], unscored=unscored)


@pytest.mark.parametrize(("target", "unscored"), [(0.0, "drop"), (0.45, "drop"), (0.45, "keep"), (1.0, "keep")])
def test_the_floor_for_a_recall_is_the_highest_that_has_it(board: Board, target: float, unscored: str) -> None:
    assert board.own
    found = swept(board, "mixed", at_recall=target, unscored=unscored)
    assert [(of["corpus"], of["level"]) for of in found] == [
        (corpus, level) for corpus in ("empty", "one", "two") for level in sweeps.LEVELS
    ]
    seen = {one.get("score") for row, line in zip(rows(), predictions(1, 0.3), strict=True) for one in line["spans"]}
    assert None in seen
    for of in found:
        its_scores = {
            one["score"]
            for row, line in zip(rows(), predictions(1, 0.3), strict=True)
            for one in line["spans"]
            if row["dataset"] == of["corpus"] and "score" in one
        }
        reached = [
            other
            for other in all_floors(board.own, unscored)
            if (other["corpus"], other["level"]) == (of["corpus"], of["level"])
            and (other["floor"] is None or other["floor"] in its_scores)
            and other["recall"] is not None
            and other["recall"] >= target
        ]
        assert of["is_reached"] == bool(reached)
        if reached:
            best = max(reached, key=lambda other: -1.0 if other["floor"] is None else other["floor"])
            assert {**of, "is_reached": None} == best
        else:
            assert of["floor"] is None


def test_what_has_no_score_is_counted_and_kept_or_dropped(board: Board) -> None:
    kept = swept(board, "never", floors=[None, 0.5])
    dropped = swept(board, "never", floors=[None, 0.5], unscored="drop")
    for whole, none in zip(kept, dropped, strict=True):
        n_rows = 1 if whole["corpus"] == "empty" else 10
        assert whole["n_unscored"] == none["n_unscored"] == n_rows
        assert whole["tp"] == (0 if whole["corpus"] == "empty" else 10 * (1 if whole["level"] == "typed" else 4))
        assert none["tp"] == (0 if none["floor"] is not None else whole["tp"])
    assert [of["n_unscored"] for of in swept(board, "sure", floors=[None], corpus="one")] == [0, 0]


def test_a_run_without_scores_reaches_a_recall_without_a_floor_or_not_at_all(board: Board) -> None:
    found = swept(board, "never", at_recall=0.3, corpus="one")
    assert [(of["floor"], of["is_reached"], of["recall"]) for of in found] == [(None, False, 0.25), (None, True, 1 / 3)]


def test_one_corpus_is_swept_as_among_all(board: Board) -> None:
    alone = swept(board, "mixed", floors=FLOORS, corpus="two")
    assert alone == [of for of in swept(board, "mixed", floors=FLOORS) if of["corpus"] == "two"]


def test_a_sweep_writes_nothing(board: Board) -> None:
    assert board.own

    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in board.warehouse.parent.rglob("*") if path.is_file()}

    before = files()
    swept(board, "mixed", at_recall=0.5)
    assert files() == before


def test_predictions_that_are_not_counted_are_counted_apart(board: Board) -> None:
    found = {of["level"]: of for of in swept(board, "never", floors=[None], corpus="empty")}
    assert (found["typed"]["pred"], found["typed"]["n_out_of_scope"], found["typed"]["n_unmapped"]) == (0, 1, 0)
    assert {found["characters"][name] for name in sweeps.APART} == {None}


def test_a_board_in_python_is_what_the_command_takes_or_a_folder_or_an_opened_one(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert board.own
    score.score_board(board, PROTOCOL, OPTIONS)
    expected = swept(board, "mixed", floors=[None])
    monkeypatch.chdir(board.own.parent)
    for path in (board.own.name, board.own, str(board.warehouse), piibench_duck.open(board.own)):
        assert piibench_duck.sweep(path, "mixed", floors=[None]).to_dicts() == expected
    named = board.own.parent / "home" / "warehouse"
    named.mkdir(parents=True)
    (named / "demo").symlink_to(board.warehouse)
    monkeypatch.setenv("PIIBENCH_HOME", str(named.parent))
    assert piibench_duck.open("demo").name == "demo"
    with pytest.raises(PiibenchError, match=r"^no board 'nobody'; there are .*, or a folder that holds rows\.jsonl"):
        piibench_duck.sweep("nobody", "mixed", floors=[None])
    with pytest.raises(PiibenchError, match=r"^a board is its name, its folder or an opened board"):
        piibench_duck.sweep(5, "mixed", floors=[None])  # type: ignore[arg-type]
    with pytest.raises(PiibenchError, match=r"^threads are not a whole number from 1 to 1024$"):
        piibench_duck.sweep(board.own, "mixed", floors=[None], threads=0)


def test_the_python_call_gives_a_frame_of_named_and_typed_columns(board: Board) -> None:
    frame = piibench_duck.sweep(board.warehouse, "mixed", floors=[None, 0.5])
    assert frame.columns == list(sweeps.COLUMNS)
    assert frame.to_dicts() == swept(board, "mixed", floors=[None, 0.5])
    dtypes = {name: str(kind) for name, kind in frame.schema.items()}
    assert dtypes["floor"] == dtypes["f1"] == "Float64"
    assert dtypes["leak"] == dtypes["tp"] == "Int64"
    assert callable(piibench_duck.sweep), "no module of that name hides it"


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"run": "nobody"}, "no run 'nobody'; there are mixed, never, sure"),
        ({"corpus": "three"}, "no corpus 'three' on board 'own'; there are empty, one, two"),
        ({"floors": [float("nan")]}, "a floor is not a finite number"),
        ({"floors": None}, "a sweep needs either floors or a recall, found both or neither"),
        ({"at_recall": 0.5}, "a sweep needs either floors or a recall, found both or neither"),
        ({"floors": None, "at_recall": 1.5}, "a recall of 1.5 cannot be; a number from 0 to 1 was expected"),
        ({"floors": []}, "floors are an empty list; a number, or None for no floor, was expected"),
        ({"floors": 0.5}, "floors are not a list of numbers, with None for no floor"),
        ({"floors": None, "at_recall": "0.5"}, "a recall is not a finite number"),
        ({"unscored": "lose"}, "predictions without a score cannot be 'lose'; keep or drop was expected"),
    ],
)
def test_what_cannot_be_swept_is_refused_in_a_sentence(board: Board, how: dict[str, Any], told: str) -> None:
    with pytest.raises(PiibenchError, match=f"^{told}$"):
        swept(board, **{"run": "mixed", "floors": [0.5], **how})
