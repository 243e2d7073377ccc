"""Sources to rows: fetch, read, cut, choose, wrap, and write to the warehouse."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import boards, carriers, sources, warehouse
from piibench_duck.corpora import Document
from piibench_duck.errors import PiibenchError
from piibench_duck.passages import Passage, cut
from piibench_duck.places import Board, downloads_dir
from piibench_duck.protocol import Design, Protocol, own_rows

Columns = dict[str, list[Any]]
Progress = Callable[[str], None]


class Candidate(NamedTuple):
    """A passage that may serve, with all that its row will need."""

    passage_id: str
    source: sources.Source
    document: Document
    passage: Passage


class CorpusReport(NamedTuple):
    """What the build made of a corpus."""

    corpus: str
    n_documents: int
    n_passages: int
    n_rows: int
    n_long: int
    """Of the rows' passages, those longer than 400 code points because one sentence or span is."""
    n_refused: int
    """Passages that their carrier cannot hold."""
    counts: dict[str, int]
    """What the readers met, e.g. surface mismatches."""


class BuildReport(NamedTuple):
    """What was built, what could not be had, and what the label map did."""

    corpora: list[CorpusReport]
    missing: dict[str, str]
    labels: list[dict[str, Any]]


def build(
    board: Board,
    protocol: Protocol,
    mirror: Path | None = None,
    allow_unknown_labels: bool = False,
    progress: Progress = lambda said: None,
) -> BuildReport:
    """Make the board's rows, gold and alignments, all of it checked before any of it is written.

    Raises `PiibenchError` where no source can be had, where a corpus uses a label that the map does not name (unless
    allowed), and where a check finds fault.
    """
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    warehouse.fill(con, "settings", {"design": [None], "seed": [protocol.seed], "replicates": [protocol.replicates]})
    if board.own is not None:
        report = _fill_own(con, board.own)
    else:
        report = _fill_corpora(con, board, protocol, mirror, progress)
    progress("checking")
    warehouse.derive(con, ["marts.label_diagnostics"])
    labels = warehouse.rows_of(con, "select * from marts.label_diagnostics order by source, source_label")
    unknown = [label for label in labels if label["role"] == "unknown"]
    if unknown and not allow_unknown_labels and board.own is None:
        told = ", ".join(f"{label['corpus']}:{label['source_label']} ({label['n_spans']} spans)" for label in unknown)
        raise PiibenchError(f"label_map.csv does not name these gold labels: {told}; map them or allow unknown labels")
    warehouse.check(con)
    progress("writing")
    boards.sweep(board.warehouse)
    boards.write_rows(con, board.warehouse)
    boards.write_catalog(board, protocol)
    return report._replace(labels=labels)


def _fill_own(con: warehouse.Connection, folder: Path) -> BuildReport:
    """The user's own rows file."""
    from piibench_duck import door

    path = own_rows(folder)
    assert path is not None
    rows = door.read_rows(path)
    for table, columns in (
        ("rows", rows.rows),
        ("gold_spans", rows.gold_spans),
        ("alignments", rows.alignments),
    ):
        warehouse.fill(con, table, columns)
    counts = Counter(rows.rows["corpus"])
    reports = [CorpusReport(corpus, 0, n_rows, n_rows, 0, 0, {}) for corpus, n_rows in sorted(counts.items())]
    return BuildReport(reports, {}, [])


def _fill_corpora(
    con: warehouse.Connection, board: Board, protocol: Protocol, mirror: Path | None, progress: Progress
) -> BuildReport:
    plan = protocol.boards[board.name]
    design = protocol.designs[plan.design]
    known = sources.load_sources()
    missing: dict[str, str] = {}
    reports = []
    for corpus in plan.corpora:
        progress(corpus)
        served = [source for source in known.values() if source.corpus == corpus]
        if not served:
            raise PiibenchError(
                f"sources.toml: no source of the corpus {corpus!r}, which board {board.name!r} asks for"
            )
        candidates: list[Candidate] = []
        counts: Counter[str] = Counter()
        n_documents = 0
        for source in served:
            try:
                root = sources.fetch(source, mirror, downloads_dir())
            except PiibenchError as error:
                missing[source.name] = str(error)
                continue
            reading = sources.read(source, root)
            counts.update(reading.counts)
            n_documents += len(reading.documents)
            candidates += _candidates(source, reading.documents)
            _fill_labels(con, source, reading.documents)
        if candidates:
            n_long, n_rows, refused = _fill_rows(con, candidates, design, protocol.splits[corpus])
            reports.append(
                CorpusReport(
                    corpus, n_documents, len(candidates), n_rows, n_long, refused, dict(sorted(counts.items()))
                )
            )
    if not reports:
        raise PiibenchError("; ".join(missing.values()))
    return BuildReport(reports, missing, [])


