"""What a carrier does to a run equals character loops and NumPy's draws, on passages in real carriers and worse."""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from piibench_duck import carriers, query, warehouse
from tests import carried, oracle, tables
from tests.properties.test_scores import ROLES, expected, intervals, role_and_type
from tests.tables import Answer, Gold, Pred, Row, Run

REPLICATES = 60
SEED = 11
RUNS = ("all", "careful", "silent", "wild")
COPIED = ("passage_id", "doc_id", "corpus", "carrier", "language")
FIELDS = ("tp", "fp", "fn", "tn")


class Pair(NamedTuple):
    """A passage in a carrier and in prose."""

    row: Row
    prose: Row


class Board(NamedTuple):
    """Rows, runs, and everything derived."""

    rows: list[Row]
    runs: list[Run]
    con: warehouse.Connection


def gold(random: Random, spans: list[tuple[int, int]]) -> list[tuple[str, str | None]]:
    """Label and role of each span, the same in prose and in every carrier."""
    return [(random.choice(sorted(ROLES)), random.choice([None, None, "scored", "excluded"])) for _ in spans]


def texts(random: Random, number: int) -> list[Row]:
    """A passage in prose and in some carriers. Some have no prose, some twice, some no alignments, some no pair."""
    given = carried.passage(random)
    corpus = random.choice(["one", "one", "tab", "two", "ünï"])
    labels = gold(random, given.spans)
    if corpus == "two":  # has no figures for the most part
        labels = [("OTHER", None) for _ in labels]
    own_id = f"p{number // 2}" if number % 10 == 0 else f"p{number}"  # shared by passages, mostly of other corpora
    found = []
    for carrier in ["prose", *random.sample(carriers.carrier_names(), 2), "made"]:
        row = carried.made(random, given) if carrier == "made" else carried.wrapped(carrier, given)
        if row is None or (carrier == "prose" and found) or (carrier == "prose" and random.random() < 0.1):
            continue
        spans = [Gold(*span, label, role) for span, (label, role) in zip(row.spans, labels, strict=True)]
        lines = [] if random.random() < (0.5 if carrier == "prose" else 0.05) else carried.stretches(row.alignments)
        found.append(
            Row(
                f"{number:03}@{carrier}",
                row.text,
                spans,
                corpus,
                f"d{number % 7 if corpus != 'ünï' else 1}",
                carrier,
                alignments=lines,
                in_design=False,
                in_pairs=random.random() < 0.95,
                passage_id=own_id,
            )
        )
    if found:
        found[-1] = found[-1]._replace(in_design=True)
    if number % 9 == 0 and found and found[0].carrier == "prose":
        found.append(found[0]._replace(row_id=f"{number:03}@prose-again", text=found[0].text + ".", in_design=False))
    return found


def answer(random: Random, run: str, row: Row) -> Answer | None:
    """What a run says of a row."""
    if random.random() < 0.12:
        return random.choice([None, Answer((), "error")])
    spans = intervals(random, len(row.text), 4)
    if run == "all":
        spans = [(0, len(row.text))]
    elif run == "careful":
        spans = [
            (max(0, span.start - random.choice([0, 0, 1])), span.end - random.choice([0, 1]))
            for span in row.gold
            if random.random() < 0.8
        ]
    elif run == "silent":
        spans = []
    return Answer([Pred(start, end) for start, end in spans if start < end])


@cache
def board() -> Board:
    random = Random(3)
    rows = [row for number in range(220) for row in texts(random, number)]
    runs = []
    for run in RUNS:
        said = {row.row_id: answer(random, run, row) for row in rows}
        runs.append(Run(run, {row_id: one for row_id, one in said.items() if one is not None}))
    absent = Run("absent", status="not_run")
    con = tables.connect(
        rows, [absent, *runs], design="balanced", pairs_design="paired", seed=SEED, replicates=REPLICATES
    )
    warehouse.derive(con, ["marts.carrier_effects", "marts.carrier_losses", "marts.field_verdicts"])
    return Board(rows, runs, con)


def pairs(run: Run) -> list[Pair]:
    """The pairs that count for a run."""
    prose: dict[tuple[str, str], Row] = {}
    for row in sorted(board().rows, key=lambda row: row.row_id.encode()):
        if row.carrier == "prose" and row.in_pairs:
            prose.setdefault((row.corpus, str(row.passage_id)), row)
    found = []
    for row in board().rows:
        other = prose.get((row.corpus, str(row.passage_id)))
        if row.carrier == "prose" or not row.in_pairs or not row.alignments or other is None:
            continue
        if {row.row_id, other.row_id} <= run.answers.keys():
            found.append(Pair(row, other))
    return found


def spans(run: Run, row: Row) -> list[tuple[int, int]]:
    """What a run marked of a row."""
    return [(span.start, span.end) for span in run.answers[row.row_id].spans] if row.row_id in run.answers else []


def of_role(row: Row, role: str) -> list[tuple[int, int, str]]:
    """Gold spans of a role, with their types."""
    found = [(span, *role_and_type(row, span)) for span in row.gold]
    return [(span.start, span.end, kind) for span, of, kind in found if of == role]


