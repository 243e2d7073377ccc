"""Character counts equal sets of characters, on rows that are made to be awkward.

All rows are scored in one session, since a board of one row costs as much as one of hundreds; of those that differ the
smallest is shown. The rows come from a seed, not from hypothesis, which could shrink a batch only by scoring it again.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import Any

from piibench_duck import warehouse
from tests import oracle, tables
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

ROLES = {  # of the labels below in the corpora `one` and `tab`: (role, type), from the seeds
    "PERSON": ("scored", "PERSON"),
    "LOCATION": ("scored", "LOCATION"),
    "DATE_TIME": ("scored", "DATE_TIME"),
    "EMAIL": ("excluded", "EMAIL"),
    "IBAN": ("excluded", "IBAN"),
    "OTHER": ("ignored", "OTHER"),
    "nobody-knows": ("ignored", "OTHER"),
    "ORG": ("ignored", "OTHER"),  # known to the corpus `tab` alone
    "DEM": ("ignored", "OTHER"),
}
OF_TAB = {"ORG": ("scored", "ORGANIZATION"), "DEM": ("ignored", "OTHER")}
ALPHABET = 'ab .\n"\\éßё' + "אבשلم" + "😀𝔸" + "\u0301\u200d\u202e\ufeff\u2028\x00"
SCORES: list[list[float | None]] = [[None], [0.5], [0.25, 0.75]]
COUNTS = ("tp", "fp", "fn", "touched", "excluded", "lookalike", "lookalike_touched", "scaffold_fp")


def intervals(random: Random, n_chars: int, most: int) -> list[tuple[int, int]]:
    """Intervals of a text: anywhere, but also the whole of it, twins, neighbours and nests of those before."""
    found: list[tuple[int, int]] = []
    for _ in range(random.randint(0, most) if n_chars else 0):
        shape = random.choice(["anywhere", "anywhere", "whole", "twin", "neighbour", "inside"])
        start = random.randint(0, n_chars - 1)
        end = random.randint(start + 1, n_chars)
        before = random.choice(found) if found else (0, n_chars)
        if shape == "whole":
            start, end = 0, n_chars
        elif shape == "twin":
            start, end = before
        elif shape == "neighbour" and before[1] < n_chars:
            start, end = before[1], random.randint(before[1] + 1, n_chars)
        elif shape == "inside":
            start = random.randint(before[0], before[1] - 1)
            end = random.randint(start + 1, before[1])
        found.append((start, end))
    return found


def alignments(random: Random, n_chars: int) -> list[Stretch]:
    """Values, lookalikes and scaffold (what is between) from left to right; none for a row without alignment."""
    if random.random() < 0.5:
        return []
    found: list[Stretch] = []
    at = passage = 0
    while at < n_chars and random.randint(0, 4) > 0:
        start = random.randint(at, n_chars)
        end = random.randint(start, n_chars)
        kind = random.choice(["copied", "escaped", "lookalike"]) if end > start else "lost"
        if kind == "lookalike":
            found.append(Stretch(start, end, kind))
        else:
            found.append(Stretch(start, end, kind, passage, passage + 1))
            passage += 1
        at = end
    return found


def line(random: Random) -> tuple[Row, list[Answer | None]]:
    """A row without its id, and what each of three runs says of it."""
    text = "".join(random.choices(ALPHABET, k=random.randint(0, 24)))
    gold = [
        Gold(
            start,
            end,
            random.choice(sorted(ROLES)),
            random.choice([None, None, None, "scored", "excluded"]),
            random.choice([None, None, "DIRECT", "NO_MASK"]),
            random.choice([None, "e1"]),
            random.choice([None, "annotator1", "annotator2"]),
        )
        for start, end in intervals(random, len(text), 6)
    ]
    answers = [
        Answer(
            [
                Pred(start, end, random.choice(["PERSON", "IBAN", "made-up", "GIVEN_NAME"]), score)
                for start, end in intervals(random, len(text), 5)
                for score in random.choice(SCORES)
            ],
            random.choice(["ok", "ok", "truncated"]),
        )
        if random.randint(0, 5)
        else random.choice([None, Answer((), "error")])
        for _ in range(3)
    ]
    row = Row(
        "",
        text,
        gold,
        random.choice(["one", "tab"]),
        alignments=alignments(random, len(text)),
        in_design=random.randint(0, 5) > 0,
    )
    return row, answers


def role_and_type(row: Row, span: Gold) -> tuple[str, str]:
    """What a gold span counts as: excluded by the file's word, then NO_MASK, then scored by it, then the label map."""
    role, kind = {**ROLES, **(OF_TAB if row.corpus == "tab" else {})}[span.label]
    if span.identifier_type == "NO_MASK" and span.role != "excluded":
        return "ignored", kind
    return span.role or role, kind


