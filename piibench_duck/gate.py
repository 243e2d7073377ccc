"""Whether a result holds what a policy asks, and does not fall behind a baseline; figures are read, never made."""

import csv
import difflib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import results
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board, data_dir
from piibench_duck.policy import Clause, Policy
from piibench_duck.report import ALL_ROWS
from piibench_duck.run_plans import is_name

SEED = 0
REPLICATES = 2000
_OVER_ALL = "in all corpora"
_UNMEASURED = "is not defined"
_DIGITS = range(3, 18)
_MAX_DROP = "max_drop"
_ENOUGH_UNITS = 2
"""Units that a corpus must have: of one, every replicate is the same, and the interval has no width."""


class Judged(NamedTuple):
    """A clause with what the result says: `why` is there where it says nothing, which is never enough."""

    name: str  # what the figure is, in words
    key: str
    figure: float | int | None
    interval: Sequence[float | None] | None
    unit: str | None  # of the interval
    bound: float
    is_least: bool
    hold: str
    holds: bool
    why: str | None = None
    of: int | None = None  # of how many, where the figure is a count

    def line(self) -> str:
        """The clause in a sentence, as it is printed where it is broken."""
        if self.why is not None:
            return f"{self.name} {self.why}"
        judged, name = self.judged, self.name
        if self.hold == "interval":
            name = f"{name}, lower end of the 95 % interval by {self.unit},"
        assert judged is not None
        is_met = "at least" if self.is_least else "at most"
        beside = is_met if self.holds else "below" if self.is_least else "above"
        of = "" if self.of is None else f" of {self.of}"
        never = ", and the clause can never be broken" if self.is_idle else ""
        return f"{name} is {self.shown(judged)}{of}, {beside} {self.shown(self.bound)}{never}"

    @property
    def is_idle(self) -> bool:
        """Whether no run on these rows could break it."""
        most = 1 if self.key == _MAX_DROP else self.of
        return not self.is_least and most is not None and self.bound >= most

    def shown(self, value: float | int) -> str:
        """A figure or the bound, with as many decimals as it takes to tell the two apart, three at least."""
        if isinstance(value, int) or (self.of is not None and value == int(value)):
            return str(int(value))
        return f"{value:.{self._digits}f}"

    @property
    def _digits(self) -> int:
        judged, bound = self.judged, self.bound
        if judged is None or judged == bound:
            return _DIGITS[0]
        return next((n for n in _DIGITS if f"{judged:.{n}f}" != f"{bound:.{n}f}"), _DIGITS[-1])

    @property
    def judged(self) -> float | int | None:
        """What has to hold: the figure, or the lower end of its interval."""
        return self.figure if self.hold == "figure" else self.interval[0] if self.interval else None


class Found(NamedTuple):
    """Where a result lies and what it says."""

    folder: Path
    said: dict[str, Any]


class Verdict(NamedTuple):
    """All that a gate has to say of a run."""

    run: Found
    baseline: Found | None
    policy: Policy | None
    comparison: dict[str, Any] | None
    clauses: list[Judged]

    @property
    def holds(self) -> bool:
        """Whether every clause does."""
        return all(clause.holds for clause in self.clauses)


def find(name: str, board: Board) -> Found:
    """The result of a run of the board, or in a folder; raises `PiibenchError` where there is none that ran."""
    folder = Path(name)
    is_run = is_name(name) and (board.results / name / "result.json").is_file()
    if not is_run and (folder / "result.json").is_file():
        said = results.read_result(folder)
        if said["status"] != "ran":
            raise PiibenchError(f"{name}: was not run: {said['why']}")
        return Found(folder, said)
    return Found(board.results / name, results.read_run(board, name))


def judge(
    run: Found, policy: Policy | None, baseline: Found | None = None, max_drop: float = 0.0, unit: str = "row"
) -> Verdict:
    """Hold a result against a policy and a baseline; raises `PiibenchError` where the two results are of other rows."""
    clauses, comparison = [], None
    if baseline is not None:
        comparison = _compared(run, baseline, unit)
        clauses.append(_drop(comparison, baseline.said["model"], max_drop, unit))
    if policy is not None:
        clauses += [_judged(clause, run.said) for clause in policy.clauses]
    return Verdict(run, baseline, policy, comparison, clauses)