def _candidates(source: sources.Source, documents: Sequence[Document]) -> Iterator[Candidate]:
    for document in documents:
        for passage in cut(document):
            yield Candidate(f"{source.name}/{document.doc_id}#{passage.index}", source, document, passage)


def _fill_labels(con: warehouse.Connection, source: sources.Source, documents: Sequence[Document]) -> None:
    labels = Counter(span.source_label for document in documents for span in document.spans)
    warehouse.fill(
        con,
        "source_labels",
        {
            "source": [source.name] * len(labels),
            "corpus": [source.corpus] * len(labels),
            "source_label": list(labels),
            "n_spans": list(labels.values()),
        },
    )


def choose(candidates: Sequence[Candidate], design: Design, splits: Sequence[str]) -> list[tuple[Candidate, str]]:
    """The passages that a design takes from a corpus, each with its carrier.

    Splits serve in order until there are enough; within a split the passages with the smallest hashes do. Carriers are
    dealt out in the order of another hash, so that each gets as many as the next.
    """
    chosen: list[Candidate] = []
    for split in splits:
        of_split = [candidate for candidate in candidates if candidate.document.split == split]
        of_split.sort(key=lambda candidate: _hash("choose", candidate.passage_id))
        chosen += of_split[: design.rows_per_corpus - len(chosen)]
    chosen.sort(key=lambda candidate: _hash("carrier", candidate.passage_id))
    return [(candidate, design.carriers[place % len(design.carriers)]) for place, candidate in enumerate(chosen)]


def _hash(purpose: str, passage_id: str) -> bytes:
    return hashlib.sha256(f"{purpose}:{passage_id}".encode()).digest()


def _fill_rows(
    con: warehouse.Connection, candidates: Sequence[Candidate], design: Design, splits: Sequence[str]
) -> tuple[int, int, int]:
    """Rows of a corpus; how many passages are long, how many rows there are, how many a carrier refused."""
    rows: list[dict[str, Any]] = []
    gold: list[dict[str, Any]] = []
    alignments: list[dict[str, Any]] = []
    n_long = n_refused = 0
    for candidate, carrier in choose(candidates, design, splits):
        row_id = f"{candidate.passage_id}@{carrier}"
        passage = candidate.passage
        text = candidate.document.text[passage.start : passage.end]
        spans = [span for span in candidate.document.spans if passage.start <= span.start and span.end <= passage.end]
        local = [(span.start - passage.start, span.end - passage.start) for span in spans]
        key = carriers.row_key(candidate.passage_id, carrier)
        try:
            wrapped = carriers.wrap(carrier, text, local, passage.value_bounds, key)
        except carriers.CannotHoldError:
            n_refused += 1
            continue
        n_long += passage.is_long
        rows.append(
            {
                "row_id": row_id,
                "corpus": candidate.source.corpus,
                "source": candidate.source.name,
                "split": candidate.document.split,
                "doc_id": f"{candidate.source.name}/{candidate.document.doc_id}",
                "passage_id": candidate.passage_id,
                "passage_start": passage.start,
                "language": candidate.source.language,
                "carrier": carrier,
                "licence": candidate.source.licence,
                "text": wrapped.text,
                "n_chars": len(wrapped.text),
                "slices": sorted(candidate.document.slices.items()),
            }
        )
        gold += [
            {
                "row_id": row_id,
                "span_id": span_id,
                "start_char": start,
                "end_char": end,
                "source_label": span.source_label,
                "role": None,
                "entity_id": span.entity_id,
                "identifier_type": span.identifier_type,
                "annotator": span.annotator,
            }
            for span_id, (span, (start, end)) in enumerate(zip(spans, wrapped.spans, strict=True))
        ]
        alignments += [{"row_id": row_id, **alignment._asdict()} for alignment in wrapped.alignments]
    for table, lines in (("rows", rows), ("gold_spans", gold), ("alignments", alignments)):
        if lines:
            warehouse.fill(con, table, _columns(lines))
    designs: Columns = {"design": [design.name] * len(rows), "row_id": [row["row_id"] for row in rows]}
    warehouse.fill(con, "designs", designs)
    return n_long, len(rows), n_refused


def _columns(lines: Sequence[dict[str, Any]]) -> Columns:
    return {name: [line[name] for line in lines] for name in lines[0]}
