"""The answers of further queries of sql/queries in plain Python: sets of characters, no SQL."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tests.explored import Explored, Line, Span, Tables, union


def leaks(run: Explored) -> list[Line]:
    """Corpus, label, spans of high severity, those exposed and leaked, characters readable."""
    cells: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for gold in (run.scored, run.excluded):
        for row_id, span, n_exposed in run.missed(gold):
            if run.taxonomy[span.label]["severity"] == "high":
                cells[run.rows[row_id]["corpus"], span.label].append((n_exposed, len(span.chars)))
    found = [
        (
            *key,
            len(spans),
            sum(n > 0 for n, _ in spans),
            sum(n == whole for n, whole in spans),
            sum(n for n, _ in spans),
        )
        for key, spans in cells.items()
    ]
    return sorted(found, key=lambda line: (-line[4], -line[3], line))


def missed_by_carrier(run: Explored) -> list[Line]:
    """Label, carrier, spans, those found, partly and not found, recall, the first not found whole."""
    cells: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for row_id, span, n_exposed in run.missed(run.scored):
        cells[span.label, run.rows[row_id]["carrier"]].append((row_id, *span[:2], n_exposed))
    found = []
    for key, spans in cells.items():
        n_chars = sum(end - start for _, start, end, _ in spans)
        exposed = [span for span in spans if span[3]]
        missed = [span for span in exposed if span[3] == span[2] - span[1]]
        counts = (len(spans), len(spans) - len(exposed), len(exposed) - len(missed), len(missed))
        recall = (n_chars - sum(span[3] for span in spans)) / n_chars
        found.append((*key, *counts, recall, *min(exposed, default=(None,) * 3)[:3]))
    return sorted(found, key=lambda line: (line[0], line[6], line[1]))


def f1(tp: int, fp: int, fn: int) -> float | None:
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None


def union_gain(a: Explored, b: Explored) -> list[Line]:
    found = []
    for corpus in sorted({line["corpus"] for line in a.rows.values()}):
        rows = [row_id for row_id, line in a.rows.items() if line["corpus"] == corpus]
        n_gold, tp, fp = 0, [0, 0, 0], [0, 0, 0]
        for row_id in rows:
            gold, nobodys, of_a = a.chars(row_id)
            of_b = b.chars(row_id)[2]
            n_gold += len(gold)
            for place, marked in enumerate((of_a, of_b, of_a | of_b)):
                tp[place] += len(marked & gold)
                fp[place] += len(marked - gold - nobodys)
        scores: list[Any] = [f1(right, wrong, n_gold - right) for right, wrong in zip(tp, fp, strict=True)]
        found.append((corpus, len(rows), n_gold, *tp, *fp, *scores, scores[2] - max(scores[:2])))
    return found


def agreement(a: Explored, b: Explored) -> list[Line]:
    """Kappa as its definition says: (observed - expected) / (1 - expected)."""
    found = []
    for corpus in sorted({line["corpus"] for line in a.rows.values()}):
        rows = [row_id for row_id, line in a.rows.items() if line["corpus"] == corpus]
        n_chars = sum(a.rows[row_id]["n_chars"] for row_id in rows)
        marks = [({(row, char) for row in rows for char in one.chars(row)[2]}) for one in (a, b)]
        both, alone = marks[0] & marks[1], (marks[0] - marks[1], marks[1] - marks[0])
        shares = [len(marked) / n_chars for marked in marks]
        observed = 1 - (len(alone[0]) + len(alone[1])) / n_chars
        expected = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        kappa = (observed - expected) / (1 - expected) if expected < 1 else None
        jaccard = len(both) / len(marks[0] | marks[1]) if marks[0] | marks[1] else None
        found.append((corpus, len(rows), n_chars, len(both), *map(len, alone), jaccard, kappa))
    return found


def found_by_few(runs: Sequence[tuple[str, Explored]]) -> list[Line]:
    first = runs[0][1]
    found = []
    for row_id in first.rows:
        for span in first.scored[row_id]:
            found_by = sorted(name for name, run in runs if span.chars <= union(run.pred[row_id]))
            found.append((row_id, *span, len(span.chars), len(runs), len(found_by), found_by))
    return sorted(found, key=lambda line: (line[6], -line[4], line[:4]))


def field_errors(run: Explored, tables: Tables) -> list[Line]:
    """Row, place, number and verdict of each value that is judged wrong."""
    values: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for line in tables["alignments"]:
        if line["value_index"] is not None and line["row_id"] in run.rows:
            values[line["row_id"], line["value_index"]].append((line["wire_start"], line["wire_end"]))
    found = []
    for (row_id, index), pieces in values.items():
        start, end = min(pieces)[0], max(end for _, end in pieces)
        gold, _, pred = run.chars(row_id)
        excluded = union(run.excluded[row_id])
        chars = set(range(start, end))
        has_gold, is_flagged = bool(chars & gold), bool(chars & pred)
        if has_gold != is_flagged and (has_gold or not chars & excluded):
            found.append((row_id, start, end, index, "fn" if has_gold else "fp"))
    alike = Counter((run.rows[line[0]]["carrier"], line[4]) for line in found)
    whole = [(*line, alike[run.rows[line[0]]["carrier"], line[4]]) for line in found]
    return sorted(whole, key=lambda line: (-line[5], run.rows[line[0]]["carrier"], line[4], line[0], line[3]))


def chars(run: Explored, row_id: str) -> list[Line]:
    """Character, how it counts, whether it is predicted, its types of gold and of predictions."""
    gold, nobodys, pred = run.chars(row_id)
    lookalikes = run.lookalikes[row_id] - gold - union(run.excluded[row_id])
    found = []
    for char in range(run.rows[row_id]["n_chars"]):
        counts_as = ("tp" if char in pred else "fn") if char in gold else "fp" if char in pred else "tn"
        if char in nobodys:
            counts_as = "lookalike" if char in lookalikes else "excluded"
        types = sorted({span.label for span in run.scored[row_id] if char in span.chars})
        marks = {run.known_pred(span) for span in run.pred[row_id] if char in span.chars} - {None}
        found.append((char, char + 1, counts_as, char in pred, types, sorted(map(str, marks))))
    return found


def score_buckets(run: Explored, scores: dict[tuple[str, Span], float | None]) -> list[Line]:
    """Tenth, spans, those that touch scored gold, those that are gold."""
    cells: dict[float | None, list[Line]] = defaultdict(list)
    for row_id in run.rows:
        scored, excluded = run.scored[row_id], union(run.excluded[row_id])
        for span in run.pred[row_id]:
            touches = bool(span.chars & union(scored))
            if not span.chars & run.lookalikes[row_id] and (touches or not span.chars & excluded):
                score = scores[row_id, span]
                [tenth] = (
                    [None]
                    if score is None
                    else [t for t in range(10) if t / 10 <= score < t / 10 + 0.1 or t == 9 < score * 10]
                )
                cells[tenth].append((touches, span._replace(label=run.of_pred(span)) in scored, score))
    return [
        (None if tenth is None else tenth / 10, len(all_), sum(line[0] for line in all_), sum(line[1] for line in all_))
        for tenth, all_ in sorted(cells.items(), key=lambda cell: -1 if cell[0] is None else cell[0], reverse=True)
    ]


def combined_rows(tables: Tables, run_a: str, run_b: str) -> list[Line]:
    answers = [{line["row_id"]: line for line in tables["run_rows"] if line["run_id"] == run} for run in (run_a, run_b)]
    found = []
    for row_id in sorted(answers[0].keys() & answers[1].keys()):
        both = [one[row_id] for one in answers]
        worst = max((line["status"] for line in both), key=["ok", "truncated", "error"].index)
        found.append((row_id, worst, 0 if worst == "error" else min(line["chars_seen"] for line in both)))
    return found


def combined_spans(tables: Tables, a: Explored, b: Explored, rule: str) -> list[Line]:
    """Row, place, label and score of what a rule makes of two runs, of which `a` and `b` hold every row."""
    scores: dict[tuple[str, str, int, int, str], float | None] = {
        (line["run_id"], line["row_id"], line["start_char"], line["end_char"], line["source_label"]): line["score"]
        for line in tables["pred_spans"]
    }
    answered = {line[0] for line in combined_rows(tables, a.run["run_id"], b.run["run_id"]) if line[1] != "error"}
    found: dict[tuple[str, int, int, str], list[float]] = defaultdict(list)

    def keep(run: Explored, row_id: str, span: Span, start: int, end: int) -> None:
        score = scores[run.run["run_id"], row_id, *span]
        found[row_id, start, end, run.of_pred(span)] += [] if score is None else [score]

    for row_id in answered:
        of_a, of_b = a.pred[row_id], b.pred[row_id]
        for span in of_a if rule != "intersection" else ():
            keep(a, row_id, span, *span[:2])
        for span in of_b if rule == "union" else ():
            keep(b, row_id, span, *span[:2])
        for span in of_a if rule == "intersection" else ():
            for other in of_b:
                if shared := span.chars & other.chars:
                    keep(a, row_id, span, min(shared), max(shared) + 1)
        for span in of_b if rule == "a_then_b" else ():
            for start, end in stretches(span.chars - union(of_a)):
                keep(b, row_id, span, start, end)
    return sorted((*key, max(said, default=None)) for key, said in found.items())


def stretches(chars: set[int]) -> Iterator[tuple[int, int]]:
    """Characters that stand side by side, as starts and ends."""
    for char in sorted(chars):
        if char - 1 not in chars:
            end = char
            while end in chars:
                end += 1
            yield char, end
