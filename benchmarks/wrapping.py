"""CPU time to wrap 1 MB and 10 MB of text in one value, in every carrier, and their ratio.

    python -m benchmarks.wrapping [carrier ...]

The text is that of the demo corpus over and over, five languages in turn, with its gold spans. A line of code or markup
comes between documents, so that quotes, backslashes, pipes and angle brackets are about as frequent as in what
engineers send. Both sizes are taken in turn and under the same keys, so that a carrier writes them in the same shape;
the small one three times, since it is over so soon.
"""

import gc
import json
import statistics
import sys
import time
from typing import NamedTuple

from piibench_duck import carriers
from piibench_duck.places import data_dir

N_TIMES = 3
MEGABYTE = 1_000_000
BETWEEN = (
    '\n{"path": "C:\\\\inbox\\\\new", "retry": true}\n',
    "\n<p class='note'>R&D | 5 < 6</p>\n",
    '\n\tif (a && b) { print("it\'s done"); }\r\n',
)


class Material(NamedTuple):
    """A text and its spans."""

    text: str
    spans: list[tuple[int, int]]


def main() -> None:
    """Print medians of the times and of the ratios, and the widest range of a ratio."""
    small, large = material(MEGABYTE), material(10 * MEGABYTE)
    print(f"1 MB: {len(small.text):,} characters, {len(small.spans):,} spans; CPU seconds, {N_TIMES} keys")
    print(f"{'carrier':15} {'escaped':>8} {'1 MB':>7} {'10 MB':>7} {'ratio':>6}  range")
    for carrier in sys.argv[1:] or carriers.carrier_names():
        share = escaped(carrier, small)  # also imports what the carrier needs
        of_small, of_large = [], []
        for key in range(N_TIMES):
            of_small.append(statistics.median(seconds(carrier, small, key) for _ in range(N_TIMES)))
            of_large.append(seconds(carrier, large, key))
        ratios = sorted(ten / one for one, ten in zip(of_small, of_large, strict=True))
        print(
            f"{carrier:15} {share:8.1%} {statistics.median(of_small):7.3f} "
            f"{statistics.median(of_large):7.2f} {statistics.median(ratios):6.1f}  {ratios[0]:.1f} to {ratios[-1]:.1f}",
            flush=True,
        )


def material(n_bytes: int) -> Material:
    """Whole documents until there are so many bytes of UTF-8."""
    languages = [
        [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in sorted((data_dir() / "demo").glob("*.jsonl"))
    ]
    documents = [document for of_each in zip(*languages, strict=True) for document in of_each]
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    n_chars = size = index = 0
    while size < n_bytes:
        document = documents[index % len(documents)]
        spans += [(n_chars + span["start"], n_chars + span["end"]) for span in document["spans"]]
        part = document["text"] + BETWEEN[index % len(BETWEEN)]
        parts.append(part)
        n_chars += len(part)
        size += len(part.encode())
        index += 1
    return Material("".join(parts), spans)


def seconds(carrier: str, material: Material, key: int) -> float:
    """CPU time of this process."""
    gc.collect()
    began = time.process_time()
    carriers.wrap(carrier, material.text, material.spans, [(0, len(material.text))], key)
    return time.process_time() - began


def escaped(carrier: str, material: Material) -> float:
    """The share of characters that do not stand on the wire as they are."""
    row = carriers.wrap(carrier, material.text, material.spans, [(0, len(material.text))], 0)
    n_copied = sum(line.wire_end - line.wire_start for line in row.alignments if line.kind == "copied")
    return 1 - n_copied / len(material.text)


if __name__ == "__main__":
    main()
