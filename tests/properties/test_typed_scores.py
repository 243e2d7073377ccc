"""Typed counts equal sets of spans and characters, on rows that are made to be awkward, of each slice and limit.

All rows are scored in one session; of those that differ the smallest is shown.
"""

from collections import Counter
from functools import cache
from random import Random

import pytest

from piibench_duck import warehouse
from tests import tables, typed_oracle
from tests.tables import Answer, Gold, Pred, Row, Run

GOLD = {  # role by the map, our label, its label where the file gives a role
    "PERSON": ("scored", "PERSON", "PERSON"),
    "PER": ("ignored", "PER", "PERSON"),
    "EMAIL": ("excluded", "EMAIL", "EMAIL"),
    "IBAN": ("excluded", "IBAN", "IBAN"),
    "SECRET": ("excluded", "SECRET", "SECRET"),
    "OTHER": ("ignored", "OTHER", "OTHER"),
    "made-up": ("ignored", "made-up", "made-up"),
}
OF_TAB = {
    "PERSON": ("scored", "PERSON"),
    "ORG": ("scored", "ORGANIZATION"),
    "CODE": ("excluded", "RECORD_NUMBER"),
    "DEM": ("ignored", ""),
}
PRED = {  # by namespace: what a label means, None where the map does not name it, `ignored` where it says so
    "*": {"PER": "PERSON", "made-up": None, "GIVEN_NAME": "PERSON"},
    "rampart": {"PER": None, "made-up": None, "GIVEN_NAME": "PERSON"},
    "mine": {"PER": None, "made-up": "ignored", "GIVEN_NAME": None, "PHONE": "ignored"},
}
SAME = ("PERSON", "EMAIL", "IBAN", "SECRET", "PHONE", "ORGANIZATION", "OTHER")
SEVERE = ("IBAN", "SECRET")
KNOWN = (*SAME, "RECORD_NUMBER")
NAMESPACES = {"a": "*", "b": "rampart", "c": "mine"}


def intervals(random: Random, n_chars: int, most: int) -> list[tuple[int, int]]:
    """Intervals of a text: anywhere, the whole of it, twins, and neighbours."""
    found: list[tuple[int, int]] = []
    for _ in range(random.randint(0, most) if n_chars else 0):
        start = random.randint(0, n_chars - 1)
        end = random.randint(start + 1, min(n_chars, start + 8))
        shape = random.choice(["anywhere", "whole", "twin", "twin", "neighbour"])
        if shape == "whole" and random.random() < 0.3:
            start, end = 0, n_chars
        elif shape == "twin" and found:
            start, end = random.choice(found)
        elif shape == "neighbour" and found and found[-1][1] < n_chars:
            start = found[-1][1]
            end = random.randint(start + 1, n_chars)
        found.append((start, end))
    return found


def line(random: Random, place: int) -> tuple[Row, dict[str, Answer]]:
    """A row, and what each of three runs says of it."""
    text = "x" * random.choice([0, 1, 5, 20, 20, 20])
    corpus = random.choice(["one", "tab"])
    shapes = intervals(random, len(text), 5)
    gold = [
        Gold(
            start,
            end,
            random.choice(sorted(OF_TAB if corpus == "tab" else GOLD)),
            None if corpus == "tab" else random.choice([None, "scored", "excluded"]),
            random.choice([None, None, "NO_MASK"]),
            None,
            random.choice([None, "annotator1", "annotator2"]),
        )
        for start, end in shapes
    ]
    row = Row(
        f"r{place:03}@prose",
        text,
        gold,
        corpus,
        doc_id=f"{corpus}-{random.randint(0, 40)}",
        carrier=random.choice(["prose", "json"]),
        in_design=random.random() < 0.6,
        in_documents=random.random() < 0.6,
        slices={} if random.random() < 0.3 else {"domain": random.choice("uvw"), "carrier": "never"},
    )
    answers = {}
    for run, namespace in NAMESPACES.items():
        spans = []
        labels = [*SAME, *PRED[namespace]]
        for start, end in [*intervals(random, len(text), 4), *(one for one in shapes if random.random() < 0.6)]:
            at = [of for of in gold if (of.start, of.end) == (start, end) and random.random() < 0.6]
            spans.append(Pred(start, end, at[0].label if at and at[0].label in labels else random.choice(labels)))
        if random.random() < 0.85:
            answers[run] = Answer(spans) if random.random() < 0.9 else Answer((), "error")
    return row, answers


