"""Entities of random small rows equal brute force, and their intervals NumPy's on the same draws.

All rows are scored in one session, since a board of one row costs as much as one of hundreds; of those that differ the
smallest is shown. The rows come from a seed, not from hypothesis, which could shrink a batch only by scoring it again.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from piibench_duck import warehouse
from tests import entity_oracle, oracle, tables
from tests.entity_oracle import SCHEMES, Span
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

GOLD = {  # label: (type or the label itself, role)
    "PERSON": ("PERSON", "scored"),
    "LOCATION": ("LOCATION", "scored"),
    "DATE_TIME": ("DATE_TIME", "scored"),
    "EMAIL": ("EMAIL", "excluded"),
    "OTHER": ("OTHER", "ignored"),
    "nobody-knows": ("nobody-knows", "ignored"),
}
PRED = {"PERSON": "PERSON", "PER": "PERSON", "LOCATION": "LOCATION", "EMAIL": "EMAIL", "made-up": "made-up"}
REPLICATES, SEED = 60, 13
N_RUNS = 3


def stretches(random: Random, n_chars: int, most: int, before: Iterable[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """Stretches of a text: short ones anywhere, and twins, nests, neighbours and shifted ones of those before."""
    found: list[tuple[int, int]] = []
    seen = list(before)
    for _ in range(random.randint(0, most) if n_chars else 0):
        start = random.randint(0, n_chars - 1)
        end = random.randint(start + 1, min(n_chars, start + 6))
        if seen and random.random() < 0.7:
            start, end = random.choice(seen)
            shape = random.choice(["twin", "twin", "inside", "around", "neighbour", "shifted"])
            if shape == "inside":
                start = random.randint(start, end - 1)
                end = random.randint(start + 1, end)
            elif shape == "around":
                start, end = random.randint(0, start), random.randint(end, n_chars)
            elif shape == "neighbour" and end < n_chars:
                start, end = end, random.randint(end + 1, n_chars)
            elif shape == "shifted" and end < n_chars:
                start, end = start + 1, end + 1
        found.append((start, end))
        seen.append((start, end))
    return found


def line(random: Random, place: int) -> tuple[Row, list[Answer | None]]:
    """A row, and what each run says of it."""
    n_chars = random.choice([0, 1, 5, 12, 12, 20])
    spans = stretches(random, n_chars, 6)
    gold = [
        Gold(
            start,
            end,
            random.choice([*GOLD, "PERSON", "LOCATION"]),
            random.choice([None, None, None, "scored", "excluded"]),
            annotator=random.choice([None, "annotator1"]),
        )
        for start, end in spans
    ]
    looks = []
    if n_chars > 2 and random.random() < 0.2:
        start = random.randint(0, n_chars - 2)
        looks = [Stretch(start, start + 2, "lookalike")]
    answers = [
        Answer(
            [Pred(*span, random.choice(sorted(PRED))) for span in stretches(random, n_chars, 6, spans)],
            random.choice(["ok", "ok", "truncated"]),
        )
        if random.randint(0, 7)
        else random.choice([None, Answer((), "error")])
        for _ in range(N_RUNS)
    ]
    row = Row(
        f"{'éZa1'[place % 4]}{place:03}@prose",
        "x" * n_chars,
        gold,
        random.choice(["one", "one", "tab", "ünï"]),
        f"d{random.randint(0, 40)}",
        "rare" if place < 2 else random.choice(["prose", "json", "xml"]),
        random.choice(["en", "de"]),
        looks,
        in_design=random.randint(0, 7) > 0,
        in_documents=False,
    )
    return row, answers


@cache
def board() -> tuple[list[Row], list[Run], warehouse.Connection]:
    """Random rows and runs, a corpus without any entity, a run that was not run, and all that is derived from them."""
    random = Random(5)
    rows: list[Row] = []
    answers: list[dict[str, Answer]] = [{} for _ in range(N_RUNS)]
    for place in range(700):
        row, said = line(random, place)
        rows.append(row)
        for of_run, answer in zip(answers, said, strict=True):
            if answer is not None:
                of_run[row.row_id] = answer
    rows += [Row(f"empty{place}@prose", "xx", corpus="empty", doc_id="d0") for place in range(3)]
    runs = [Run(f"run{place}", of_run) for place, of_run in enumerate(answers)]
    runs.insert(1, Run("absent", status="not_run"))
    con = tables.connect(
        rows, runs, design="balanced", documents_design="documents", seed=SEED, replicates=REPLICATES, threads=2
    )
    warehouse.derive(con, ["marts.entity_scores", "marts.entity_intervals"])
    return rows, [run for run in runs if run.status == "ran"], con


def gold_of(row: Row) -> tuple[set[Span], list[tuple[int, int, str]]]:
    """Scored gold of a row, and what is neither right nor wrong to mark."""
    scored: set[Span] = set()
    excluded: list[tuple[int, int, str]] = []
    for span in row.gold:
        label, role = GOLD[span.label]
        if (span.role or role) == "scored":
            scored.add(Span(span.start, span.end, label))
        elif (span.role or role) == "excluded":
            excluded.append((span.start, span.end, label))
    kept = [span for span in excluded if span not in scored]
    return scored, kept + [(part.wire_start, part.wire_end, "") for part in row.alignments]


def pred_of(row: Row, run: Run) -> set[Span]:
    """What a run marked of a row."""
    answer = run.answers.get(row.row_id, Answer())
    return {Span(span.start, span.end, PRED[span.label]) for span in answer.spans}


@cache
def wants() -> dict[tuple[str, str], dict[str, Any]]:
    """The counts of every row that ranks by the oracle, by run and row."""
    rows, runs, _ = board()
    return {
        (run.run_id, row.row_id): entity_oracle.counts(*gold_of(row), pred_of(row, run))
        for run in runs
        for row in rows
        if row.in_design
    }


def test_every_count_of_every_row_equals_brute_force() -> None:
    rows, _, con = board()
    by_id = {row.row_id: row for row in rows}
    found = {}
    for said in warehouse.rows_of(con, "select * from intermediate.entity_counts"):
        run_id, row_id = said.pop("run_id"), said.pop("row_id")
        row = by_id[row_id]
        of_row = [said.pop(name) for name in ("doc_id", "corpus", "carrier", "language")]
        assert of_row == [row.doc_id, row.corpus, row.carrier, row.language]
        found[run_id, row_id] = said
    assert found.keys() == wants().keys()
    wrong = [(by_id[key[1]], key, found[key], want) for key, want in wants().items() if found[key] != want]
    smallest = min(wrong, key=lambda one: len(one[0].text) + len(one[0].gold), default=None)
    assert smallest is None, f"{len(wrong)} rows differ"


def of_labels(gold: Iterable[Span], pred: Iterable[Span]) -> list[entity_oracle.Pair]:
    """The pairs of each label by itself."""
    return [
        pair
        for label in {span.label for span in gold}
        for pair in entity_oracle.matched(*([span for span in spans if span.label == label] for spans in (gold, pred)))
    ]


def test_every_pair_is_the_one_that_brute_force_takes() -> None:
    rows, runs, con = board()
    found = con.sql(
        "select pairs.scope, runs.run_id, rows.row_id, gold.start_char, gold.end_char, gold.label, pred.start_char, "
        "pred.end_char, pred.label, pairs.is_exact, pairs.is_same_label, pairs.shared_chars "
        "from intermediate.span_pairs as pairs inner join intermediate.typed_gold as gold using (gold_key) "
        "inner join intermediate.typed_pred as pred using (pred_key) "
        "inner join staging.runs as runs on pairs.run_key = runs.run_key "
        "inner join staging.all_rows as rows on pairs.row_key = rows.row_key"
    ).fetchall()
    want = [
        (
            scope,
            run.run_id,
            row.row_id,
            *one,
            *other,
            *entity_oracle.kind((one, other)),
            entity_oracle.shared(one, other),
        )
        for run in runs
        for row in rows
        if row.in_design
        for scope, matched in (("all", entity_oracle.matched), ("label", of_labels))
        for one, other in matched(gold_of(row)[0], pred_of(row, run))
    ]
    assert sorted(found) == sorted(want)


def test_the_random_rows_hold_what_is_hard() -> None:
    rows, runs, _ = board()
    tallies = list(wants().values())
    for name in (*entity_oracle.COUNTS, "n_left_out"):
        assert sum(tally[name] > 0 for tally in tallies) > 100, name
    crowded = other_order = by_label = 0
    for row in rows:
        for run in runs:
            gold, pred = gold_of(row)[0], pred_of(row, run)
            taken = entity_oracle.matched(gold, pred)
            pairs = [(one, other) for one in gold for other in pred if entity_oracle.shared(one, other)]
            crowded += len(pairs) > len(taken)
            by_size = sorted(pairs, key=lambda pair: (-entity_oracle.shared(*pair), pair))
            free = {*gold, *((span, "pred") for span in pred)}
            for one, other in by_size:
                if {one, (other, "pred")} <= free:
                    free -= {one, (other, "pred")}
            other_order += len(free) != len(gold) + len(pred) - 2 * len(taken)
            same = sum(entity_oracle.kind(pair)[1] for pair in taken)
            by_label += same != len(of_labels(gold, pred))
    assert min(crowded, by_label) > 100
    assert other_order > 5


def slices(run: Run) -> dict[tuple[str, str], list[tuple[Row, Mapping[str, Any]]]]:
    """All rows that rank with their counts, by slice; with no counts where a row is not of the slice."""
    rows = [row for row in board()[0] if row.in_design]
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        tally = wants()[run.run_id, row.row_id]
        keys = [("all", "all"), ("corpus", row.corpus), ("carrier", row.carrier), ("language", row.language)]
        for key in keys:
            found.setdefault(key, {})[row.row_id] = tally
        for of_label in tally["by_label"]:
            found.setdefault(("label", of_label["label"]), {})[row.row_id] = of_label
    return {key: [(row, of.get(row.row_id, {})) for row in rows] for key, of in found.items()}


def close(found: float | None, want: float | None) -> bool:
    """Equal to 1e-12; NULL is None or NaN."""
    if found is None or want is None or math.isnan(want):
        return found is None and (want is None or math.isnan(want))
    return abs(found - want) <= 1e-12


def test_scores_of_every_slice_are_those_of_its_summed_counts() -> None:
    _, runs, con = board()
    found = {
        (line.pop("run_id"), line.pop("slice_by"), line.pop("slice"), line.pop("scheme")): line
        for line in warehouse.rows_of(con, "select * from marts.entity_scores")
    }
    keys = set()
    for run in runs:
        for (slice_by, name), lines in slices(run).items():
            want = entity_oracle.scored(tally for _, tally in lines)
            for scheme in SCHEMES:
                key = (run.run_id, slice_by, name, scheme)
                keys.add(key)
                assert found[key].pop("n_left_out") == sum(tally.get("n_left_out", 0) for _, tally in lines)
                assert found[key].keys() == want[scheme].keys()
                assert all(close(found[key][count], want[scheme][count]) for count in want[scheme]), key
    assert set(found) == keys


@pytest.mark.parametrize("unit", ["row", "document"])
def test_intervals_of_every_slice_equal_the_percentiles_of_numpys_replicates(unit: str) -> None:
    _, runs, con = board()
    found = {
        (line["run_id"], line["slice_by"], line["slice"], line["scheme"]): line
        for line in warehouse.rows_of(con, f"select * from marts.entity_intervals where unit = '{unit}'")
    }
    keys, shares = set(), set()
    for run in runs:
        for (slice_by, name), lines in slices(run).items():
            if slice_by == "language":
                continue
            drawn = entity_oracle.replicate_f1(
                ((row.corpus, row.row_id if unit == "row" else str(row.doc_id), tally) for row, tally in lines),
                SEED,
                unit,
                REPLICATES,
            )
            for scheme in SCHEMES:
                key = (run.run_id, slice_by, name, scheme)
                keys.add(key)
                line = found[key]
                assert close(line["f1_low"], oracle.percentile(drawn[scheme], 0.025)), key
                assert close(line["f1_high"], oracle.percentile(drawn[scheme], 0.975)), key
                assert line["n_replicates"] == REPLICATES
                undefined = float(np.isnan(drawn[scheme]).mean())
                assert close(line["share_incomplete"], undefined), key
                shares.add(undefined)
    assert set(found) == keys
    assert {0.0, 1.0} < shares  # and a slice of two rows has none in some