def as_json(found: Verdict) -> dict[str, Any]:
    """All of a verdict, as JSON has it."""
    baseline = found.baseline.said["model"] if found.baseline else None
    clauses = [{**clause._asdict(), "says": clause.line()} for clause in found.clauses]
    return {
        "run": found.run.said["model"],
        "board": found.run.said["_provenance"].get("board"),
        "rows_digest": found.run.said["_provenance"].get("rows_digest"),
        "protocol": found.run.said["_provenance"].get("protocol"),
        "baseline": baseline,
        "policy_sha256": found.policy.sha256 if found.policy else None,
        "holds": found.holds,
        "clauses": clauses,
        "comparison": None
        if found.comparison is None
        else {**found.comparison, "run_a": baseline, "run_b": found.run.said["model"], "seed": SEED},
    }


def _compared(run: Found, baseline: Found, unit: str) -> dict[str, Any]:
    from piibench_duck import standings

    if run.folder.resolve() == baseline.folder.resolve():
        raise PiibenchError(f"run {run.said['model']!r} cannot be compared with itself")
    if differs := results.differing(baseline.said, run.said):
        raise PiibenchError(
            f"{run.said['model']!r} cannot be held against {baseline.said['model']!r}: "
            f"its {' and '.join(differs)} differs"
        )
    folders = {"baseline": baseline.folder, "run": run.folder}
    lines = standings.compare_results(folders, unit, SEED, REPLICATES)
    return next(line for line in lines if (line["run_a"], line["run_b"]) == ("baseline", "run"))


def _drop(found: Mapping[str, Any], baseline: str, max_drop: float, unit: str) -> Judged:
    """The clause that the baseline's mean F1 is not more than so much above the run's."""
    figure = found["difference"]
    return Judged(
        name=f"drop of mean F1 from {baseline}",
        key=_MAX_DROP,
        figure=figure,
        interval=[found["difference_low"], found["difference_high"]],
        unit=unit,
        bound=max_drop,
        is_least=False,
        hold="figure",
        holds=figure is not None and figure <= max_drop,
        why=f"{_UNMEASURED}: no corpus has an F1 of both" if figure is None else None,
    )


def _judged(clause: Clause, said: Mapping[str, Any]) -> Judged:
    try:
        looked_up = _LOOK_UP[clause.what](clause, said)
    except (KeyError, TypeError, AttributeError):
        raise PiibenchError(
            f"the result of {said['model']!r} has other keys than `score` writes; score it again"
        ) from None
    interval = looked_up.interval
    is_by = clause.hold == "interval"
    why = looked_up.why
    judged = (interval[0] if interval else None) if is_by else looked_up.figure
    if why is None and judged is None:
        why = f"has no interval by {clause.unit}" if is_by and looked_up.figure is not None else _UNMEASURED
    holds = why is None and judged is not None
    if holds and judged is not None:
        holds = judged >= clause.bound if clause.is_least else judged <= clause.bound
    return Judged(
        name=_name(clause),
        key=".".join(part for part in (clause.what, clause.by, clause.slice) if part),
        figure=looked_up.figure,
        interval=interval,
        unit=clause.unit if interval else None,
        bound=clause.bound,
        is_least=clause.is_least,
        hold=clause.hold,
        holds=holds,
        why=why,
        of=looked_up.of,
    )


class _LookedUp(NamedTuple):
    figure: float | int | None = None
    interval: Sequence[float | None] | None = None
    of: int | None = None
    why: str | None = None


def _of_scores(clause: Clause, said: Mapping[str, Any]) -> _LookedUp:
    """Recall or F1, of the mean or of a slice."""
    by_unit = said["intervals"].get(clause.unit, {})
    is_alone = by_unit.get("n_units_fewest", 0) < _ENOUGH_UNITS
    if clause.slice is None:
        return _LookedUp(said["scores"]["mean"][clause.what], None if is_alone else by_unit.get(clause.what))
    there = said["scores"][f"by_{clause.by}"]
    if clause.slice not in there:
        return _LookedUp(why=_unknown(clause.by, clause.slice, there))
    line = there[clause.slice]
    interval = line.get("intervals", {}).get(clause.unit, {}).get(clause.what)
    return _LookedUp(line[clause.what], None if is_alone else interval)


