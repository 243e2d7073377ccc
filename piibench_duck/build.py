"""Sources to rows: fetch, read, cut, choose, wrap, and write to the warehouse."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import boards, designs, forgiven, label_maps, slice_values, sources, warehouse
from piibench_duck.corpora import Document
from piibench_duck.errors import PiibenchError
from piibench_duck.passages import Passage, cut
from piibench_duck.places import Board
from piibench_duck.protocol import BoardPlan, Protocol, board_plan, design_of, own_rows, splits_of
from piibench_duck.wrapped_rows import Item, maker

Progress = Callable[[str], None]


class Origin(NamedTuple):
    """Where a passage comes from."""

    source: sources.Source
    document: Document
    passage: Passage


class CorpusReport(NamedTuple):
    """What the build made of a corpus."""

    corpus: str
    n_documents: int
    n_serving: int
    """Of the documents, those that may serve: not more than the sources' `most_documents`, of splits that serve."""
    n_passages: int
    n_rows: int
    n_long: int
    """Of the passages that serve, those longer than 400 code points because one sentence or span is."""
    refused: dict[str, int]
    """Passages that a carrier cannot hold, by carrier."""
    counts: dict[str, int]
    """What the readers met, e.g. surface mismatches."""


class BuildReport(NamedTuple):
    """What was built, what could not be had, what the label map did, and the rows and digest of each design."""

    corpora: list[CorpusReport]
    missing: dict[str, str]
    labels: list[dict[str, Any]]
    designs: list[dict[str, Any]]
    read: dict[str, dict[str, Any]]
    """The bytes that were read, by source: what `sources.json` in the board's warehouse says."""
    unknown: list[str]
    """Labels that no map names and that are ignored, each with its spans, where that was allowed."""


class _Job(NamedTuple):
    """What is asked for, and where files are looked for first."""

    board: Board
    protocol: Protocol
    plan: BoardPlan
    mirror: Path | None


class _Plan(NamedTuple):
    """What is wanted of a corpus that has been read."""

    corpus: str
    origins: dict[str, Origin]  # by passage id
    selected: dict[str, list[list[designs.Row]]]  # by design
    n_documents: int
    n_serving: int
    counts: dict[str, int]
    read: dict[str, dict[str, Any]]  # what was read of each source


def build(
    board: Board,
    protocol: Protocol,
    mirror: Path | None = None,
    allow_unknown_labels: bool = False,
    workers: int | None = None,
    progress: Progress = lambda said: None,
    start: Callable[[int], Callable[[int], None]] = lambda n_rows: lambda n_done: None,
) -> BuildReport:
    """Make the board's rows, gold and alignments, all of it checked before any of it is written.

    The same bytes whatever the number of `workers`, the processes that wrap passages (None: as many as there is use).
    `start` is told how many rows there are to wrap and gives back what is told how many were.

    Raises `PiibenchError` where no source can be had, or one of the user's own cannot; where a corpus uses a label that
    the map does not name (unless allowed); and where a check finds fault.
    """
    con = warehouse.connect()
    label_maps.fill(con, board, protocol)
    warehouse.fill(con, "settings", {"seed": [protocol.seed], "replicates": [protocol.replicates]})
    plan = board_plan(board, protocol)
    if plan is None:
        report = _fill_own(con, board)
    else:
        report = _fill_corpora(con, _Job(board, protocol, plan, mirror), workers, progress, start)
    progress("checking")
    warehouse.derive(con, ["marts.label_diagnostics"])
    labels = warehouse.rows_of(con, "select * from marts.label_diagnostics order by source, source_label, role")
    if not allow_unknown_labels:
        label_maps.refuse_unknown(con, board)
    unknown = label_maps.allow_unknown(con)
    slice_values.refuse_gold(con, sources.FILE if plan else "rows file")
    warehouse.check(con, mend="build the board again" if plan else "mend the rows file")
    warehouse.derive(con, ["marts.design_digests"])
    digests = warehouse.rows_of(con, "select * from marts.design_digests order by design")
    forgiven.fill(con, design=plan.documents if plan else None)
    progress("writing")
    boards.sweep(board.warehouse)
    boards.write_rows(con, board.warehouse)
    sources.write_read(board.warehouse, report.read)
    boards.write_catalog(board, protocol)
    return report._replace(labels=labels, designs=digests, unknown=unknown)


