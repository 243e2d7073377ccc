"""The bootstrap in DuckDB against NumPy gathering, with the same draws, for 1 and for 20 runs.

    python -m benchmarks.bootstrap

The draws are made beforehand in both. DuckDB's time is that of `intermediate.unit_lanes` and `replicate_sums`; NumPy's
that of gathering and adding up the three counts of each run and replicate, in the two ways that people write it: a
column at a time (`tp[units].sum(axis=1)`, the fastest that we know) and a row at a time (`counts[units].sum(axis=1)`).
All three must give the same integers.
"""

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import material
from piibench_duck import door, warehouse
from piibench_duck import score as scoring

N_ROWS, N_REPLICATES, N_TIMES = 3500, 1000, 5


def main() -> None:
    """Print times and ratios, medians of five, taken in turn."""
    with tempfile.TemporaryDirectory() as name:
        for n_runs in (1, 20):
            _compare(Path(name), n_runs)


def _compare(folder: Path, n_runs: int) -> None:
    rows_path, preds = material.write(folder, N_ROWS, n_runs)
    rows = door.read_rows(rows_path)
    answers = {f"run{run:02d}": door.read_predictions(path, rows) for run, path in enumerate(preds)}
    con = scoring.filled(rows, answers, scoring.Options(seed=0, replicates=N_REPLICATES))
    warehouse.derive(con, ["intermediate.unit_counts", "intermediate.draws", "staging.runs"])
    by_name = {file.name: file for file in warehouse.files()}

    def in_sql() -> None:
        for relation in ("intermediate.unit_lanes", "intermediate.replicate_sums"):
            con.execute(f"drop table if exists {relation}")
            warehouse.execute_file(con, by_name[relation], f"create table {relation} as\n")

    strata, counts = _arrays(con, n_runs)
    sums: dict[int, np.ndarray] = {}

    def in_numpy() -> None:
        for stratum, units in strata.items():
            out = np.empty((n_runs, 3, N_REPLICATES), dtype=np.int64)
            for run in range(n_runs):
                for count in range(3):
                    out[run, count] = counts[run, count][units].sum(axis=1)
            sums[stratum] = out

    def in_numpy_by_row() -> None:
        for stratum, units in strata.items():
            sums[stratum] = np.stack([by_row[run][units].sum(axis=1).T for run in range(n_runs)])

    by_row = [np.ascontiguousarray(counts[run].T) for run in range(n_runs)]
    seconds: dict[str, list[float]] = {"sql": [], "by column": [], "by row": []}
    for _ in range(N_TIMES + 1):
        for kind, work in (("sql", in_sql), ("by row", in_numpy_by_row), ("by column", in_numpy)):
            began = time.perf_counter()
            work()
            seconds[kind].append(time.perf_counter() - began)
    total_sql = con.sql("select sum(tp), sum(fp), sum(fn) from intermediate.replicate_sums").fetchall()[0]
    total_numpy = tuple(sum(int(out[:, count].sum()) for out in sums.values()) for count in range(3))
    assert total_sql == total_numpy, (total_sql, total_numpy)
    sql, column, row = (statistics.median(seconds[kind][1:]) for kind in ("sql", "by column", "by row"))
    print(f"{n_runs:2d} runs, {N_ROWS} rows, {N_REPLICATES} replicates, units row and document:")
    print(f"  DuckDB {sql:.3f} s")
    print(f"  NumPy a column at a time {column:.3f} s, ratio {sql / column:.2f}")
    print(f"  NumPy a row at a time    {row:.3f} s, ratio {sql / row:.2f}")


def _arrays(con: warehouse.Connection, n_runs: int) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Units drawn by stratum, (replicates, slots); counts by run, count and unit."""
    drawn = con.sql(
        "select replicate_key, unit_key, n_drawn from intermediate.draws order by replicate_key, unit_key"
    ).fetchnumpy()
    times = np.asarray(drawn["n_drawn"])
    keys, units = (np.repeat(np.asarray(drawn[name]), times).astype(np.int64) for name in ("replicate_key", "unit_key"))
    strata = {
        int(stratum): units[keys // N_REPLICATES == stratum].reshape(N_REPLICATES, -1)
        for stratum in np.unique(keys // N_REPLICATES)
    }
    found = con.sql("select tp, fp, fn from intermediate.unit_counts order by run_id, unit_key").fetchnumpy()
    counts = np.stack([np.asarray(found[name]).reshape(n_runs, -1) for name in ("tp", "fp", "fn")], axis=1)
    return strata, np.ascontiguousarray(counts.astype(np.int64))


if __name__ == "__main__":
    main()
