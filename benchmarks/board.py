"""Statistics of a whole board: 20 runs of 3,500 rows, 2,000 replicates, both units, all pairs; and in Python, NumPy.

    python -m benchmarks.board [N_RUNS]

The counts are invented: seven corpora of 500 rows, four rows a document, runs of different skill. `compare --all` is
timed as a whole process, from result folders to `board.json`, with draws computed and with draws from the cache. NumPy
gets the counts as arrays and does the same: draws, gathering a column at a time, mean F1, every pair's percentiles and
p, ranks and Holm. Plain Python does the same for one pair, one unit and few replicates, and its time is multiplied by
how many times more there are, which favours it: ranks and reading files are left out. All give the same figures.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from piibench_duck import standings
from tests import counted_runs, oracle
from tests.counted_runs import Row

N_ROWS, N_REPLICATES, N_PLAIN = 500, 2000, 20
CORPORA = ("factrueval", "germeval", "gretel", "iahlt", "meddocan", "nemotron", "tab")


def main() -> None:
    """Print seconds and ratios."""
    n_runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rows, counts = _invented(n_runs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counted_runs.write(folder / "results" / "seven", rows, counts)
        environment = {**os.environ, "PIIBENCH_HOME": name, "PIIBENCH_CACHE": f"{name}/cache"}
        seconds = [_process(environment) for _ in range(4)]
        said = json.loads((folder / "results" / "seven" / standings.FILE).read_text("utf-8"))["statistics"]
    began = time.perf_counter()
    expected = {unit: _in_numpy(rows, counts, unit) for unit in standings.UNITS}
    numpy_seconds = time.perf_counter() - began
    for unit, of_pairs in expected.items():
        for pair in said[unit]["pairs"]:
            low, high, p = of_pairs[pair["run_a"], pair["run_b"]]
            assert abs(pair["difference_low"] - low) < 1e-9, pair
            assert abs(pair["difference_high"] - high) < 1e-9, pair
            assert abs(pair["p_value"] - p) < 1e-9, pair
    plain = _plain(rows, list(counts.values())[:2]) * n_runs * N_REPLICATES / N_PLAIN
    print(f"{n_runs} runs, {len(rows)} rows, {N_REPLICATES} replicates, both units, {n_runs * (n_runs - 1) // 2} pairs")
    print(f"  compare --all, whole process: {seconds[0]:.2f} s, then {', '.join(f'{of:.2f}' for of in seconds[1:])} s")
    print(f"  NumPy, counts in memory:      {numpy_seconds:.2f} s, ratio {seconds[0] / numpy_seconds:.2f}")
    print(f"  plain Python, extrapolated:   {plain:.0f} s, ratio {seconds[0] / plain:.4f}")


def _invented(n_runs: int) -> tuple[list[Row], dict[str, list[tuple[int, int]]]]:
    dice = random.Random(0)
    rows = [
        Row(f"{corpus}/{number:03d}", corpus, f"{corpus}-{number // 4}", dice.randrange(5, 60))
        for corpus in CORPORA
        for number in range(N_ROWS)
    ]
    counts = {}
    for run in range(n_runs):
        skill = 0.3 + 0.6 * run / n_runs
        counts[f"run{run:02d}"] = [
            (min(row.gold, max(0, round(dice.gauss(skill, 0.2) * row.gold))), dice.randrange(12)) for row in rows
        ]
    return rows, counts


def _process(environment: dict[str, str]) -> float:
    code = "from piibench_duck.cli import main; main()"
    command = [sys.executable, "-c", code, "compare", "--all", "--board", "seven"]
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - began


def _in_numpy(rows: list[Row], counts: counted_runs.Counts, unit: str) -> dict[Any, tuple[float, float, float]]:
    """Low, high and p of every pair."""
    by_run = {run: counted_runs.units(rows, of_rows, unit) for run, of_rows in counts.items()}
    sizes = {corpus: len(of) for corpus, of in next(iter(by_run.values())).items()}
    drawn = {corpus: oracle.draws(0, unit, corpus, N_REPLICATES, size) for corpus, size in sizes.items()}
    means = {}
    for run, of_run in by_run.items():
        sums = [
            np.stack(
                [np.ascontiguousarray(of_run[corpus][:, count])[drawn[corpus]].sum(axis=1) for count in range(3)], 1
            )
            for corpus in sizes
        ]
        means[run] = oracle.mean_over_corpora(np.array([oracle.f1(of) for of in sums]))
    found = {}
    for run, of_run in means.items():
        for other, of_other in means.items():
            if run != other:
                d = of_run - of_other
                found[run, other] = (*np.quantile(d, [0.025, 0.975]), oracle.p_value(d))
    ranks = {run: 1 + sum((other > means[run]).astype(int) for other in means.values()) for run in means}
    assert all(len(of) == N_REPLICATES for of in ranks.values())
    return found


def _plain(rows: list[Row], two: list[list[tuple[int, int]]]) -> float:
    """Seconds that plain Python takes over both units of one run, for `N_PLAIN` replicates."""
    seconds = 0.0
    for unit in standings.UNITS:
        units: dict[str, dict[str, list[int]]] = {}
        for row, (tp, fp) in zip(rows, two[0], strict=True):
            of = units.setdefault(row.corpus, {}).setdefault(row.row_id if unit == "row" else row.doc_id, [0, 0, 0])
            for place, count in enumerate((tp, fp, row.gold - tp)):
                of[place] += count
        began = time.perf_counter()
        for replicate in range(N_PLAIN):
            values = []
            for corpus, of_corpus in units.items():
                dice = random.Random(f"{replicate} {corpus}")
                ids = list(of_corpus)
                tp = fp = fn = 0
                for _ in ids:
                    one = of_corpus[ids[int(dice.random() * len(ids))]]
                    tp, fp, fn = tp + one[0], fp + one[1], fn + one[2]
                values.append(2 * tp / (2 * tp + fp + fn))
            sum(values)
        seconds += time.perf_counter() - began
    return seconds


if __name__ == "__main__":
    main()
