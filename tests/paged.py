"""Boards to make pages of: copies of committed results, and an invented one with whatever runs a test wants."""

import copy
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from piibench_duck.board import page
from piibench_duck.places import Board

RESULTS = Path(__file__).parent.parent / "results"


def board_at(folder: Path) -> Board:
    return Board(folder.name, folder.parent / "warehouse", folder, None)


def written(board: Board) -> Path:
    """The page of a board, made now."""
    return page.write(board)


def committed(name: str, run: str) -> dict[str, Any]:
    """A committed result, to be changed."""
    found: dict[str, Any] = json.loads((RESULTS / name / run / "result.json").read_text("utf-8"))
    return found


def copied(name: str, folder: Path, whole: bool = False) -> Board:
    """A committed board: its result.json and board.json, or all of its files."""
    if whole:
        shutil.copytree(RESULTS / name, folder / name, ignore=shutil.ignore_patterns("page"))
        return board_at(folder / name)
    for path in (RESULTS / name / "board.json", *(RESULTS / name).glob("*/result.json")):
        place = folder / name / path.relative_to(RESULTS / name)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return board_at(folder / name)


def renamed(one: Mapping[str, Any], name: str, **said: object) -> dict[str, Any]:
    """The result as one of another run; `said` is said of it in its provenance."""
    made = copy.deepcopy(dict(one))
    made["model"] = name
    made["_provenance"] |= {"artefact": name, "conflict_of_interest": None, **said}
    return made


def invented(
    folder: Path,
    runs: Sequence[Mapping[str, Any]],
    seed_runs: Sequence[Mapping[str, Any]] = (),
    not_run: Sequence[Mapping[str, Any]] = (),
    **said: object,
) -> Board:
    """A board of these results, the first of `runs` first, whose comparisons are made up; `said` replaces keys."""
    for one in (*runs, *seed_runs, *not_run):
        place = folder / one["model"]
        place.mkdir(parents=True)
        (place / "result.json").write_text(json.dumps(one), "utf-8")
    names = [one["model"] for one in runs]
    every = [*names, *(one["model"] for one in seed_runs), *(one["model"] for one in not_run)]
    made = {
        "board": folder.name,
        "title": "An invented board",
        "piibench_duck": "0.1.0",
        "basis": {"protocol": "2", "design": "balanced", "rows_digest": "f" * 64, "replicates": 1000, "seed": 0},
        "undated": [],
        "corpora": {},
        "runs": names,
        "seed_runs": [one["model"] for one in seed_runs],
        "not_run": [one["model"] for one in not_run],
        "apart": {},
        "machines": {name: {"processor": "Abacus", "cores": "2"} for name in names},
        "results": {name: digest(folder / name / "result.json") for name in every},
        "statistics": {"replicates": 2000, "seed": 0, **{unit: _statistics(names) for unit in ("row", "document")}},
        "seed_spread": {},
        "interests": [],
        **said,
    }
    (folder / "board.json").write_text(json.dumps(made), "utf-8")
    return board_at(folder)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _difference(value: float) -> dict[str, Any]:
    return {"difference": value, "difference_low": value - 0.01, "difference_high": value + 0.01}


def _statistics(names: Sequence[str]) -> dict[str, Any]:
    beside = {"smallest_detectable": 0.02, "n_corpora": 7, "share_incomplete": 0.0}
    runs = {
        name: {
            "rank": place + 1,
            "rank_low": max(1, place),
            "rank_high": place + 2,
            "to_first": None
            if place == 0
            else {**_difference(-place / 100), "p_value": 0.2, "p_holm": 0.4, "is_separable": place > 1, **beside},
            "to_above": None if place == 0 else {"run": names[place - 1], **_difference(-0.01)},
        }
        for place, name in enumerate(names)
    }
    pairs = [
        {"run_a": a, "run_b": b, **_difference(0.01 * (other - place)), "p_value": 0.3, **beside}
        for place, a in enumerate(names)
        for other, b in enumerate(names)
        if place < other
    ]
    return {"runs": runs, "pairs": pairs}


def of_many(folder: Path, n_runs: int = 20, n_slices: int = 99) -> Board:
    """So many runs (five at least), timed, with a seed run, one that was not run, steering and interests."""
    sources = [committed("seven", run) for run in ("rules-or-rampart", "rules", "presidio-en", "spacy-en", "rampart")]
    runs = [renamed(sources[place % 5], f"detector-{place:02d}") for place in range(n_runs)]
    for place, one in enumerate(runs):
        parts = [one["carrier_effects"], one["entity"], one["typed"], one["documents"], one["scores"]]
        for by in (of for part in parts for name, of in part.items() if name.startswith("by_")):
            for name in sorted(by)[n_slices:]:
                del by[name]
        one["kind"] = "baseline" if place in (2, 7, 19) else "model"
        f1 = 0.9 - 0.03 * place
        one["scores"]["mean"]["f1"] = f1
        one["intervals"]["row"]["f1"] = [f1 - 0.01, f1 + 0.01]
        speed = {"median": 3.0 + (7 * place) % 20, "p95": 60.0 - place}
        ends = {f"{name}_interval": [value - 0.5, value + 0.5] for name, value in speed.items()}
        one["speed"] = {"unit": "ms", "n_rows": 200, **speed, **ends, "processor": "Abacus", "cores": "2"}
    runs[3]["_provenance"] |= {
        "steered": {"tab": "its author read it"},
        "conflict_of_interest": "Example Ltd runs this.",
    }
    runs[4]["speed"] = {"reason": "no rows were timed one at a time"}
    seed = renamed(sources[4], "detector-00-seed-1", recipe="invented", seed="1")
    absent = {
        "model": "absent",
        "kind": "model",
        "status": "not_run",
        "why": "its package is missing",
        "_provenance": {},
    }
    spread = {
        **{"runs": [seed["model"]], "n_runs": 1, "mean": 0.8, "low": 0.8, "high": 0.8, "spread": None},
        **{"f1": {seed["model"]: 0.8}, "seeds": {seed["model"]: "1"}, "released": "detector-00"},
        "margin": {"against": "detector-01", **_difference(0.03), "in_spreads": None},
    }
    interest = {
        **{"publisher": "Example Ltd", "runs": ["detector-03"], "run": "detector-03", "against": "detector-00"},
        **{"unit": "row", **_difference(-0.09), "p_value": 0.001},
    }
    return invented(
        folder, runs, [seed], [absent], undated=["germeval"], seed_spread={"invented": spread}, interests=[interest]
    )