def expected(row: Row, answer: Answer | None) -> dict[str, Any]:
    """Everything that row_counts says of a row, by sets of characters."""
    of_role: dict[str, list[tuple[int, int]]] = {"scored": [], "excluded": [], "ignored": []}
    typed = []
    for span in row.gold:
        role, kind = role_and_type(row, span)
        of_role[role].append((span.start, span.end))
        if role == "scored":
            typed.append((span.start, span.end, kind))
    answered = answer is not None and answer.status != "error"
    predicted = [(span.start, span.end) for span in answer.spans] if answer else []
    looks = [(part.wire_start, part.wire_end) for part in row.alignments if part.kind == "lookalike"]
    aligned = {at for part in row.alignments for at in range(part.wire_start, part.wire_end)}
    scaffold = [(at, at + 1) for at in range(len(row.text)) if at not in aligned]
    counts: dict[str, Any] = oracle.char_counts(
        len(row.text), of_role["scored"], of_role["excluded"], looks, scaffold, predicted
    )
    if not row.alignments:
        counts |= {"lookalike": None, "lookalike_touched": None, "scaffold_fp": None}
    said = [(span.start, span.end, span.label) for span in answer.spans] if answer else []
    return {
        **counts,
        "n_rows_missing": 0 if answered else 1,
        "n_duplicate_spans": len(said) - len(set(said)),
        "by_type": [{"type": kind, **of} for kind, of in oracle.by_type(len(row.text), typed, predicted).items()],
    }


@cache
def character_board() -> tuple[list[Row], list[Run], warehouse.Connection]:
    """Six hundred random rows and three runs over them (a fourth was not run), derived in one session."""
    random = Random(0)
    rows, runs = [], [Run("a", {}), Run("b", {}, label_namespace="rampart"), Run("c", {})]
    answers: list[dict[str, Answer]] = [{}, {}, {}]
    for place, (row, said) in enumerate(line(random) for _ in range(600)):
        rows.append(row._replace(row_id=f"r{place:03}@prose"))
        for of_run, answer in zip(answers, said, strict=True):
            if answer is not None:
                of_run[rows[-1].row_id] = answer
    runs = [run._replace(answers=of_run) for run, of_run in zip(runs, answers, strict=True)]
    con = tables.connect(rows, [Run("absent", status="not_run"), *runs], design="balanced")
    warehouse.derive(con, ["intermediate.row_counts", "intermediate.char_intervals"])
    return rows, runs, con


def counted(rows: Iterable[Row], run: Run) -> list[Row]:
    """Rows of the design, and what the run has a line for besides."""
    return [row for row in rows if row.in_design or row.row_id in run.answers]


