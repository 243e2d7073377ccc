"""All yardsticks at once on 3,500 rows: whole processes for one run and for twenty, then the time of every relation.

    python -m benchmarks.yardsticks [BOARD] [--relations]

The rows are the demo corpus's over and over, or those that BOARD (built and predicted, in PIIBENCH_HOME) ranks; every
fourth of their predictions is left out, in each run another. Where rows have no entity ids, they get some, so that each
part has something to do. One run is scored by `piibench-duck score --rows`, from files to files. Twenty are scored in
one process from files to results: read at the door, filled into the contracts, derived, and each written to a folder of
its own. With --relations nothing but the last table is made.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import material
from piibench_duck import cli, documents, door, draws, entities, protocol, report, results, tab, warehouse
from piibench_duck import score as scoring

N_ROWS, N_RUNS = 3500, 20
LIMITS = {1: 3.0, N_RUNS: 15.0}
N_TIMES = {1: 5, N_RUNS: 3}
PARTS = {
    "characters": [
        name
        for name in scoring.SCORE_MARTS
        if name not in (*entities.MARTS, *report.MARTS, *tab.MARTS, *documents.MARTS)
    ],
    "entities": entities.MARTS,
    "typed spans": report.MARTS,
    "text anonymization": tab.MARTS,
    "whole documents": documents.MARTS,
}
"""What each part wants; a relation is of the first part that needs it."""
SHOWN = 0.01


class Seconds(NamedTuple):
    """How long something took, on the wall and of all processors together."""

    elapsed: float
    processor: float


def main() -> None:
    """Print medians beside their limits, then the relations."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["twenty"]:
        _score_in_process(Path(arguments[1]), N_RUNS)
        cli.leave(0)
    boards = [argument for argument in arguments if not argument.startswith("--")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = list(islice(cycle(_of_board(boards[0]) if boards else _of_demo(folder)), N_ROWS))
        _write(folder, lines)
        print(f"{len(lines)} rows of {boards[0] if boards else 'the demo corpus'}, {_told(lines)}")
        if "--relations" not in arguments:
            for n_runs in LIMITS:
                _time_processes(folder, n_runs)
        for n_runs in LIMITS:
            _time_relations(folder, n_runs)


def _of_demo(folder: Path) -> list[dict[str, Any]]:
    """Rows with predictions, in the keys of a rows file and `preds`."""
    rows_path, (preds_path,) = material.write(folder, N_ROWS)
    rows, preds = (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in (rows_path, preds_path)
    )
    return [{**row, "preds": said["spans"]} for row, said in zip(rows, preds, strict=True)]


def _of_board(name: str) -> list[dict[str, Any]]:
    """The same of the rows that a board ranks, with the predictions of one of its runs."""
    plan = protocol.load()
    folder = protocol.find_board(name, plan).warehouse
    con = warehouse.connect()
    for table in ("rows", "gold_spans", "alignments", "designs", "pred_spans"):
        warehouse.create_parquet_view(con, f"main.{table}_there", folder / table)
    run = "rampart" if (folder / "runs" / "rampart.parquet").is_file() else "rules"
    con.execute(
        "create table chosen as select * from rows_there where row_id in "
        f"(select row_id from designs_there where design = {warehouse.quoted(plan.boards[name].ranked)})"
    )
    con.execute(f"create view run_spans as select * from pred_spans_there where run_id = {warehouse.quoted(run)}")
    seeds = warehouse.connect()
    warehouse.fill_seeds(seeds)
    excluded = {name for (name,) in seeds.sql("select type from contracts.taxonomy where role = 'excluded'").fetchall()}
    types = {
        (space, label): kind
        for space, label, kind in seeds.sql("select namespace, source_label, type from contracts.label_map").fetchall()
    }
    found: dict[str, dict[str, Any]] = {}
    for line in warehouse.rows_of(con, "select * from chosen order by row_id"):
        kept = {key: line[key] for key in ("doc_id", "language", "carrier", "text", "passage_id", "passage_start")}
        found[line["row_id"]] = {
            **{"id": line["row_id"], "dataset": line["corpus"], **kept},
            **{"spans": [], "excluded": [], "alignments": [], "preds": []},
        }
    for line in warehouse.rows_of(con, "select * from gold_spans_there where row_id in (select row_id from chosen)"):
        row, label = found[line["row_id"]], line["source_label"]
        kind = types.get((row["dataset"], label)) or types.get(("*", label)) or label
        span = {"start": line["start_char"], "end": line["end_char"], "label": kind}
        span |= {key: line[key] for key in ("entity_id", "identifier_type", "annotator") if line[key] is not None}
        if kind != "ignored":
            row["excluded" if kind in excluded else "spans"].append(span)
    for line in warehouse.rows_of(con, "select * from alignments_there where row_id in (select row_id from chosen)"):
        kept = {key: value for key, value in line.items() if key not in ("row_id", "interval_index")}
        found[line["row_id"]]["alignments"].append(kept)
    for line in warehouse.rows_of(con, "select * from run_spans where row_id in (select row_id from chosen)"):
        span = {"start": line["start_char"], "end": line["end_char"], "label": line["source_label"]}
        found[line["row_id"]]["preds"].append(span if line["score"] is None else {**span, "score": line["score"]})
    return list(found.values())


def _write(folder: Path, lines: Sequence[dict[str, Any]]) -> None:
    """`rows.jsonl` and `preds<run>.jsonl`; a row that comes again does so in another document."""
    files = [(folder / f"preds{run}.jsonl").open("w", encoding="utf-8") for run in range(N_RUNS)]
    times: dict[str, int] = {}
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as rows:
        for line in lines:
            again = times[line["id"]] = times.get(line["id"], -1) + 1
            row_id = f"{again}/{line['id']}"
            row = {key: value for key, value in line.items() if key not in ("preds", "passage_id")}
            row |= {"id": row_id, "doc_id": f"{again}/{line['doc_id']}"}
            row |= {"passage_id": f"{again}/{line['passage_id']}"} if "passage_id" in line else {}
            row |= {key: list(_judged(line[key])) for key in ("spans", "excluded")}
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
            for run, file in enumerate(files):
                spans = [span for place, span in enumerate(line["preds"]) if (place + run) % 4]
                file.write(json.dumps({"id": row_id, "spans": spans}) + "\n")
    for file in files:
        file.close()


def _judged(spans: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """With entity ids and judgements where there are none: a third of the spans of a text mention one entity."""
    for place, span in enumerate(spans):
        judgement = ("DIRECT", "QUASI", "QUASI", "NO_MASK")[place % 4]
        yield {"entity_id": f"e{place % 3}", "identifier_type": judgement, **span}


def _told(lines: Sequence[Mapping[str, Any]]) -> str:
    documents_of = {(line["dataset"], line["doc_id"]) for line in lines}
    n_spans = sum(len(line["spans"]) + len(line["excluded"]) for line in lines)
    n_chars = sum(len(line["text"]) for line in lines)
    n_preds = sum(len(line["preds"]) for line in lines)
    return f"{n_chars:,} characters, {len(documents_of)} documents, {n_spans} gold spans, {n_preds} predicted"


def _time_processes(folder: Path, n_runs: int) -> None:
    """Median and range of whole processes, after one that warms the caches."""
    if n_runs == 1:
        code = "from piibench_duck.cli import main; main()"
        command = [sys.executable, "-c", code, "score", "--rows", f"{folder}/rows.jsonl"]
        command += ["--preds", f"{folder}/preds0.jsonl", "--model", "m", "--out-dir", f"{folder}/out"]
    else:
        command = [sys.executable, "-m", "benchmarks.yardsticks", "twenty", str(folder)]
    environment = {**os.environ, "PIIBENCH_CACHE": str(folder / "cache")}
    seconds, processor = [], []
    for _ in range(N_TIMES[n_runs] + 1):
        began, used = time.perf_counter(), os.times()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        seconds.append(time.perf_counter() - began)
        now = os.times()
        processor.append(now.children_user + now.children_system - used.children_user - used.children_system)
    cold, *warm = seconds
    print(f"{n_runs} {'run' if n_runs == 1 else 'runs'}, whole process, limit {LIMITS[n_runs]:.0f} s:", end=" ")
    print(f"median {statistics.median(warm):.2f} s, {min(warm):.2f} to {max(warm):.2f} s;", end=" ")
    print(f"of the processors {statistics.median(processor[1:]):.2f} s; the first {cold:.2f} s", flush=True)


def _score_in_process(folder: Path, n_runs: int) -> None:
    """From files to a folder of results for each run."""
    rows = door.read_rows(folder / "rows.jsonl")
    answers = {f"run{run:02d}": door.read_predictions(folder / f"preds{run}.jsonl", rows) for run in range(n_runs)}
    plan = protocol.load()
    con = scoring.filled(rows, answers, scoring.Options(plan.seed, plan.replicates))
    scoring._derive(con)
    for run, result in results.of_runs(con, {"protocol": plan.version}).items():
        results.write(con, result, folder / "out20" / run, 0.0)


def _time_relations(folder: Path, n_runs: int) -> None:
    """Each relation by itself, one after the other; a view is read through."""
    os.environ["PIIBENCH_CACHE"] = str(folder / "cache")
    plan = protocol.load()
    steps: dict[str, Seconds] = {}
    with _clocked(steps, "door"):
        rows = door.read_rows(folder / "rows.jsonl")
        answers = {f"run{run:02d}": door.read_predictions(folder / f"preds{run}.jsonl", rows) for run in range(n_runs)}
    with _clocked(steps, "contracts"):
        con = scoring.filled(rows, answers, scoring.Options(plan.seed, plan.replicates))
    with _clocked(steps, "draws, from the cache"):
        draws.derive(con)
    by_part: dict[str, dict[str, Seconds]] = {}
    done: set[str] = {"intermediate.units", "intermediate.draws"}
    for part, wanted in PARTS.items():
        by_part[part] = {}
        for name in _needed(wanted):
            if name not in done:
                done.add(name)
                with _clocked(by_part[part], name):
                    warehouse.derive(con, [name])
                    if name.startswith("marts."):
                        con.sql(f"select * from {name}").fetchall()
    with _clocked(steps, "results, read from the marts"):
        found = results.of_runs(con, {"protocol": plan.version})
    with _clocked(steps, "results, written"):
        for run, result in found.items():
            results.write(con, result, folder / f"out{n_runs}" / run, 0.0)
    print(f"\nwith {n_runs} {'run' if n_runs == 1 else 'runs'}, each by itself: seconds, and seconds of the processors")
    for step, seconds in steps.items():
        print(f"  {seconds.elapsed:6.2f} {seconds.processor:6.2f}  {step}")
    for part, of_part in by_part.items():
        elapsed, processor = (sum(column) for column in zip(*of_part.values(), strict=True))
        print(f"  {elapsed:6.2f} {processor:6.2f}  {part}")
        for name, seconds in sorted(of_part.items(), key=lambda item: -item[1].elapsed):
            if seconds.elapsed >= SHOWN:
                print(f"                   {seconds.elapsed:6.2f} {seconds.processor:6.2f}  {name}")


@contextmanager
def _clocked(into: dict[str, Seconds], name: str) -> Iterator[None]:
    elapsed, processor = time.perf_counter(), time.process_time()
    yield
    into[name] = Seconds(time.perf_counter() - elapsed, time.process_time() - processor)


def _needed(wanted: Sequence[str]) -> list[str]:
    """The wanted relations and all that they read, in the order in which they can be created; no staging."""
    files = {file.name: file for file in warehouse.files()}
    needed: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in needed and files[name].schema in ("staging", "intermediate", "marts"):
            needed.add(name)
            waiting += files[name].reads
    return [name for name in files if name in needed and not name.startswith("staging.")]


if __name__ == "__main__":
    main()