@cache
def board() -> tuple[list[Row], list[Run]]:
    """Three hundred rows and three runs over them; the last answered no text of the documents design."""
    random = Random(7)
    rows: list[Row] = []
    said: dict[str, dict[str, Answer]] = {run: {} for run in NAMESPACES}
    for place in range(300):
        row, answers = line(random, place)
        rows.append(row)
        for run, answer in answers.items():
            if run != "c" or not row.in_documents:
                said[run][row.row_id] = answer
    return rows, [Run(run, said[run], label_namespace=namespace) for run, namespace in NAMESPACES.items()]


@cache
def connection(limit: int | None, with_documents: bool = True, backwards: bool = False) -> warehouse.Connection:
    """The board with its typed marts."""
    rows, runs = board()
    con = tables.connect(
        rows[::-1] if backwards else rows,
        [*runs, Run("absent", status="not_run")],
        design="ranked",
        documents_design="whole" if with_documents else None,
        document_limit=limit,
    )
    labels = [label for label in OF_TAB if label != "CODE" or any(row.gold for row in rows)]
    columns = {"source": "tab", "corpus": "tab", "n_spans": 1}
    tables.fill(con, "source_labels", [{**columns, "source_label": label} for label in labels])
    tables.fill(
        con,
        "label_map",
        [
            {"namespace": "mine", "source_label": label, "type": "ignored", "reason": "because"}
            for label in ("made-up", "PHONE")
        ],
    )
    warehouse.derive(con, ["marts.typed_scores", "marts.typed_type_scores"])
    return con


def role_and_label(row: Row, span: Gold) -> tuple[str, str]:
    """What a gold span counts as, but for NO_MASK, and its label."""
    if row.corpus == "tab":
        return OF_TAB[span.label]
    role, label, given_label = GOLD[span.label]
    return (span.role, given_label) if span.role else (role, label)


@cache
def scope(corpus: str) -> set[str]:
    if corpus == "tab":
        return {label for role, label in OF_TAB.values() if role != "ignored"}
    judged = [role_and_label(row, span) for row in board()[0] if row.corpus == corpus for span in row.gold]
    return {label for role, label in judged if role != "ignored"}


def expected(row: Row, run: Run) -> dict[str, Counter[str]]:
    """What typed_counts says of a row, by label."""
    gold = set()
    for span in row.gold:
        role, label = role_and_label(row, span)
        if role != "ignored" and not (span.identifier_type == "NO_MASK" and span.role != "excluded"):
            gold.add((span.start, span.end, label))
    predicted, ignored = set(), set()
    for one in run.answers[row.row_id].spans if row.row_id in run.answers else ():
        means = PRED[run.label_namespace].get(one.label, one.label)
        if means == "ignored":
            ignored.add((one.start, one.end, one.label))
        else:
            predicted.add((one.start, one.end, means or one.label))
    return typed_oracle.row_counts(gold, predicted, scope(row.corpus), KNOWN, ignored, SEVERE)


def asked(row: Row, run: Run) -> bool:
    """Whether a typed score may count the row for the run."""
    return row.in_design or (row.in_documents and (run.run_id != "c" or row.row_id in run.answers))


