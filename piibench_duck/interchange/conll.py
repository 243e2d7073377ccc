"""Columns: a token on each line, first, and its tag, last; a blank line behind each sentence.

Columns stand between tabs where the file has any, else between blanks. Tags are BIO, also BIOES and BILOU. Rows are
named by comments `# id = …` (`row_id`, `newdoc id`) that count until the next; without those, each `-DOCSTART-` begins
the next row, and without them each block of lines is one. The text of a row is its own: tokens are looked for in it
from left to right with only white space between them.

Cannot carry: spans that overlap or begin or end with white space, excluded spans, scores, labels with tabs or line
breaks or none at all; ids, where there are no comments. A file that is read as gold has no texts: tokens get a blank
between them, sentences a line break.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from piibench_duck.beside import beside
from piibench_duck.door import Finding, Refused, take_predictions, take_rows
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.interchange import iob
from piibench_duck.interchange.given_spans import of_gold, of_run, texts_of
from piibench_duck.interchange.records import Fault, Record
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.taking import BY_POSITION, by_position, refused, text_lines
from piibench_duck.offsets import OffsetUnit

_EXPECTED = "lines of a token and its tag"
_ID = re.compile(r"#\s?(?:row_id|id|newdoc id) = (.*)")
_COMMENT = re.compile(r"#\s?[\w.: ]+ = ?.*")
_START = "-DOCSTART-"
_ENDS_TOO = {"S": "B", "U": "B", "E": "I", "L": "I"}  # of BIOES and BILOU, as B and I
_TOKEN = re.compile(r"\w+|[^\w\s]")


class _Block(NamedTuple):
    """Tokens of a row up to a blank line, from a line of the file on."""

    line: int
    tokens: list[str]
    tags: list[str]


class _Named(NamedTuple):
    """A row of the file: its id where it has one, and its blocks."""

    line: int
    row_id: str | None
    blocks: list[_Block]


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Predictions of the tokens that the rows' texts are made of; a row whose tokens end early is truncated."""
    rows, sha256 = _rows(path)
    by_id = any(row.row_id is not None for row in rows)
    ids = [row.row_id or "" for row in rows] if by_id else by_position(path, len(rows), texts, "texts")
    records = (_placed(row, row_id, texts.get(row_id)) for row, row_id in zip(rows, ids, strict=True))
    taken = take_predictions(path, records, texts, sha256)
    return taken if by_id else taken._replace(settings=BY_POSITION)


def read_rows(path: Path, unit: OffsetUnit = "codepoint") -> Rows:
    """Gold with the texts that the tokens make, numbered where they have no ids."""
    rows, sha256 = _rows(path)
    records = []
    for number, row in enumerate(rows, 1):
        text = "\n".join(" ".join(block.tokens) for block in row.blocks)
        row_id = row.row_id or str(number)
        record = _placed(row, row_id, text)
        value = {"id": row_id, "text": text, "spans": record.value["spans"]} if isinstance(record.value, dict) else {}
        records.append(record._replace(value=value))
    return take_rows(path, records, sha256)


