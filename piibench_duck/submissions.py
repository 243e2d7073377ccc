"""A run's folder of results as a pull request brings it: whether it is whole, and says what its counts say."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import (
    rederive,
    report,
    rescored,
    results,
    run_plans,
    submitted_counts,
    submitted_json,
    submitted_reports,
)
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol

_REVISION = re.compile("[0-9a-f]{40}")
_OPTIONAL = ("tab_counts.parquet",)
_KNOWN_OF_BOARD = ("board", "design", "protocol", "rows_sha256")
_MOST_REPLICATES = 100_000
_NOT_FROM_SPANS = "the other Parquet files from predictions.parquet: it holds the rows that rank alone"


class Report(NamedTuple):
    """What a check found wrong, and what it could not look at, with the reason; a line each."""

    run: str
    n_figures: int  # that were computed again from counts
    is_scored_again: bool  # whether the counts of rows were computed again from predictions
    findings: list[str]
    skipped: list[str]


def check(folder: Path, protocol: Protocol, board: Board | None, allow_unpinned: bool = False) -> Report:
    """Look through a run's folder of results. `board` is the one whose rows its predictions are scored on again."""
    if not folder.is_dir():
        raise PiibenchError(f"{folder} is no folder; results/<board>/<run> was expected")
    folder = folder.resolve()
    run = folder.name
    try:
        said = results.read_result(folder)
    except PiibenchError as error:
        return Report(run, 0, False, [str(error)], [])
    findings = [
        *_files(folder, said),
        *_names(folder, said),
        *_pins(said, allow_unpinned),
        *submitted_json.findings(folder, said),
    ]
    wrong_kind, on_trust = submitted_json.kind(said)
    findings += wrong_kind
    if said["status"] != "ran":
        return Report(run, 0, False, findings, [])
    findings += _settings(said)
    if findings:  # what follows takes whole files for granted
        return Report(run, 0, False, findings, ["the figures: what was found has to be mended first"])
    skipped = [f"{key}: {why}" for key, why in (*rederive.SKIPPED.items(), *submitted_reports.SKIPPED.items())]
    skipped += [on_trust] if on_trust else []
    reference, apart = _beside(folder, said)
    findings += apart
    if reference is None:
        skipped.append("whether rows and gold are the board's: no other result of the same rows lies beside it")
    try:
        findings += submitted_counts.findings(folder, said, reference)
        found, reports = rederive.derived(folder, said)
    except PiibenchError as error:
        return Report(run, 0, False, [*findings, str(error)], skipped)
    findings += rederive.differences(said, found)
    findings += _provenance(said, found)
    findings += submitted_reports.findings(folder, said, reports, reference)
    why_not = "no board of that name is known here" if board is None else rescored.why_not(board)
    if board is not None and why_not is None:
        findings += rescored.differences(board, protocol, folder, said)
    else:
        skipped.append(f"row_counts.parquet from predictions.parquet: {why_not}")
    skipped.append(_NOT_FROM_SPANS)
    return Report(run, rederive.n_figures(found), why_not is None, findings, skipped)


def _files(folder: Path, said: Mapping[str, Any]) -> Iterator[str]:
    there = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
    wanted = set(results.FILES) if said["status"] == "ran" else {"meta.json", "result.json"}
    for name in sorted(wanted - there.keys() - set(_OPTIONAL)):
        yield f"{name} is not there"
    for name, path in there.items():
        is_report = path.parent.name == report.FOLDER and path.suffix == ".json" and name.count("/") == 1
        if path.is_symlink() or not (path.is_file() or name == report.FOLDER):
            yield f"{name!r} is neither a file nor a folder of its own"
        elif name not in wanted and not (said["status"] == "ran" and (is_report or name == report.FOLDER)):
            yield f"{name!r} is no file of a result; there are {', '.join(results.FILES)}, and {report.FOLDER}/"


def _names(folder: Path, said: Mapping[str, Any]) -> Iterator[str]:
    if said["model"] != folder.name or not run_plans.is_name(folder.name):
        yield f"the folder is called {folder.name!r} and the run {said['model']!r}; one name of a run was expected"
    board = said["_provenance"].get("board")
    own = folder.parent.parent.name if folder.parent.name == "results" else None  # a board in a folder of its own
    if board not in (folder.parent.name, own):
        yield (
            f"the result is of board {board!r}, and lies with those of {own or folder.parent.name!r}; "
            f"results/{board}/{said['model']} was expected"
        )


def _pins(said: Mapping[str, Any], allow_unpinned: bool) -> Iterator[str]:
    of = said["_provenance"]
    revision = of.get("model_revision")
    by_commit = bool(of.get("model_id")) and isinstance(revision, str) and _REVISION.fullmatch(revision) is not None
    if said["status"] == "ran" and not (of.get("is_pinned") is True or by_commit or allow_unpinned):
        yield (
            f"the run is not pinned (model_id {of.get('model_id')!r}, model_revision {revision!r}): a model with a "
            "revision of 40 hexadecimal digits was expected, or --allow-unpinned"
        )


def _settings(said: Mapping[str, Any]) -> Iterator[str]:
    """What the draws and digests are asked with has to be of the right kind before anything is computed."""
    intervals, of = said["intervals"], said["_provenance"]
    for name, least, most in (("replicates", 1, _MOST_REPLICATES), ("seed", 0, 2**32 - 1)):
        value = intervals.get(name)
        if type(value) is not int or not least <= value <= most:
            yield f"intervals.{name} is not a whole number from {least} to {most}"
    if not re.fullmatch("[0-9a-f]{64}", str(of.get("rows_digest"))):
        yield "_provenance.rows_digest is no SHA-256"


def _beside(folder: Path, said: Mapping[str, Any]) -> tuple[Path | None, list[str]]:
    """The folder of another result that this one can be compared with, and what differs where there is none."""
    found = results.read_board(folder.parent)
    others = [one for one in found if one["model"] != said["model"] and one["status"] == "ran"]
    if not others:
        return None, []
    by_name = {one["model"]: results.differing(one, said, results.BASIS) for one in others}
    alike = next((one for one in others if not by_name[one["model"]]), None)
    if alike is not None:
        is_same = _pairs_digest(alike) == _pairs_digest(said)
        told = f"carrier_effects.rows_digest is not that of {alike['model']!r}"
        return folder.parent / alike["model"], [] if is_same else [told]
    nearest = min(by_name, key=lambda run: len(by_name[run]))
    return None, [f"it cannot be ranked with {nearest!r}: its {' and '.join(by_name[nearest])} differs"]


def _pairs_digest(said: Mapping[str, Any]) -> object:
    return said.get("carrier_effects", {}).get("rows_digest")


def _provenance(said: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    known = {*found["_provenance"], *_KNOWN_OF_BOARD}
    for name in sorted(known - said["_provenance"].keys()):
        yield f"_provenance.{name} is not said; score the run again"
    for name in sorted(said["_provenance"].keys() - known):
        yield f"_provenance.{name} is said, and no result says it"
