"""Files of the Text Anonymization Benchmark: gold by annotator, masks by document, and what scoring them rests on."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.corpora import Document
from piibench_duck.corpora._tab_shape import EXPECTED, faults
from piibench_duck.corpora.tab import official
from piibench_duck.door import Finding, Refused
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange import iob
from piibench_duck.interchange.intervals import place_spans
from piibench_duck.interchange.json_file import read_json
from piibench_duck.interchange.records import Fault
from piibench_duck.interchange.tables import (
    ALIGNMENT_COLUMNS,
    ANNOTATOR_COLUMNS,
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
from piibench_duck.interchange.token_weights import MOST_BITS
from piibench_duck.json_types import word
from piibench_duck.names import is_text, may_be_told
from piibench_duck.offsets import OffsetUnit

CORPUS = "tab"
FORGIVEN_COLUMNS = ("row_id", "start_char", "end_char", "source")
WEIGHT_COLUMNS = ("row_id", "start_char", "end_char", "bits")


class TabGold(NamedTuple):
    """A gold file as columns of `contracts.rows`, `gold_spans` and `annotators`, in its order; a row is a document."""

    rows: Columns
    gold_spans: Columns
    annotators: Columns
    texts: dict[str, str]  # row_id → text
    n_surface_mismatches: int  # mentions whose `span_text` is not what the text has there; offsets win
    n_mentions: int
    sha256: str  # of the bytes of the file


class TokenFile(NamedTuple):
    """Tokens by document as columns of `contracts.forgiven` or `token_weights`."""

    columns: Columns
    names: frozenset[str]  # documents that the file names, also those without a token


def read_gold(path: Path) -> TabGold:
    """TAB's array of documents, each with `annotations` by annotator.

    Raises `Refused` with every fault, by ids and without text.
    """
    file = read_json(path, EXPECTED)
    fault = file.fault
    if not fault and not isinstance(file.value, list):
        fault = Fault("bad_schema", f"{word(file.value)}, {EXPECTED} was expected")
    if fault:
        raise Refused([_finding(path, None, fault)], listed_by=None)
    findings = [
        _finding(path, wrong.doc_id, Fault(wrong.reason, wrong.what if wrong.doc_id is not None else str(wrong)))
        for wrong in faults(file.value)
    ]
    if findings:
        raise Refused(findings, listed_by=None)
    counts: Counter[str] = Counter()
    documents = list(official(file.value, str(path), counts))
    if not documents:
        raise PiibenchError(f"{path}: no documents; at least one was expected")
    texts = {document.doc_id: document.text for document in documents}
    n_mismatches = counts["surface_mismatches"] + counts["surface_case_mismatches"]
    return TabGold(*_columns(documents), texts, n_mismatches, counts["mentions"], file.sha256)


def surface_warning(gold: TabGold) -> str | None:
    """What to say where mentions are not the text that they say they are."""
    if not gold.n_surface_mismatches:
        return None
    return (
        f"mentions with another text than under their offsets, which win: {gold.n_surface_mismatches} of "
        f"{gold.n_mentions}; code points were expected, and offsets in UTF-16 units or bytes would look so"
    )


def as_rows(gold: TabGold) -> Rows:
    """The same as a rows file has it: what needs masking is scored, and mentions that need none are ignored."""
    spans = {**gold.gold_spans, "role": ["scored"] * len(gold.gold_spans["row_id"])}
    return Rows(gold.rows, spans, empty(ALIGNMENT_COLUMNS), gold.sha256, gold.annotators)


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
            intervals, faults = _intervals(answer, text, "spans", unit, or_else=", or an object of token labels,")
            spans, seen = [(start, end, iob.MASK) for start, end, *_ in intervals], len(text)
        if not faults:
            append(run_rows, row_id, "ok" if seen == len(text) else "truncated", seen)
            for start, end, label in spans:
                append(pred_spans, row_id, start, end, label, None)
        return faults

    names, sha256 = _take(path, texts, take, "masks")
    return Predictions(run_rows, pred_spans, [row_id for row_id in texts if row_id not in names], sha256)


def read_rows(path: Path, unit: OffsetUnit = "codepoint") -> Rows:
    """Gold as a rows file has it; its offsets are code points."""
    if unit != "codepoint":
        raise WrongUsageError("--offset-unit goes with masks; offsets of TAB's gold are code points")
    return as_rows(read_gold(path))


read = read_masked


def read_forgiven(path: Path, texts: Mapping[str, str]) -> TokenFile:
    """Tokens without content by document, `[[start, end], …]`, as columns of `contracts.forgiven`."""
    forgiven = empty(FORGIVEN_COLUMNS)

    def take(row_id: str, text: str, answer: object) -> list[Fault]:
        intervals, faults = _intervals(answer, text, "tokens")
        for start, end, *_ in intervals:
            append(forgiven, row_id, start, end, "file")
        return faults

    names, _ = _take(path, texts, take, "tokens without content")
    return TokenFile(forgiven, names)


def read_weights(path: Path, texts: Mapping[str, str]) -> TokenFile:
    """Weights of tokens by document, `[[start, end, bits], …]`, as columns of `contracts.token_weights`."""
    weights = empty(WEIGHT_COLUMNS)

    def take(row_id: str, text: str, answer: object) -> list[Fault]:
        intervals, faults = _intervals(answer, text, "weights", width=3)
        for index, (start, end, bits) in enumerate(intervals):
            if not _is_bits(bits):
                what = "a number" if type(bits) in (int, float) else word(bits)
                found = f"weights[{index}] has {what} as its third, a number of bits from 0 to {MOST_BITS} was expected"
                faults.append(Fault("bad_schema", found))
            else:
                append(weights, row_id, start, end, float(bits))
        return faults

    names, _ = _take(path, texts, take, "weights of tokens")
    return TokenFile(weights, names)


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
    path: Path, texts: Mapping[str, str], take: Callable[[str, str, object], list[Fault]], of: str
) -> tuple[frozenset[str], str]:
    """Give each document of a file to `take`; the names of all of them, and the digest of the file."""
    expected = f"a JSON object with the {of} of each document"
    file = read_json(path, expected)
    fault = file.fault
    if not fault and not isinstance(file.value, dict):
        fault = Fault("bad_schema", f"{word(file.value)}, {expected} was expected")
    if fault:
        raise Refused([_finding(path, None, fault)], listed_by=None)
    findings = [_finding(path, name, Fault("duplicate_row", "the document stands twice")) for name in file.repeated]
    for name, answer in file.value.items():
        text = texts.get(name)
        faults = [Fault("unknown_row", "there is no such document")] if text is None else take(name, text, answer)
        findings += [_finding(path, name, fault) for fault in faults]
    if findings:
        raise Refused(findings, listed_by=None)
    return frozenset(file.value), file.sha256


def _intervals(
    value: object, text: str, name: str, unit: OffsetUnit = "codepoint", width: int = 2, or_else: str = ""
) -> tuple[list[list[Any]], list[Fault]]:
    """Intervals in code points with what stands behind their ends; none where anything is wrong with one."""
    shape = "[start, end]" if width == 2 else "[start, end, bits]"
    if not isinstance(value, list):
        return [], [Fault("bad_schema", f"{word(value)}, an array of {shape}{or_else} was expected")]
    faults = [
        Fault("bad_schema", f"{name}[{index}] is {_found(part)}, {shape} with integers as its first two was expected")
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


def _found(part: object) -> str:
    """What stands where an interval should."""
    if not isinstance(part, list):
        return word(part)
    if len(part) > 3:
        return f"an array of {len(part)}"
    return "[" + ", ".join(word(value) for value in part) + "]"


def _of_labels(
    answer: dict[str, Any], text: str, unit: OffsetUnit
) -> tuple[list[tuple[int, int, str]], int, list[Fault]]:
    """Spans of token labels, and how many code points the tokens reach."""
    for name in ("tokens", "labels"):
        if not isinstance(answer.get(name), list):
            found = f"{name!r} is {word(answer[name])}" if name in answer else f"an object without {name!r}"
            return [], 0, [Fault("bad_schema", f"{found}, arrays 'tokens' and 'labels' were expected")]
    if len(answer) > 2:
        return [], 0, [Fault("bad_schema", f"{len(answer)} keys, only 'tokens' and 'labels' were expected")]
    tokens = answer["tokens"]
    wrong = iob.fault(answer["labels"], len(tokens))
    if wrong:
        return [], 0, [wrong]
    if all(isinstance(token, str) for token in tokens):
        placed = iob.place(tokens, text)
        if isinstance(placed, Fault):
            return [], 0, [placed]
        offsets, is_whole = placed
    elif any(isinstance(token, str) for token in tokens):
        return [], 0, [Fault("bad_schema", "'tokens' mixes strings with others, all of one kind were expected")]
    else:
        intervals, faults = _intervals(tokens, text, "tokens", unit)
        offsets = [(start, end) for start, end, *_ in intervals]
        if not faults:
            faults = iob.disorder(offsets)
        if faults:
            return [], 0, faults
        is_whole = iob.reach_all(offsets, text)
    n_seen = len(text) if is_whole else offsets[-1][1] if offsets else 0
    spans = iob.spans(offsets, answer["labels"])
    if any(is_text(label, text[start:end]) for start, end, label in spans):
        return [], 0, [Fault("bad_label", "'labels' has the text that it marks behind B- or I-")]
    return spans, n_seen, []


def _is_bits(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_BITS


def _finding(path: Path, name: object, fault: Fault) -> Finding:
    named = name if isinstance(name, str) and may_be_told(name) else None
    return Finding(str(path), None, named, fault.reason, fault.detail)
