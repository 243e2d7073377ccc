"""Peak memory of `predict` on boards of 3,500 and of 35,000 rows: it must not grow with the number of rows.

Usage: python -m benchmarks.memory [RUN]   (a run of data/protocol.toml; `rules` unless named)
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (3_500, 35_000)
SENTENCE = "Ticket {0}: Anna Smith of Acme Ltd wrote from 12 Elm Street on 3 May 2020 about order {0}. "


def main() -> None:
    run = sys.argv[1] if len(sys.argv) > 1 else "rules"
    peaks = {}
    with tempfile.TemporaryDirectory() as scratch:
        for n_rows in SIZES:
            board = Path(scratch) / f"board{n_rows}"
            board.mkdir()
            write_rows(board / "rows.jsonl", n_rows)
            peak_of("build", "--board", board)
            peaks[n_rows] = peak_of("predict", run, "--board", board)
            print(f"predict {run}, {n_rows} rows: peak {peaks[n_rows]:.0f} MB", flush=True)
    small, large = (peaks[size] for size in SIZES)
    print(f"ratio {large / small:.2f}, {(large - small) * 1e6 / (SIZES[1] - SIZES[0]):.0f} bytes a row more")


def write_rows(path: Path, n_rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(n_rows):
            text = SENTENCE.format(number) * (1 + number % 6)
            row = {"id": f"r{number:06d}", "dataset": "tickets", "doc_id": f"d{number}", "text": text, "spans": []}
            file.write(json.dumps(row) + "\n")


def peak_of(*arguments: object) -> float:
    """Megabytes that a command had at most in memory at a time."""
    child = subprocess.Popen(
        [sys.executable, "-m", "piibench_duck.cli", *map(str, arguments)], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{arguments[0]} ended with {child.returncode}")
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


if __name__ == "__main__":
    main()