def fields(run: Run, row: Row) -> dict[int, tuple[int, int, bool, bool, bool, str]]:
    """The oracle's verdicts."""
    scored, excluded = ([(start, end) for start, end, _ in of_role(row, role)] for role in ("scored", "excluded"))
    return oracle.fields(row.alignments, scored, excluded, spans(run, row))


def counts(run: Run, pair: Pair) -> dict[str, Any]:
    """A line of pair_counts."""
    carrier, prose = (expected(row, run.answers[row.row_id]) for row in pair)
    chars = oracle.pair_chars(
        pair.row.alignments, of_role(pair.prose, "scored"), spans(run, pair.prose), spans(run, pair.row)
    ).values()
    verdicts = [field[-1] for field in fields(run, pair.row).values()]
    return {
        "prose_row_id": pair.prose.row_id,
        **{name: getattr(pair.row, name) for name in COPIED},
        **{name: carrier[name] for name in ("tp", "fp", "fn")},
        **{f"prose_{name}": prose[name] for name in ("tp", "fp", "fn")},
        **{f"{name}_chars": n for name, n in oracle.pair_counts(chars).items()},
        "value_fp": carrier["fp"] - carrier["scaffold_fp"],
        **{name: carrier[name] for name in ("scaffold_fp", "lookalike", "lookalike_touched")},
        "n_fields": len(verdicts),
        **{f"field_{name}": verdicts.count(name) for name in FIELDS},
        "n_fields_excluded": verdicts.count("excluded"),
        "by_type": [{"type": kind, **of} for kind, of in oracle.pair_types(chars).items()],
    }


@cache
def wants() -> dict[tuple[str, str], dict[str, Any]]:
    """All of pair_counts by the oracle, by run and row."""
    return {(run.run_id, pair.row.row_id): counts(run, pair) for run in board().runs for pair in pairs(run)}


