"""MEDDOCAN: brat standoff, a `.txt` and an `.ann` per clinical case."""

import re
from collections import Counter
from pathlib import Path, PurePosixPath

from piibench_duck.corpora import Document, Gold, Reading
from piibench_duck.corpora._files import count_surface, gold, lines_of, record, text_of
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source


def read(root: Path, source: Source) -> Reading:
    """The folder names the split (`corpus/<split>/brat`), the file the document."""
    counts: Counter[str] = Counter(surface_mismatches=0)
    documents = []
    for folder in source.paths:
        split = PurePosixPath(folder).parent.name
        for path in sorted((root / folder).glob("*.txt"), key=lambda path: path.name):
            text = text_of(path)
            documents.append(Document(path.stem, split, text, _spans(path.with_suffix(".ann"), text, counts), None, {}))
    return Reading(documents, dict(counts))


def _spans(path: Path, text: str, counts: Counter[str]) -> tuple[Gold, ...]:
    spans = []
    for number, line in lines_of(path):
        if not line.startswith("T"):  # brat's other lines (relations, notes) mark no text
            continue
        where = f"{path.name}, line {number}"
        with record(where):
            _, place, surface = line.split("\t")
            if not (match := re.fullmatch(r"(\S+) (\d+) (\d+)", place)):
                raise PiibenchError(f"{where}: is not a label with one start and one end")
            span = gold(where, text, int(match[2]), int(match[3]), match[1])
            count_surface(counts, text, span.start, span.end, surface)
            spans.append(span)
    return tuple(spans)
