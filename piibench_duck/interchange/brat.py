"""brat's standoff: a folder with `<row_id>.ann` for each row that was answered, empty where nothing was found.

Text-bound annotations (`T1⇥PER 0 10⇥surface`) are spans; relations, events, attributes and notes are not looked at. A
discontinuous one (`PER 0 4;9 12`) becomes a span for each of its parts, since a span here is one stretch of text. Where
a `.txt` stands beside, it has to be the row's text. In a file's name, what a name of a file cannot be is written as in
a URL: `a/b` is `a%2Fb.ann`, or a folder `a`.

Cannot carry: scores, labels with white space or none at all, excluded spans; of gold also entities, judgements and
annotators, and all that a row has beside its text; which texts were seen in part.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, unquote

from piibench_duck.beside import beside
from piibench_duck.door import Finding, Refused, take_predictions, take_rows
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange.given_spans import Span, of_gold, of_run, texts_of
from piibench_duck.interchange.records import Fault, Record
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.taking import bytes_of, other_text
from piibench_duck.offsets import OffsetUnit

T = TypeVar("T")

_EXPECTED = "a folder of .ann files"
_BOM = b"\xef\xbb\xbf"
_SPAN = re.compile(r"(?a:(?P<label>\S+) (?P<parts>-?\d+ -?\d+(?:;-?\d+ -?\d+)*))")
_OF_SPAN = re.compile(r"spans\[(\d+)\]")
_BREAK = re.compile(r"[\t\n\r]")
_OTHERS = tuple("REAMN#*")
_KEPT = " @#+=~,()[]"  # in names of files, beside letters, digits and _ . -
_LONGEST = 240  # bytes of a name without its ending, as systems allow


class _Found(NamedTuple):
    """A row's files as a record, and where in them what may be wrong stands."""

    record: Record
    name: str  # of the .ann in the folder, without its ending
    lines: list[int]  # of the .ann, by span
    ending: str = ".ann"  # of the file that the record's fault is in
    line: int | None = None  # of that fault, in the file


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Predictions by the names of their files; a row without a file was not answered."""
    digest = hashlib.sha256()
    found = []
    for number, file in enumerate(_files(path), 1):
        name = _name(file, path)
        row_id = unquote(name) if unquote(name) in texts else name
        of = texts.get(row_id) if unit == "codepoint" else None
        one = _read(number, name, row_id, _bytes(file, path, digest), of)
        if not one.record.fault and (beside_it := file.with_suffix(".txt")).is_file():
            text, fault = _decoded(_bytes(beside_it, path, digest))
            fault = fault or other_text(text, row_id, texts)
            one = one._replace(record=one.record._replace(fault=fault), ending=".txt")
        found.append(one)
    records = [one.record for one in found]
    return _taken(path, found, lambda: take_predictions(path, records, texts, digest.hexdigest(), unit))


def read_rows(path: Path, unit: OffsetUnit = "codepoint") -> Rows:
    """Gold: each `.ann` with the `.txt` that it is of."""
    digest = hashlib.sha256()
    found = []
    for number, file in enumerate(_files(path), 1):
        name = _name(file, path)
        row_id, content = unquote(name), _bytes(file, path, digest)
        if (of_it := file.with_suffix(".txt")).is_file():
            text, fault = _decoded(_bytes(of_it, path, digest))
        else:
            text, fault = "", Fault("bad_schema", "is not there, beside its .ann")
        one = _read(number, name, row_id, content, text if unit == "codepoint" else None)
        value = {"id": row_id, "text": text, "spans": _spans_of(one.record)}
        one = one._replace(ending=".txt", line=None) if fault else one
        found.append(one._replace(record=one.record._replace(value=value, fault=fault or one.record.fault)))
    records = [one.record for one in found]
    return _taken(path, found, lambda: take_rows(path, records, digest.hexdigest(), unit))


def write(path: Path, rows: Rows, runs: Mapping[str, Predictions]) -> Mapping[str, int]:
    """A new folder of `.txt` and `.ann`, with gold or with what a run predicted."""
    if len(runs) > 1:
        raise WrongUsageError("a folder of .ann files holds one run; name one")
    given = of_gold(rows)
    for predictions in runs.values():
        given = of_run(predictions)
    lost = Counter(given.lost)
    with beside(path) as part:
        part.mkdir()
        for row_id, text in texts_of(rows, runs):
            name = _file_name(path, row_id)
            (part / f"{name}.txt").write_bytes(text.encode())
            lines = list(_lines(text, given.spans.get(row_id, []), lost))
            (part / f"{name}.ann").write_bytes("".join(lines).encode())
    return lost


def _taken(path: Path, found: list[_Found], take: Callable[[], T]) -> T:
    """What the door takes of the records; what it refuses is named by file and line, not by the record's number."""
    try:
        return take()
    except Refused as refused:
        findings = [_placed(path, finding, found[(finding.line or 1) - 1]) for finding in refused.findings]
        raise Refused(findings, listed_by=None, folder=str(path)) from None