def found_lines(table: str, *keys: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The lines of a relation by their keys."""
    lines = warehouse.rows_of(board().con, f"select * from {table}")
    found = {tuple(line.pop(key) for key in keys): line for line in lines}
    assert len(found) == len(lines)
    return found


def test_every_count_of_every_pair_equals_loops_over_characters() -> None:
    found = found_lines("intermediate.pair_counts", "run_id", "row_id")
    assert found.keys() == wants().keys()
    assert [(key, found[key], want) for key, want in wants().items() if found[key] != want] == []


def test_the_random_pairs_exercise_every_count() -> None:
    for name, value in next(iter(wants().values())).items():
        if isinstance(value, int):
            assert sum(bool(want[name]) for want in wants().values()) > 10, name
    assert len({want["carrier"] for want in wants().values()}) == len(carriers.carrier_names())
    proses = {(want["passage_id"], want["corpus"]) for want in wants().values()}
    assert len({passage_id for passage_id, _ in proses}) < len(proses)  # some ids are of two corpora


def test_every_verdict_on_a_field_equals_loops_over_characters() -> None:
    found = found_lines("marts.field_verdicts", "run_id", "row_id", "value_index")
    want = {
        (run.run_id, row.row_id, value_index): field
        for run in board().runs
        for row in board().rows
        if row.in_design or row.row_id in run.answers
        for value_index, field in fields(run, row).items()
    }
    assert {key: tuple(line.values()) for key, line in found.items()} == want


def test_losses_by_type_are_sums_over_pairs() -> None:
    want: dict[tuple[str, ...], dict[str, int]] = {}
    for (run, _), line in wants().items():
        for of in line["by_type"]:
            sums = want.setdefault((run, line["carrier"], of["type"]), dict.fromkeys(oracle.pair_counts([]), 0))
            for name in sums:
                sums[name] += of[name]
    found = found_lines("marts.carrier_losses", "run_id", "carrier", "type")
    assert found.keys() == want.keys()
    for key, sums in want.items():
        assert {name: found[key][f"{name}_chars"] for name in sums} == sums
        in_prose = sums["kept"] + sums["lost"]
        assert found[key]["share_lost"] == (sums["lost"] / in_prose if in_prose else None)


def documents() -> dict[str, list[str]]:
    """The documents of each corpus that the bootstrap draws from, in byte order."""
    found: dict[str, set[str]] = {}
    for row in board().rows:
        if row.in_design:
            found.setdefault(row.corpus, set()).add(str(row.doc_id))
    return {corpus: sorted(found[corpus], key=str.encode) for corpus in sorted(found, key=str.encode)}


def by_document(lines: Iterable[Mapping[str, Any]], corpora: Iterable[str], *names: str) -> dict[str, oracle.Integers]:
    """Sums of some counts in each document of the corpora, those without a line among them."""
    found = {corpus: np.zeros((len(documents()[corpus]), len(names)), dtype=np.int64) for corpus in corpora}
    for line in lines:
        place = documents()[line["corpus"]].index(line["doc_id"])
        found[line["corpus"]][place] += [line[name] for name in names]
    return found


def test_effects_and_their_intervals_equal_numpys_draws_of_documents() -> None:
    found = found_lines("marts.carrier_effects", "run_id", "carrier")
    assert found.keys() == {(run, line["carrier"]) for (run, _), line in wants().items()}
    incomplete = 0
    for (run, carrier), line in found.items():
        lines = [
            {
                **want,
                "found": want["kept_chars"] + want["gained_chars"],
                "in_prose": want["kept_chars"] + want["lost_chars"],
            }
            for (of, _), want in wants().items()
            if (of, want["carrier"]) == (run, carrier)
        ]
        corpora = sorted({want["corpus"] for want in lines}, key=str.encode)
        sides = [
            by_document(lines, corpora, *names) for names in (("tp", "fp", "fn"), ("prose_tp", "prose_fp", "prose_fn"))
        ]
        recalls = [by_document(lines, corpora, name, "gold_chars") for name in ("found", "in_prose")]
        drawn = [oracle.replicate_f1(side, SEED, "document", REPLICATES) for side in sides]
        whole = [np.array([oracle.f1(of.sum(axis=0)) for of in side.values()]) for side in sides]
        both = ~(np.isnan(whole[0]) | np.isnan(whole[1]))
        d = oracle.mean_difference(*drawn)
        undefined = (np.isnan(drawn[0]) | np.isnan(drawn[1])).any(axis=0)
        incomplete += bool(undefined.any())
        rates = [
            np.array(
                [
                    oracle.share(of[..., 0], of[..., 1])
                    for of in oracle.replicate_sums(side, SEED, "document", REPLICATES)
                ]
            )
            for side in recalls
        ]
        rate = [
            float(oracle.mean_over_corpora(np.array([oracle.share(*of.sum(axis=0)) for of in side.values()])))
            for side in recalls
        ]
        r = oracle.mean_difference(*rates)
        floats = {
            "f1_carrier": float(oracle.mean_over_corpora(np.where(both, whole[0], np.nan))),
            "f1_prose": float(oracle.mean_over_corpora(np.where(both, whole[1], np.nan))),
            "difference": float(oracle.mean_difference(*whole)),
            "difference_low": oracle.percentile(d, 0.025),
            "difference_high": oracle.percentile(d, 0.975),
            "share_incomplete": float(undefined.mean()),
            "recall_carrier": rate[0],
            "recall_prose": rate[1],
            "recall_difference": rate[0] - rate[1],
            "recall_difference_low": oracle.percentile(r, 0.025),
            "recall_difference_high": oracle.percentile(r, 0.975),
        }
        wrong = {name: (line[name], want) for name, want in floats.items() if not close(line[name], want)}
        assert wrong == {}, (run, carrier)
        sums = ("gold_chars", "lost_chars", "gained_chars", "value_fp", "scaffold_fp", "lookalike", "lookalike_touched")
        fields_of = ("n_fields", *(f"field_{name}" for name in FIELDS), "n_fields_excluded")
        for name in (*sums, *fields_of):
            assert line[name] == sum(want[name] for want in lines), name
        tp, fp, fn = (line[f"field_{name}"] for name in ("tp", "fp", "fn"))
        assert line["field_precision"] == (tp / (tp + fp) if tp + fp else None)
        assert line["field_recall"] == (tp / (tp + fn) if tp + fn else None)
        assert (line["n_passages"], line["n_corpora"]) == (len(lines), int(both.sum()))
        assert line["n_replicates"] == int((~np.isnan(d)).sum())
    assert incomplete > 5


def close(found: float | None, want: float) -> bool:
    """Equal to 1e-12; NULL is NaN."""
    return math.isnan(want) if found is None else abs(found - want) <= 1e-12


def test_what_was_lost_is_listed_in_its_longest_stretches() -> None:
    for run in board().runs:
        want = []
        for pair in pairs(run):
            chars = oracle.pair_chars(
                pair.row.alignments, of_role(pair.prose, "scored"), spans(run, pair.prose), spans(run, pair.row)
            )
            wire = oracle.wire_chars(pair.row.alignments)
            lost = {char: types for char, (prose, carrier, types) in chars.items() if prose and not carrier}
            for start in sorted(lost):
                if start - 1 in lost:
                    continue
                end = start
                while end in lost:
                    end += 1
                types = sorted({kind for char in range(start, end) for kind in lost[char]})
                ends = (start, end, min(wire[start]), max(wire[end - 1]) + 1)
                want.append((pair.row.row_id, pair.prose.row_id, pair.row.carrier, *ends, types))
        want.sort()
        found = query.named(board().con, "lost_in_carrier", {"run": run.run_id, "carrier": None})
        assert list(query.cells(found)) == want
        of_one = query.named(board().con, "lost_in_carrier", {"run": run.run_id, "carrier": "made"})
        assert list(query.cells(of_one)) == [line for line in want if line[2] == "made"]
    assert sum(line[2] == "made" for line in want) > 5