def _fill_own(con: warehouse.Connection, board: Board) -> BuildReport:
    """The user's own rows file."""
    from piibench_duck import door

    path = None if board.own is None else own_rows(board.own)
    if path is None:
        raise PiibenchError(f"board {board.name!r} is not in protocol.toml and has no rows file")
    rows = door.read_rows(path)
    for table, columns in rows.tables.items():
        warehouse.fill(con, table, columns)
    counts = Counter(rows.rows["corpus"])
    passages = Counter(corpus for corpus, _ in {*zip(rows.rows["corpus"], rows.rows["passage_id"], strict=True)})
    reports = [
        CorpusReport(corpus, 0, 0, passages[corpus], n_rows, 0, {}, {}) for corpus, n_rows in sorted(counts.items())
    ]
    return BuildReport(reports, {}, [], [], {path.name: sources.said_of_rows(path, rows.sha256)}, [])


def _fill_corpora(
    con: warehouse.Connection,
    job: _Job,
    workers: int | None,
    progress: Progress,
    start: Callable[[int], Callable[[int], None]],
) -> BuildReport:
    missing: dict[str, str] = {}
    plans = []
    for corpus in job.plan.corpora:
        progress(f"read {corpus}")
        plan = _read(con, job, corpus, missing)
        if plan.origins:
            plans.append(plan)
    if not plans:
        raise PiibenchError("; ".join(missing.values()) or f"board {job.board.name!r}: no source has a document")
    wanted = {plan.corpus: _wanted(plan) for plan in plans}
    reports = []
    n_rows = sum(len(item.carriers) for items in wanted.values() for item in items)
    progress("wrap")
    done = start(n_rows)
    with maker(n_rows, workers) as make:
        for plan in plans:
            refused: dict[designs.Row, str] = {}
            for made in make(wanted[plan.corpus]):
                refused.update(made.refused)
                done(made.tables["rows"].num_rows + len(made.refused))
                for table, rows in made.tables.items():
                    warehouse.fill_arrow(con, table, rows)
            reports.append(_report(plan, wanted[plan.corpus], refused))
            _fill_annotators(con, plan, wanted[plan.corpus], refused)
            _fill_designs(con, plan, refused)
    read = {name: said for plan in plans for name, said in plan.read.items()}
    return BuildReport(reports, missing, [], [], read, [])


def _read(con: warehouse.Connection, job: _Job, corpus: str, missing: dict[str, str]) -> _Plan:
    """A corpus cut into passages, and what each design takes of them; what could not be had goes to `missing`.

    Labels are counted in all documents of a source, passages cut of those that serve.
    """
    served = [source for source in sources.of_board(job.board).values() if source.corpus == corpus]
    if not served:
        raise PiibenchError(f"sources.toml: no source of the corpus {corpus!r}, which the board asks for")
    splits = splits_of(corpus, job.board, job.protocol)
    origins: dict[str, Origin] = {}
    counts: Counter[str] = Counter()
    n_documents = n_serving = 0
    read = {}
    for source in served:
        try:
            root = sources.fetch(source, job.mirror, sources.downloads_of(source))
        except PiibenchError as error:
            if source.folder is not None:
                raise
            missing[source.name] = str(error)
            continue
        reading = sources.read(source, root)
        counts.update(reading.counts)
        n_documents += len(reading.documents)
        read[source.name] = sources.said_of(source, root, len(reading.documents))
        _fill_labels(con, source, reading.documents)
        for document in _serving(reading.documents, source, splits):
            n_serving += document.split in splits
            for passage in cut(document):
                passage_id = f"{source.name}/{document.doc_id}#{passage.index}"
                origins[passage_id] = Origin(source, document, passage)
    candidates = [designs.Candidate(passage_id, origin.document.split) for passage_id, origin in origins.items()]
    names = designs.default_carriers()
    selected = {
        name: designs.select(candidates, design_of(job.protocol, job.plan, name), splits, names)
        for name in job.plan.designs
    }
    return _Plan(corpus, origins, selected, n_documents, n_serving, dict(sorted(counts.items())), read)


