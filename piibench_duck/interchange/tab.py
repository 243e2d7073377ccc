"""Files of the Text Anonymization Benchmark: gold by annotator, masks by document, and what scoring them rests on."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.corpora import Document
from piibench_duck.corpora.tab import official
from piibench_duck.door import Finding, Refused
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import iob
from piibench_duck.interchange.intervals import place_spans
from piibench_duck.interchange.json_file import read_json
from piibench_duck.interchange.records import Fault, holds_surrogate
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    GOLD_COLUMNS,
    PRED_COLUMNS,
    ROW_COLUMNS,
    RUN_ROW_COLUMNS,
    Columns,
    Predictions,
    Rows,
    append,
    empty,
)
from piibench_duck.offsets import OffsetUnit

CORPUS = "tab"
IDENTIFIER_TYPES = ("DIRECT", "QUASI", "NO_MASK")
ANNOTATOR_COLUMNS = ("row_id", "annotator")
FORGIVEN_COLUMNS = ("row_id", "start_char", "end_char", "source")
WEIGHT_COLUMNS = ("row_id", "start_char", "end_char", "bits")


class TabGold(NamedTuple):
    """A gold file as columns of `contracts.rows`, `gold_spans` and `annotators`, in its order; a row is a document."""

    rows: Columns
    gold_spans: Columns
    annotators: Columns
    texts: dict[str, str]  # row_id → text
    n_surface_mismatches: int  # mentions whose `span_text` is not what the text has there; offsets win
    sha256: str  # of the bytes of the file


def read_gold(path: Path) -> TabGold:
    """TAB's array of documents, each with `annotations` by annotator. Raises `PiibenchError` without any text."""
    file = read_json(path)
    if file.fault:
        raise Refused([_finding(path, None, file.fault)])
    counts: Counter[str] = Counter()
    documents = list(official(file.value, str(path), counts))
    if not documents:
        raise PiibenchError(f"{path}: no documents; at least one was expected")
    seen: Counter[Any] = Counter()
    findings = []
    for index, document in enumerate(documents):
        faults = list(_wrong(document))
        seen[document.doc_id if isinstance(document.doc_id, str) else index] += 1
        if not faults and seen[document.doc_id] == 2:
            faults = [Fault("duplicate_row", "a document of the file has this doc_id already")]
        findings += [_finding(path, document.doc_id, fault) for fault in faults]
    if findings:
        raise Refused(findings)
    texts = {document.doc_id: document.text for document in documents}
    n_mismatches = counts["surface_mismatches"] + counts["surface_case_mismatches"]
    return TabGold(*_columns(documents), texts, n_mismatches, file.sha256)


def as_rows(gold: TabGold) -> Rows:
    """The same as a rows file has it: what needs masking is scored, and mentions that need none are ignored."""
    spans = {**gold.gold_spans, "role": ["scored"] * len(gold.gold_spans["row_id"])}
    return Rows(gold.rows, spans, empty(ALIGNMENT_COLUMNS), gold.sha256)


def n_silent_annotators(gold: TabGold) -> int:
    """Annotators of a document who marked nothing in it, counted once a document: only `annotators` knows of them."""
    marked = {*zip(gold.gold_spans["row_id"], gold.gold_spans["annotator"], strict=True)}
    return sum(line not in marked for line in zip(*gold.annotators.values(), strict=True))