def _placed(path: Path, finding: Finding, one: _Found) -> Finding:
    ending, line = (one.ending, one.line) if one.record.fault else (".ann", None)
    if of_span := _OF_SPAN.match(finding.detail):
        line = one.lines[int(of_span[1])]
    detail = "another file is of this row" if finding.reason == "duplicate_row" else finding.detail
    if finding.row_id is not None:
        return finding._replace(file=str(path / f"{one.name}{ending}"), line=line, detail=detail)
    place = f"{ending} of the .ann that is number {one.record.line} by name" + (f", line {line}" if line else "")
    return finding._replace(line=None, detail=f"{place}: {detail}")


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).with_suffix("").as_posix()


def _files(path: Path) -> list[Path]:
    found = sorted(path.rglob("*.ann")) if path.is_dir() else []
    if not found:
        raise PiibenchError(f"{path}: no .ann file is there; {_EXPECTED} was expected")
    return found


def _bytes(file: Path, folder: Path, digest: Any) -> bytes:
    """The content of a file, of which the digest of the folder is made."""
    found = bytes_of(file, _EXPECTED)
    digest.update(f"{file.relative_to(folder).as_posix()}\0{len(found)}\0".encode(errors="surrogateescape"))
    digest.update(found)
    return found


def _decoded(found: bytes) -> tuple[str, Fault | None]:
    try:
        return found.removeprefix(_BOM).decode(), None
    except UnicodeDecodeError as error:
        return "", Fault("bad_schema", f"not UTF-8 at byte {error.start}")


def _read(number: int, name: str, row_id: str, found: bytes, of: str | None) -> _Found:
    """The lines of an `.ann` as a predictions line; surfaces are compared with the text that it is `of`."""
    text, fault = _decoded(found)
    line_of_fault: int | None = None
    lines: list[int] = []
    spans: list[dict[str, object]] = []
    for at, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or line.startswith(_OTHERS):
            continue
        parts = line.split("\t", 2)
        place = _SPAN.fullmatch(parts[1]) if len(parts) == 3 and parts[0].startswith("T") else None
        if place is None:
            if fault is None:
                fault, line_of_fault = Fault("bad_schema", "no `T1⇥LABEL start end⇥text`"), at
            continue
        places = [(_number(start), _number(end)) for start, end in re.findall(r"(-?\d+) (-?\d+)", place["parts"])]
        if of is not None and all(0 <= start < end <= len(of) for start, end in places):
            # brat writes a blank for a line break, and one between parts.
            marked = _BREAK.sub(" ", " ".join(of[start:end] for start, end in places))
            if marked != _BREAK.sub(" ", parts[2]) and fault is None:
                fault, line_of_fault = Fault("surface_mismatch", "another text than there is"), at
        lines += [at] * len(places)
        spans += [{"start": start, "end": end, "label": place["label"]} for start, end in places]
    return _Found(Record(number, {"id": row_id, "spans": spans}, fault), name, lines, line=line_of_fault)


def _spans_of(record: Record) -> object:
    return record.value["spans"] if isinstance(record.value, dict) else []


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= 18 else 10**18


def _lines(text: str, spans: list[Span], lost: Counter[str]) -> Iterator[str]:
    number = 0
    for start, end, label in spans:
        if not re.fullmatch(r"\S+", label):
            lost["whose label is no word"] += 1
            continue
        number += 1
        surface = _BREAK.sub(" ", text[start:end])
        yield f"T{number}\t{label} {start} {end}\t{surface}\n"


def _file_name(path: Path, row_id: str) -> str:
    name = quote(row_id, safe=_KEPT)
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if not name or len(name) > _LONGEST:
        raise PiibenchError(f"{path}: a row's id is empty or of more than {_LONGEST} letters as the name of a file")
    return name