def _serving(documents: Sequence[Document], source: sources.Source, splits: Sequence[str]) -> Sequence[Document]:
    """Those documents whose passages may serve."""
    if source.most_documents is None:
        return documents
    its_splits = {document.doc_id: document.split for document in documents}
    chosen = designs.documents(its_splits, splits, source.most_documents)
    return [document for document in documents if document.doc_id in chosen]


def _fill_labels(con: warehouse.Connection, source: sources.Source, documents: Sequence[Document]) -> None:
    spans = (span for document in documents for span in document.spans)
    labels = Counter((span.source_label, span.identifier_type == "NO_MASK") for span in spans)
    columns: dict[str, list[object]] = {
        "source": [source.name] * len(labels),
        "corpus": [source.corpus] * len(labels),
        "source_label": [label for label, _ in labels],
        "is_no_mask": [is_no_mask for _, is_no_mask in labels],
        "n_spans": list(labels.values()),
    }
    warehouse.fill(con, "source_labels", columns)


def _wanted(plan: _Plan) -> list[Item]:
    """Each passage that a design takes, with the carriers that any of them wants it in."""
    wanted: dict[str, set[str]] = {}
    for selected in plan.selected.values():
        for passage_id, carrier in (row for together in selected for row in together):
            wanted.setdefault(passage_id, set()).add(carrier)
    return [item_of(passage_id, plan.origins[passage_id], names) for passage_id, names in sorted(wanted.items())]


def item_of(passage_id: str, origin: Origin, names: Iterable[str]) -> Item:
    """A passage with the gold inside it, wanted in the carriers of these names."""
    source, document, passage = origin
    gold = [
        span._replace(start=span.start - passage.start, end=span.end - passage.start)
        for span in document.spans
        if passage.start <= span.start and span.end <= passage.end
    ]
    constants = {
        "corpus": source.corpus,
        "source": source.name,
        "split": document.split,
        "doc_id": f"{source.name}/{document.doc_id}",
        "passage_start": passage.start,
        "language": source.language,
        "licence": source.licence,
        "slices": sorted(document.slices.items()),
    }
    text = document.text[passage.start : passage.end]
    return Item(passage_id, text, gold, passage.value_bounds, sorted(names), constants)


def _fill_annotators(
    con: warehouse.Connection, plan: _Plan, items: Sequence[Item], refused: dict[designs.Row, str]
) -> None:
    lines = [
        (f"{item.passage_id}@{carrier}", annotator)
        for item in items
        for carrier in item.carriers
        if (item.passage_id, carrier) not in refused
        for annotator in plan.origins[item.passage_id].document.annotators
    ]
    warehouse.fill(con, "annotators", {"row_id": [line[0] for line in lines], "annotator": [line[1] for line in lines]})


def _fill_designs(con: warehouse.Connection, plan: _Plan, refused: dict[designs.Row, str]) -> None:
    lines = [
        (design, f"{passage_id}@{carrier}")
        for design, selected in plan.selected.items()
        for passage_id, carrier in designs.kept(selected, refused)
    ]
    warehouse.fill(con, "designs", {"design": [line[0] for line in lines], "row_id": [line[1] for line in lines]})


def _report(plan: _Plan, items: Sequence[Item], refused: dict[designs.Row, str]) -> CorpusReport:
    return CorpusReport(
        plan.corpus,
        plan.n_documents,
        plan.n_serving,
        len(plan.origins),
        sum(len(item.carriers) for item in items) - len(refused),
        sum(plan.origins[item.passage_id].passage.is_long for item in items),
        dict(sorted(Counter(carrier for _, carrier in refused).items())),
        plan.counts,
    )