def test_every_count_of_every_label_and_row_equals_sets() -> None:
    rows, runs = board()
    found: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for one in warehouse.rows_of(connection(None), "select * from intermediate.typed_counts"):
        counts = {name: one[name] for name in typed_oracle.COUNTS}
        found.setdefault((one["run_id"], one["row_id"]), {})[one["label"]] = counts
    wants = {
        (run.run_id, row.row_id): {
            label: {name: of[name] for name in typed_oracle.COUNTS} for label, of in want.items()
        }
        for run in runs
        for row in rows
        if asked(row, run) and (want := expected(row, run))
    }
    assert found.keys() == wants.keys()
    lengths = {row.row_id: len(row.text) + len(row.gold) for row in rows}
    wrong = sorted((key for key in wants if found[key] != wants[key]), key=lambda key: lengths[key[1]])
    assert not wrong, (
        wrong[0],
        found[wrong[0]],
        wants[wrong[0]],
        next(row for row in rows if row.row_id == wrong[0][1]),
    )


def test_the_random_rows_exercise_every_count() -> None:
    rows, runs = board()
    whole = [typed_oracle.added(expected(row, run).values()) for row in rows for run in runs]
    for name in typed_oracle.COUNTS:
        assert sum(bool(counts[name]) for counts in whole) > 20, name


@pytest.mark.parametrize(("limit", "with_documents"), [(None, True), (3, True), (None, False)])
def test_every_slice_adds_up_the_rows_of_the_documents_that_are_taken(limit: int | None, with_documents: bool) -> None:
    rows, runs = board()
    found = {
        (one["run_id"], one["is_ranked"], one["corpus"], one["slice_by"], one["slice"]): one
        for one in warehouse.rows_of(connection(limit, with_documents), "select * from marts.typed_scores")
    }
    slices = []
    for is_ranked in (True, False) if with_documents else (True,):
        for corpus in ("one", "tab"):
            of = [row for row in rows if row.corpus == corpus and (row.in_design if is_ranked else row.in_documents)]
            slices.append((is_ranked, corpus, "all", "all", of))
            slices.append((is_ranked, corpus, "language", "en", of))
            slices += [
                (is_ranked, corpus, "carrier", name, [row for row in of if row.carrier == name])
                for name in ("prose", "json")
            ]
            slices += [
                (is_ranked, corpus, "domain", name, [row for row in of if row.slices.get("domain") == name])
                for name in "uvw"
            ]
    assert found.keys() == {(run.run_id, *key) for run in runs for *key, _ in slices}
    for run in runs:
        for *key, of in slices:
            line = found[run.run_id, *key]
            documents = typed_oracle.taken((row.doc_id or "" for row in of), limit)
            took = [row for row in of if row.doc_id in documents]
            if run.run_id == "c" and not key[0]:
                took = []
            want = typed_oracle.added(counts for row in took for counts in expected(row, run).values())
            got = {name: line["leak" if name == "leaked" else name] for name in typed_oracle.COUNTS}
            assert got == want, key
            assert {name: line[name] for name in ("precision", "recall", "f1", "f2")} == pytest.approx(
                typed_oracle.ratios(want["tp"], want["pred"], want["gold"])
            )
            answered = {row_id for row_id, answer in run.answers.items() if answer.status != "error"}
            assert line["docs"] == len({row.doc_id for row in took})
            assert line["n_rows_missing"] == sum(row.row_id not in answered for row in took)
            assert line["is_reported"] == (key[0] == (run.run_id == "c" or not with_documents))


def test_types_add_up_to_their_slice() -> None:
    by = "run_id, is_ranked, corpus, slice_by, slice"
    summed = ", ".join(f"sum({name})::bigint" for name in ("gold", "pred", "tp", "leak", "missed", "n_out_of_scope"))
    plain = "gold, pred, tp, leak, missed, n_out_of_scope"
    con = connection(None)
    types = con.sql(f"select {by}, {summed} from marts.typed_type_scores group by {by} order by all").fetchall()
    whole = con.sql(
        f"select {by}, {plain} from marts.typed_scores "
        "where gold + pred + n_out_of_scope + n_unmapped + n_ignored > 0 order by all"
    ).fetchall()
    assert types == whole


def test_a_limit_takes_the_same_documents_in_whatever_order_the_rows_come() -> None:
    select = "select * from marts.typed_scores order by all"
    assert connection(3).sql(select).fetchall() == connection(3, backwards=True).sql(select).fetchall()