def test_every_count_of_every_row_and_run_equals_sets_of_characters() -> None:
    rows, runs, con = character_board()
    names = (*COUNTS, "n_rows_missing", "n_duplicate_spans", "by_type")
    found = {
        (line["run_id"], line["row_id"]): {name: line[name] for name in names}
        for line in warehouse.rows_of(con, "select * from intermediate.row_counts")
    }
    assert set(found) == {(run.run_id, row.row_id) for run in runs for row in counted(rows, run)}
    wrong = [
        (row, run.answers.get(row.row_id), found[run.run_id, row.row_id], want)
        for run in runs
        for row in counted(rows, run)
        if found[run.run_id, row.row_id] != (want := expected(row, run.answers.get(row.row_id)))
    ]
    smallest = min(wrong, key=lambda one: len(one[0].text) + len(one[0].gold), default=None)
    assert smallest is None, f"{len(wrong)} rows differ"


def test_the_random_rows_exercise_every_count() -> None:
    rows, runs, _ = character_board()
    wants = [expected(row, run.answers.get(row.row_id)) for row in rows if row.in_design for run in runs]
    for name in (*COUNTS, "n_rows_missing", "n_duplicate_spans"):
        assert sum(bool(want[name]) for want in wants) > 20, name
    assert {kind["type"] for want in wants for kind in want["by_type"]} >= {"PERSON", "ORGANIZATION", "EMAIL", "OTHER"}
    assert sum(not row.text for row in rows) > 3
    assert sum(not row.in_design for run in runs for row in counted(rows, run)) > 20
    assert sum(row not in counted(rows, run) for run in runs for row in rows) > 20


def test_intervals_cut_each_row_once_and_without_gaps() -> None:
    rows, runs, con = character_board()
    found = con.sql(
        "select run_id, row_id, list((start_char, end_char) order by start_char) "
        "from intermediate.char_intervals group by run_id, row_id"
    ).fetchall()
    texts = {row.row_id: row.text for row in rows}
    assert len(found) == sum(bool(row.text) for run in runs for row in counted(rows, run))
    for _, row_id, cuts in found:
        assert [0, *(end for _, end in cuts)] == [*(start for start, _ in cuts), len(texts[row_id])]


def test_intervals_tell_scaffold_from_values_and_lookalikes() -> None:
    rows, _, con = character_board()
    aligned = {row.row_id: row.alignments for row in rows}
    found = con.sql("select row_id, start_char, is_scaffold, is_lookalike from intermediate.char_intervals").fetchall()
    for row_id, start, is_scaffold, is_lookalike in found:
        kinds = [part.kind for part in aligned[row_id] if part.wire_start <= start < part.wire_end]
        assert is_lookalike == ("lookalike" in kinds)
        assert is_scaffold == (not kinds if aligned[row_id] else None)


def test_intervals_name_the_types_of_each_character() -> None:
    rows, runs, con = character_board()
    bits = dict(con.sql("select type, bit from staging.taxonomy").fetchall())
    cuts: dict[tuple[str, str], list[Any]] = {}
    for run_id, row_id, *cut in con.sql(
        "select run_id, row_id, start_char, end_char, gold_types, excluded_types, pred_types "
        "from intermediate.char_intervals"
    ).fetchall():
        cuts.setdefault((run_id, row_id), []).append(cut)
    known = {"PERSON": "PERSON", "IBAN": "IBAN", "GIVEN_NAME": "PERSON"}  # by a model's own map, and as usual
    for run in runs:
        for row in rows:
            spans = run.answers[row.row_id].spans if row.row_id in run.answers else ()
            for start, _, scored, excluded, predicted in cuts.get((run.run_id, row.row_id), []):
                for role, mask in (("scored", scored), ("excluded", excluded)):
                    assert mask == mask_of(
                        bits,
                        (kind for span in row.gold for of, kind in [role_and_type(row, span)] if of == role
                         and span.start <= start < span.end),
                    )  # fmt: skip
                inside = (known[span.label] for span in spans if span.start <= start < span.end and span.label in known)
                assert predicted == mask_of(bits, inside)


def mask_of(bits: Mapping[str, int], kinds: Iterable[str]) -> int:
    """The bit mask of some types."""
    return sum(1 << bits[kind] for kind in set(kinds))