def _of_documents(clause: Clause, said: Mapping[str, Any]) -> _LookedUp:
    """The share of fully protected documents."""
    found = said["documents"]
    if clause.slice is None:
        line = found.get("overall")
        if line is None:
            return _LookedUp(why=f"{_UNMEASURED}: no corpus was measured document by document")
    elif clause.slice in found["not_applicable"]:
        return _LookedUp(why=f"{_UNMEASURED}: {found['not_applicable'][clause.slice]['reason']}")
    elif clause.slice not in found["by_corpus"]:
        return _LookedUp(why=_unknown("corpus", clause.slice, found["by_corpus"]))
    else:
        line = found["by_corpus"][clause.slice]
    bounds = [line["share_protected_low"], line["share_protected_high"]]
    counted = found["by_corpus"].values() if clause.slice is None else [line]
    is_alone = any(one["n_documents_with_gold"] == 1 for one in counted)
    return _LookedUp(line["share_protected"], None if is_alone else bounds)


def _of_leaks(clause: Clause, said: Mapping[str, Any]) -> _LookedUp:
    """Gold spans of high severity of which nothing is predicted: of whole documents where the run has them."""
    found = said["typed"]["by_corpus"]
    if clause.slice is not None and clause.slice not in found:
        return _LookedUp(why=_unknown("corpus", clause.slice, found))
    chosen = found if clause.slice is None else {clause.slice: found[clause.slice]}
    leaks = of = 0
    for corpus, designs in chosen.items():
        line = _reported(designs, said)
        if "all" not in line:
            reason = line.get("reason", "nothing is said of it")
            if clause.slice is None and reason.startswith("nothing in the corpus is annotated"):
                continue
            return _LookedUp(why=f"{_UNMEASURED}: of {corpus}, {reason}")
        leaks += line["all"]["leak"]
        of += sum(one["gold"] for label, one in line["per_type"].items() if label in _of_high_severity())
    if not of:
        return _LookedUp(why=f"{_UNMEASURED}: there is no gold of high severity to leak")
    return _LookedUp(leaks, of=of)


def _reported(designs: Mapping[str, Any], said: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is said of the design that holds documents whole, else of the one that ranks."""
    whole: Mapping[str, Any] = designs.get(said["documents"]["design"] or ALL_ROWS, {})
    ranked: Mapping[str, Any] = designs.get(said["_provenance"]["design"] or ALL_ROWS, {})
    return whole if "all" in whole else ranked or whole


@cache
def _of_high_severity() -> frozenset[str]:
    with (data_dir() / "seeds" / "taxonomy.csv").open(encoding="utf-8", newline="") as file:
        return frozenset(line["type"] for line in csv.DictReader(file) if line["severity"] == "high")


def _of_speed(clause: Clause, said: Mapping[str, Any]) -> _LookedUp:
    found = said["speed"]
    name = clause.what.removesuffix("_ms")
    if name not in found:
        return _LookedUp(why=f"{_UNMEASURED}: {found.get('reason', 'nothing was timed')}")
    return _LookedUp(found[name], found.get(f"{name}_interval"))


_LOOK_UP = {
    "recall": _of_scores,
    "f1": _of_scores,
    "protected": _of_documents,
    "leaks": _of_leaks,
    "median_ms": _of_speed,
    "p95_ms": _of_speed,
}
_CALLED = {
    "recall": "recall",
    "f1": "F1",
    "protected": "share of fully protected documents",
    "leaks": "number of high-severity leaks",
    "median_ms": "median milliseconds a text",
    "p95_ms": "95th percentile of milliseconds a text",
}


def _name(clause: Clause) -> str:
    called = _CALLED[clause.what]
    if clause.what in ("recall", "f1") and clause.slice is None:
        return f"mean {called} over corpora"
    if clause.by == "type":
        return f"{called} of {clause.slice} {_OVER_ALL}"
    if clause.slice is not None:
        return f"{called} in {clause.by} {clause.slice}"
    return (
        f"mean {called} over corpora"
        if clause.what == "protected"
        else (f"{called} {_OVER_ALL}" if clause.what == "leaks" else called)
    )


def _unknown(kind: str, name: str, there: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, there, 1)
    meant = f"; {near[0]!r} was meant?" if near else ""
    return f"{_UNMEASURED}: the result has no {kind} {name!r}{meant}"
