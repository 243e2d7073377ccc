"""The answers of sql/queries in plain Python: Parquet rows as they were written, sets of characters, no SQL."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from piibench_duck.places import data_dir

CLASSES = ((1, 4), (5, 9), (10, 19), (20, 39), (40, None))
Line = tuple[Any, ...]


class Span(NamedTuple):
    """A span of a row, of gold or predicted."""

    start: int
    end: int
    label: str

    @property
    def chars(self) -> set[int]:
        return set(range(self.start, self.end))


Tables = Mapping[str, list[dict[str, Any]]]
"""Lines of the contracts, as they were written."""


class Explored:
    """One run on the rows that a design ranks."""

    def __init__(self, tables: Tables, run: str, design: str) -> None:
        ranked = {line["row_id"] for line in tables["designs"] if line["design"] == design}
        self.rows = {line["row_id"]: line for line in tables["rows"] if line["row_id"] in ranked}
        [self.run] = [line for line in tables["runs"] if line["run_id"] == run]
        self.scored: dict[str, set[Span]] = defaultdict(set)
        self.excluded: dict[str, set[Span]] = defaultdict(set)
        for line in tables["gold_spans"]:
            if line["row_id"] in self.rows:
                label = self.known(self.rows[line["row_id"]]["corpus"], line["source_label"])
                role = self.taxonomy[label]["role"] if label else "ignored"
                sides = {"scored": self.scored, "excluded": self.excluded}
                if role in sides:
                    sides[role][line["row_id"]].add(Span(line["start_char"], line["end_char"], str(label)))
        self.pred: dict[str, set[Span]] = defaultdict(set)
        for line in tables["pred_spans"]:
            if line["row_id"] in self.rows and line["run_id"] == run:
                self.pred[line["row_id"]].add(Span(line["start_char"], line["end_char"], line["source_label"]))
        self.lookalikes: dict[str, set[int]] = defaultdict(set)
        for line in tables["alignments"]:
            if line["kind"] == "lookalike":
                self.lookalikes[line["row_id"]] |= set(range(line["wire_start"], line["wire_end"]))

    @cached_property
    def taxonomy(self) -> dict[str, dict[str, str]]:
        return {line["type"]: line for line in seed("taxonomy")}

    @cached_property
    def types(self) -> dict[tuple[str, str], str]:
        return {(line["namespace"], line["source_label"]): line["type"] for line in seed("label_map")}

    def known(self, namespace: str, source_label: str) -> str | None:
        """Our type, where the label map names one."""
        found = self.types.get((namespace, source_label), self.types.get(("*", source_label)))
        return found if found in self.taxonomy else None

    def known_pred(self, span: Span) -> str | None:
        """The type of a prediction; what its label usually means where its maker is not known."""
        namespace = self.run["label_namespace"]
        return self.known("usual" if namespace == "*" else namespace, span.label)

    def of_pred(self, span: Span) -> str:
        """The label of a prediction."""
        return self.known_pred(span) or span.label

    def chars(self, row_id: str) -> tuple[set[int], set[int], set[int]]:
        """Characters of scored gold, of what counts for nobody, and predicted."""
        gold = union(self.scored[row_id])
        return gold, (union(self.excluded[row_id]) | self.lookalikes[row_id]) - gold, union(self.pred[row_id])

    def missed(self, gold: Mapping[str, Iterable[Span]]) -> Iterator[tuple[str, Span, int]]:
        """Every gold span and how many of its characters are readable."""
        for row_id in self.rows:
            for span in gold[row_id]:
                yield row_id, span, len(span.chars - union(self.pred[row_id]))

    def missed_spans(self) -> list[Line]:
        found = [
            (row_id, *span[:2], span.label, len(span.chars), n_exposed, n_exposed == len(span.chars))
            for row_id, span, n_exposed in self.missed(self.scored)
            if n_exposed
        ]
        return sorted(found, key=lambda line: (line[3], -line[4], line))

    def missed_by_length(self) -> list[Line]:
        cells: dict[tuple[str, int, int | None], list[Line]] = defaultdict(list)
        for row_id, span, n_exposed in self.missed(self.scored):
            n_chars = span.end - span.start
            [(low, high)] = [(low, high) for low, high in CLASSES if low <= n_chars <= (high or n_chars)]
            cells[span.label, low, high].append((row_id, span.start, span.end, n_exposed, n_chars))
        found = []
        for key, spans in cells.items():
            exposed = [span for span in spans if span[3]]
            missed = [span for span in spans if span[3] == span[4]]
            counts = (len(spans), len(spans) - len(exposed), len(exposed) - len(missed), len(missed))
            found.append((*key, *counts, *min(exposed, default=(None,) * 3)[:3]))
        return sorted(found, key=lambda line: line[:2])

    def alarms(self) -> Iterator[Line]:
        """Predicted spans on no gold, and how much of them lies outside lookalikes."""
        for row_id in self.rows:
            touched = union(self.scored[row_id]) | union(self.excluded[row_id])
            for span in self.pred[row_id]:
                if not span.chars & touched:
                    yield row_id, *span, self.of_pred(span), len(span.chars - self.lookalikes[row_id])

    def spurious_spans(self) -> list[Line]:
        found = [line for line in self.alarms() if line[5]]
        alike = Counter(line[3] for line in found)
        whole = [(*line[:5], alike[line[3]], line[5]) for line in found]
        return sorted(whole, key=lambda line: (-line[5], line[3], line))

    def pairs(self, row_id: str) -> dict[Span, Span]:
        """The one-to-one matching of METRICS §4 over all labels: gold to prediction."""
        pred = {span._replace(label=self.of_pred(span)) for span in self.pred[row_id]}
        candidates = []
        for gold in self.scored[row_id]:
            for one in pred:
                if shared := len(gold.chars & one.chars):
                    is_exact, is_same = gold[:2] == one[:2], gold.label == one.label
                    ends = (gold.start, one.start, gold.end, one.end, gold.label, one.label)
                    place = (not (is_exact and is_same), not is_exact, -shared, not is_same, *ends)
                    candidates.append((place, gold, one))
        taken: dict[Span, Span] = {}
        for _, gold, one in sorted(candidates):
            if gold not in taken and one not in taken.values():
                taken[gold] = one
        return taken

    def boundary_errors(self) -> list[Line]:
        found = []
        for row_id in self.rows:
            pairs = self.pairs(row_id)
            free = {span._replace(label=self.of_pred(span)) for span in self.pred[row_id]} - {*pairs.values()}
            for gold, pred in pairs.items():
                if gold[:2] == pred[:2]:
                    continue
                parts = {pred} | {span for span in free if span.chars & gold.chars}
                is_split = any(a.end <= b.start for a in parts for b in parts)
                parts = parts if is_split else {pred}
                start, end = min(part.start for part in parts), max(part.end for part in parts)
                shifts = (start - gold.start, end - gold.end)
                kind = "too_long" if shifts[0] <= 0 <= shifts[1] else "shifted"
                kind = "too_short" if shifts[1] <= 0 <= shifts[0] else kind
                kind = "split" if is_split else kind
                found.append((row_id, *gold, kind, start, end, *shifts, len(parts)))
        alike = Counter((line[4], *line[7:9]) for line in found)
        whole = [(*line, alike[line[4], line[7], line[8]]) for line in found]
        return sorted(whole, key=lambda line: (-line[10], line[4], *line[7:9], line[:4]))

    def matched(self) -> list[tuple[str, Span, Span]]:
        return sorted((row_id, *pair) for row_id in self.rows for pair in self.pairs(row_id).items())

    def confused_spans(self) -> list[Line]:
        found = [
            (row_id, *gold, pred.label, pred.start, pred.end)
            for row_id, gold, pred in self.matched()
            if gold.label != pred.label
        ]
        return sorted(found, key=lambda line: (line[3], line[4], line))

    def type_confusions(self) -> list[Line]:
        of_gold = Counter(gold.label for _, gold, _ in self.matched())
        cells: dict[tuple[str, str], list[Line]] = defaultdict(list)
        for line in self.confused_spans():
            cells[line[3], line[4]].append(line)
        found = [(*key, len(all_), of_gold[key[0]], *min(all_)[:3]) for key, all_ in cells.items()]
        return sorted(found, key=lambda line: (-line[2], line))

    def char_cells(self) -> dict[tuple[str | None, str | None], set[tuple[str, int]]]:
        """Characters, as row and place, by type of gold and predicted type."""
        cells: dict[tuple[str | None, str | None], set[tuple[str, int]]] = defaultdict(set)
        for row_id in self.rows:
            gold_chars, nobodys, pred_chars = self.chars(row_id)
            for char in gold_chars | (pred_chars - nobodys):
                gold: set[str | None] = {span.label for span in self.scored[row_id] if span.start <= char < span.end}
                marks = [span for span in self.pred[row_id] if span.start <= char < span.end]
                named = {self.known_pred(span) for span in marks} - {None}
                for gold_type in gold or {None}:
                    for pred_type in named or {"unknown" if marks else None}:
                        cells[gold_type, pred_type].add((row_id, char))
        return cells

    def worst_rows(self) -> list[Line]:
        """Row, characters missed, characters marked without reason."""
        found = []
        for row_id in self.rows:
            gold, nobodys, pred = self.chars(row_id)
            found.append((row_id, len(gold - pred), len(pred - gold - nobodys)))
        return sorted((line for line in found if line[1] + line[2]), key=lambda line: (-line[1] - line[2], line))

    def unprotected_documents(self) -> list[Line]:
        """Of whole documents, those with readable gold; where no span has an id, each is an entity."""
        by_document: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row_id, line in self.rows.items():
            by_document[line["corpus"], line["doc_id"]].append(row_id)
        found = []
        for document, row_ids in by_document.items():
            spans = [line for line in self.missed(self.scored) if line[0] in row_ids]
            exposed = [line for line in spans if line[2]]
            n_exposed = sum(len(chars[0] - chars[2]) for chars in map(self.chars, row_ids))
            if n_exposed:
                n_gold = sum(len(self.chars(row_id)[0]) for row_id in row_ids)
                counts = (len(row_ids), 0, n_gold, n_exposed, *(len(spans), len(exposed)) * 2)
                row_id, span, _ = min(exposed, key=lambda line: (-line[2], line[0], line[1]))
                found.append((*document, *counts, sorted({line[1].label for line in exposed}), row_id, *span[:2]))
        return sorted(found, key=lambda line: (-line[5], *line[:2]))

    def disagreements(self, other: "Explored") -> list[Line]:
        """Row, characters of one alone, and of each alone those right and those wrong."""
        found = []
        for row_id in self.rows:
            gold, nobodys, of_a = self.chars(row_id)
            of_b = other.chars(row_id)[2]
            alone = (of_a - of_b - nobodys, of_b - of_a - nobodys)
            found.append(
                (row_id, len(alone[0] | alone[1]), *(n for one in alone for n in (len(one & gold), len(one - gold))))
            )
        return sorted((line for line in found if line[1]), key=lambda line: (-line[1], line[0]))


def read(folder: Path) -> Tables:
    """The tables of a board."""
    names = ("rows", "designs", "gold_spans", "alignments", "runs", "pred_spans")
    return {name: lines(folder, name) for name in names}


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in sorted((folder / table).glob("*.parquet")):
        found += pq.read_table(path).to_pylist()
    return found


def seed(name: str) -> list[dict[str, str]]:
    with (data_dir() / "seeds" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def union(spans: Iterable[Span]) -> set[int]:
    return set().union(*(span.chars for span in spans))