def read_masked(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Masks by document: `[[start, end], …]`, or `{"tokens": […], "labels": […]}` with tokens or their offsets.

    Labelled MASK where the file has no types. Twins are kept. Documents that it does not name are missing rows.
    Raises `Refused` with every fault.
    """
    run_rows, pred_spans = empty(RUN_ROW_COLUMNS), empty(PRED_COLUMNS)

    def take(row_id: str, text: str, answer: object) -> list[Fault]:
        if isinstance(answer, dict):
            spans, seen, faults = _of_labels(answer, text, unit)
        else:
            intervals, faults = _intervals(answer, text, "spans", unit)
            spans, seen = [(start, end, iob.MASK) for start, end, *_ in intervals], len(text)
        if not faults:
            append(run_rows, row_id, "ok" if seen == len(text) else "truncated", seen)
            for start, end, label in spans:
                append(pred_spans, row_id, start, end, label, None)
        return faults

    names, sha256 = _take(path, texts, take)
    return Predictions(run_rows, pred_spans, [row_id for row_id in texts if row_id not in names], sha256)


def read_forgiven(path: Path, texts: Mapping[str, str]) -> Columns:
    """Tokens without content by document, `[[start, end], …]`, as columns of `contracts.forgiven`."""
    forgiven = empty(FORGIVEN_COLUMNS)

    def take(row_id: str, text: str, answer: object) -> list[Fault]:
        intervals, faults = _intervals(answer, text, "tokens")
        for start, end, *_ in intervals:
            append(forgiven, row_id, start, end, "file")
        return faults

    _take(path, texts, take)
    return forgiven


def read_weights(path: Path, texts: Mapping[str, str]) -> Columns:
    """Weights of tokens by document, `[[start, end, bits], …]`, as columns of `contracts.token_weights`."""
    weights = empty(WEIGHT_COLUMNS)

    def take(row_id: str, text: str, answer: object) -> list[Fault]:
        intervals, faults = _intervals(answer, text, "weights", width=3)
        for index, (start, end, bits) in enumerate(intervals):
            if not _is_bits(bits):
                faults.append(Fault("bad_schema", f"weights[{index}] has no number of bits, 0 or more, as its third"))
            else:
                append(weights, row_id, start, end, float(bits))
        return faults

    _take(path, texts, take)
    return weights


def _wrong(document: Document) -> Iterator[Fault]:
    """What the contracts would not take."""
    for name, value in (("doc_id", document.doc_id), ("text", document.text), ("dataset_type", document.split)):
        if not isinstance(value, str) or (not value and name != "text"):
            yield Fault("bad_schema", f"{name!r} is not a string, or empty")
    if not all(document.annotators):
        yield Fault("bad_schema", "an annotator without a name")
    for index, span in enumerate(document.spans):
        if not isinstance(span.entity_id, str) or not span.entity_id:
            yield Fault("bad_schema", f"mention {index} has no 'entity_id', or one that is not a string")
        if span.identifier_type not in IDENTIFIER_TYPES:
            expected = ", ".join(IDENTIFIER_TYPES)
            yield Fault("bad_schema", f"mention {index} has an 'identifier_type' that is none of {expected}")


def _columns(documents: list[Document]) -> tuple[Columns, Columns, Columns]:
    rows, gold_spans, annotators = empty(ROW_COLUMNS), empty(GOLD_COLUMNS), empty(ANNOTATOR_COLUMNS)
    for document in documents:
        row_id, text = document.doc_id, document.text
        place = (row_id, row_id, 0, "en", "prose", "unknown")
        append(rows, row_id, CORPUS, CORPUS, document.split, *place, text, len(text), sorted(document.slices.items()))
        for annotator in document.annotators:
            append(annotators, row_id, annotator)
        for index, span in enumerate(document.spans):
            surface = text[span.start : span.end]
            judged = (span.entity_id, span.identifier_type, span.annotator)
            append(gold_spans, row_id, index, span.start, span.end, surface, span.source_label, None, *judged)
    return rows, gold_spans, annotators


def _take(
    path: Path, texts: Mapping[str, str], take: Callable[[str, str, object], list[Fault]]
) -> tuple[frozenset[str], str]:
    """Give each document of a file to `take`; the names of all of them, and the digest of the file."""
    file = read_json(path)
    fault = file.fault
    if not fault and not isinstance(file.value, dict):
        fault = Fault("bad_schema", "not an object; one with a key for each document was expected")
    if fault:
        raise Refused([_finding(path, None, fault)])
    findings = [_finding(path, name, Fault("duplicate_row", "the document stands twice")) for name in file.repeated]
    for name, answer in file.value.items():
        text = texts.get(name)
        faults = [Fault("unknown_row", "there is no such document")] if text is None else take(name, text, answer)
        findings += [_finding(path, name, fault) for fault in faults]
    if findings:
        raise Refused(findings)
    return frozenset(file.value), file.sha256


def _intervals(
    value: object, text: str, name: str, unit: OffsetUnit = "codepoint", width: int = 2
) -> tuple[list[list[Any]], list[Fault]]:
    """Intervals in code points with what stands behind their ends; none where anything is wrong with one."""
    if not isinstance(value, list):
        return [], [Fault("bad_schema", f"not an array of {name}")]
    shape = "[start, end]" if width == 2 else "[start, end, bits]"
    faults = [
        Fault("bad_schema", f"{name}[{index}] is not {shape} with integers as its first two")
        for index, part in enumerate(value)
        if type(part) is not list or len(part) != width or type(part[0]) is not int or type(part[1]) is not int
    ]
    if faults:
        return [], faults
    spans: list[dict[str, Any]] = [{"start": part[0], "end": part[1]} for part in value]
    faults = place_spans(spans, text, unit, name)
    if faults:
        return [], faults
    return [[span["start"], span["end"], *part[2:]] for span, part in zip(spans, value, strict=True)], []


def _of_labels(
    answer: dict[str, Any], text: str, unit: OffsetUnit
) -> tuple[list[tuple[int, int, str]], int, list[Fault]]:
    """Spans of token labels, and how many code points the tokens reach."""
    tokens = answer.get("tokens")
    if set(answer) != {"tokens", "labels"} or not isinstance(tokens, list):
        return [], 0, [Fault("bad_schema", "an object without arrays 'tokens' and 'labels', or with other keys")]
    wrong = iob.fault(answer["labels"], len(tokens))
    if wrong:
        return [], 0, [wrong]
    seen = len(text)
    if all(isinstance(token, str) for token in tokens):
        placed = iob.place(tokens, text)
        if isinstance(placed, Fault):
            return [], 0, [placed]
        offsets = placed.offsets
        if not placed.is_whole:
            seen = offsets[-1][1] if offsets else 0
    else:
        intervals, faults = _intervals(tokens, text, "tokens", unit)
        offsets = [(start, end) for start, end, *_ in intervals]
        if not faults:
            faults = iob.disorder(offsets)
        if faults:
            return [], 0, faults
    return iob.spans(offsets, answer["labels"]), seen, []


def _is_bits(value: object) -> bool:
    if type(value) not in (int, float):
        return False
    try:
        return math.isfinite(value) and value >= 0  # type: ignore[arg-type, operator]  # a number, as was asked above
    except OverflowError:  # an integer beyond every float
        return False


def _finding(path: Path, name: object, fault: Fault) -> Finding:
    named = name if isinstance(name, str) and not holds_surrogate(name) else None
    return Finding(str(path), None, named, fault.reason, fault.detail)
