"""Whole-process time of `piibench-duck score` on 3,500 rows, one run, 1,000 replicates.

python -m benchmarks.score_process
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import material

N_ROWS, N_TIMES = 3500, 5


def main() -> None:
    """Print the median and the range over five processes, after one that warms the caches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, (preds,) = material.write(folder, N_ROWS)
        code = "from piibench_duck.cli import main; main()"
        command = [sys.executable, "-c", code, "score", "--rows", str(rows), "--preds", str(preds)]
        command += ["--model", "m", "--out-dir", str(folder / "out")]
        seconds = []
        environment = {**os.environ, "PIIBENCH_CACHE": str(folder / "cache")}
        for _ in range(N_TIMES + 1):
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env=environment)
            seconds.append(time.perf_counter() - began)
        bare = []
        for _ in range(N_TIMES):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", "import duckdb, pyarrow, typer, rich.table"], check=True)
            bare.append(time.perf_counter() - began)
    cold, *warm = seconds
    print(f"score of {N_ROWS} rows, 1 run, 1000 replicates, whole process, {N_TIMES} times:")
    print(f"  median {statistics.median(warm):.2f} s, {min(warm):.2f} to {max(warm):.2f} s")
    print(f"  the first, with no draws and no order of the SQL files kept from before: {cold:.2f} s")
    print(f"  of it, importing duckdb, pyarrow, typer and rich alone: median {statistics.median(bare):.2f} s")


if __name__ == "__main__":
    main()