def write(path: Path, rows: Rows, runs: Mapping[str, Predictions]) -> Mapping[str, int]:
    """A file of token and gold tag, of a run with its own tag as a third column; tokens are cut where a span begins."""
    if len(runs) > 1:
        raise WrongUsageError("a CoNLL file holds one run; name one")
    lost: Counter[str] = Counter()
    gold, lost_gold = of_gold(rows)
    preds: Mapping[str, Sequence[tuple[int, int, str]]] | None = None
    for predictions in runs.values():
        preds, lost_preds = of_run(predictions)
        lost.update(lost_preds)
    if preds is None:
        lost.update(lost_gold)
    with beside(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for row_id, text in texts_of(rows, runs):
            if row_id.strip() != row_id or "\n" in row_id or "\r" in row_id:
                raise PiibenchError(f"{path}: a row's id has a line break or blanks around it; CoNLL cannot name it")
            columns = [_carried(text, gold.get(row_id, []), lost if preds is None else Counter())]
            if preds is not None:
                columns.append(_carried(text, preds.get(row_id, []), lost))
            file.write(f"# id = {row_id}\n")
            file.writelines("\t".join(cells) + "\n" for cells in _lines(text, columns))
            file.write("\n")
    return lost


def _rows(path: Path) -> tuple[list[_Named], str]:
    """What the file has, by ids, by documents or by blocks; raises `Refused` where lines are no columns."""
    lines, sha256 = text_lines(path, _EXPECTED)
    separator = "\t" if any("\t" in line for line in lines) else None
    named: list[_Named] = []
    blocks: list[_Block] = []
    started: list[int] = []  # how many blocks there were before each document
    findings: list[Finding] = []
    is_new, n_columns = True, 0
    for number, line in enumerate(lines, 1):
        if found := _ID.fullmatch(line):
            if not named or named[-1].row_id != found[1]:
                named.append(_Named(number, found[1], []))
            is_new = True
        elif not line.strip():
            is_new = True
        elif line.startswith(_START):
            started.append(len(blocks))
            is_new = True
        elif not _COMMENT.fullmatch(line):
            cells = line.split(separator)
            if len(cells) == 1 and line.startswith("#"):
                continue
            n_columns = n_columns or len(cells)
            if len(cells) != n_columns or n_columns < 2:
                what = f"{len(cells)} columns, {max(n_columns, 2)} were expected"
                findings.append(Finding(str(path), number, None, "bad_schema", what))
                continue
            if is_new:
                blocks.append(_Block(number, [], []))
                if named:
                    named[-1].blocks.append(blocks[-1])
                is_new = False
            blocks[-1].tokens.append(cells[0])
            blocks[-1].tags.append(_plain(cells[-1]))
    if named and sum(len(row.blocks) for row in named) < len(blocks):
        findings.append(Finding(str(path), blocks[0].line, None, "unknown_row", "tokens before the first id"))
    if findings:
        raise Refused(findings, listed_by=None)
    if named:
        return named, sha256
    if started:
        if started[0]:
            raise refused(path, "unknown_row", f"tokens before the first {_START}", blocks[0].line)
        ends = [*started[1:], len(blocks)]
        return [_Named(0, None, blocks[a:b]) for a, b in zip(started, ends, strict=True)], sha256
    return [_Named(block.line, None, [block]) for block in blocks], sha256


def _plain(tag: str) -> str:
    """A tag of BIOES or BILOU as one of BIO; any other as it is."""
    prefix, dash, kind = tag.partition("-")
    return f"{_ENDS_TOO[prefix]}-{kind}" if dash and prefix in _ENDS_TOO else tag


def _placed(row: _Named, row_id: str, text: str | None) -> Record:
    """The row as a predictions line."""
    tokens = [token for block in row.blocks for token in block.tokens]
    tags = [tag for block in row.blocks for tag in block.tags]
    line = row.blocks[0].line if row.blocks else row.line
    value: dict[str, object] = {"id": row_id, "spans": []}
    fault = iob.fault(tags, len(tokens))
    if fault or text is None:
        return Record(line, value, fault)
    placed = iob.place(tokens, text)
    if isinstance(placed, Fault):
        return Record(line, value, placed)
    value["spans"] = [
        {"start": start, "end": end, "label": label} for start, end, label in iob.spans(placed.offsets, tags)
    ]
    if not placed.is_whole:
        value["chars_seen"] = placed.offsets[-1][1] if placed.offsets else 0
    return Record(line, value)


def _carried(text: str, spans: Sequence[tuple[int, int, str]], lost: Counter[str]) -> list[tuple[int, int, str]]:
    """Spans that tags can say, in order; of those that overlap the one that begins first, and of these the longest."""
    kept: list[tuple[int, int, str]] = []
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if text[start].isspace() or text[end - 1].isspace():
            lost["beginning or ending with white space"] += 1
        elif not label or re.search(r"[\t\n\r]", label) or label != label.strip():
            lost["whose label is no word"] += 1
        elif kept and start < kept[-1][1]:
            lost["overlapping another"] += 1
        else:
            kept.append((start, end, label))
    return kept


def _lines(text: str, columns: Sequence[Sequence[tuple[int, int, str]]]) -> Iterator[list[str]]:
    """Each token with its tag in each column."""
    cuts = sorted({place for spans in columns for start, end, _ in spans for place in (start, end)})
    ahead = [iter([*spans, (len(text) + 1, len(text) + 1, "")]) for spans in columns]
    current = [next(spans) for spans in ahead]
    for start, end in _tokens(text, cuts):
        tags = []
        for index, spans in enumerate(ahead):
            while current[index][1] <= start:
                current[index] = next(spans)
            first, _, label = current[index]
            tags.append("O" if start < first else f"{'B' if start == first else 'I'}-{label}")
        yield [text[start:end], *tags]


def _tokens(text: str, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Words and single other characters, cut at `cuts`, which rise."""
    at = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        while at < len(cuts) and cuts[at] <= start:
            at += 1
        while at < len(cuts) and cuts[at] < end:
            yield start, cuts[at]
            start = cuts[at]
            at += 1
        yield start, end
