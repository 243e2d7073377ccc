"""What a page is made from: the `result.json` of each run and the `board.json` beside them, and nothing else."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from piibench_duck import results, standings
from piibench_duck.board.page_parts import find
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board

Result = Mapping[str, Any]


class Found(NamedTuple):
    """A board as its files say it. Runs are in the order of the ranking."""

    board: str
    standings: Mapping[str, Any]
    ran: Mapping[str, Result]
    seeds: Mapping[str, Result]  # further training runs of a recipe, which are not ranked
    not_run: Mapping[str, str]  # and why
    apart: Mapping[str, str]  # and why

    def comparison(self, unit: str, run: str) -> Mapping[str, Any]:
        """What `board.json` says of a ranked run."""
        return mapping(self.standings, "statistics", unit, "runs", run)

    def undated(self) -> Sequence[str]:
        """Corpora that annotate no dates."""
        return list(self.standings.get("undated") or ())

    def slices(self, kind: str) -> list[str]:
        """Corpora, carriers, languages or types that any ranked run has a score of."""
        return sorted({name for one in self.ran.values() for name in mapping(one, "scores", f"by_{kind}")})


def read(board: Board) -> Found:
    """The files of `results/<board>`; raises `PiibenchError` where they do not go together."""
    said = standings.read(board)
    by_run = {one["model"]: one for one in results.read_board(board.results)}
    apart = dict(said.get("apart") or {})
    ran = {run: _of(by_run, run) for run in said["runs"]}
    seeds = {run: _of(by_run, run) for run in said.get("seed_runs") or ()}
    not_run = {run: one["why"] for run, one in by_run.items() if one["status"] == "not_run"}
    for run, one in by_run.items():
        if run not in {*ran, *seeds, *not_run, *apart}:
            apart[run] = "its result.json is none" if one["status"] == "broken" else "it was scored after board.json"
    return Found(str(said["board"]), said, ran, seeds, not_run, dict(sorted(apart.items())))


def _of(by_run: Mapping[str, Result], run: str) -> Result:
    if by_run.get(run, {}).get("status") != "ran":
        raise PiibenchError(f"board.json ranks {run!r}, of which there is no result; `piibench-duck score` writes both")
    return by_run[run]


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """The object at `path`; an empty one where there is none."""
    _, found = find(value, *path)
    return found if isinstance(found, Mapping) else {}
