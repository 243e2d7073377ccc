"""Time to build 42,000 rows: 3,500 passages in twelve carriers, from wrapping to checked and written Parquet.

    python -m benchmarks.building [workers]

The passages are those that the board of seven corpora takes, where PIIBENCH_MIRROR names a folder that has them, else
those of the demo corpus; over and over until there are enough.
"""

import os
import resource
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from piibench_duck import boards, build, designs, protocol, sources, warehouse
from piibench_duck.build import Origin
from piibench_duck.passages import cut
from piibench_duck.places import downloads_dir
from piibench_duck.wrapped_rows import Item, maker

N_PASSAGES = 3500


def main() -> None:
    """Print the seconds of each step and the memory that was needed at most."""
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else None
    mirror = os.environ.get("PIIBENCH_MIRROR")
    items = material("seven" if mirror else "demo", Path(mirror) if mirror else None)
    n_rows = sum(len(item.carriers) for item in items)
    print(f"{n_rows} rows of {len(items)} passages, {sum(len(item.text) for item in items):,} characters", end="; ")
    print(f"{os.cpu_count()} cores, workers: {workers or 'as many as there is use'}")
    began = time.perf_counter()
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    warehouse.fill(con, "settings", {"seed": [0], "replicates": [1]})
    with maker(n_rows, workers) as make:
        for made in make(items):
            for table, rows in made.tables.items():
                warehouse.fill_arrow(con, table, rows)
    wrapped = time.perf_counter()
    warehouse.check(con)
    checked = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        boards.write_rows(con, Path(folder))
        written = time.perf_counter()
    counts = [con.sql(f"select count(*) from contracts.{table}").fetchall()[0][0] for table in ("rows", "alignments")]
    print(f"{counts[0]} rows and {counts[1]:,} alignments in {written - began:.1f} s: ", end="")
    print(f"wrap {wrapped - began:.1f}, check {checked - wrapped:.1f}, write {written - checked:.1f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory at most {peak:.0f} MB in the main process")


def material(board: str, mirror: Path | None) -> list[Item]:
    """3,500 passages, each wanted in every carrier that is not off by default."""
    plan = protocol.load()
    names = designs.default_carriers()
    origins: dict[str, Origin] = {}
    for corpus in plan.boards[board].corpora:
        found: dict[str, Origin] = {}
        for source in sources.load_sources().values():
            if source.corpus == corpus:
                for document in sources.read(source, sources.fetch(source, mirror, downloads_dir())).documents:
                    for passage in cut(document):
                        passage_id = f"{source.name}/{document.doc_id}#{passage.index}"
                        found[passage_id] = Origin(source, document, passage)
        candidates = [designs.Candidate(passage_id, origin.document.split) for passage_id, origin in found.items()]
        chosen = designs.select(candidates, plan.designs["balanced"], plan.splits[corpus], names)
        origins |= {rows[0][0]: found[rows[0][0]] for rows in chosen}
    repeated = islice(enumerate(cycle(origins.items())), N_PASSAGES)
    return [build.item_of(f"{place}/{passage_id}", origin, names) for place, (passage_id, origin) in repeated]


if __name__ == "__main__":
    main()
