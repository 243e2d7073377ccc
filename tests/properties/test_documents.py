"""Whole-document protection equals sets of characters and NumPy, on boards that are made to be awkward.

A board is scored at once and comes from a seed, not from hypothesis, which could shrink it only by scoring it again.
"""

from functools import cache
from random import Random

import pytest

from piibench_duck import warehouse
from tests import documents_oracle, tables
from tests.documents_oracle import ROLES, Counts, Document, Interval
from tests.tables import Answer, Gold, Pred, Row, Run

CORPORA = ("A", "B", "a", "é", "ж", "𝔸")
N_RUNS = 6  # more than lie side by side in one block
REPLICATES = 40
RELATIONS = ("marts.document_scores", "marts.document_intervals")

every_board = pytest.mark.parametrize(("seed", "design"), [(1, None), (2, "documents"), (3, None), (4, "documents")])


def spans(random: Random, n_chars: int, most: int) -> list[tuple[int, int]]:
    """Stretches of a text: often the whole of it, a twin of one before, or one character."""
    found: list[tuple[int, int]] = []
    for _ in range(random.randint(0, most) if n_chars else 0):
        start = random.randint(0, n_chars - 1)
        end = random.randint(start + 1, n_chars)
        found.append(random.choice([(start, end), (start, start + 1), (0, n_chars), *found[-1:]]))
    return found


def gold_span(random: Random, start: int, end: int) -> Gold:
    return Gold(
        start,
        end,
        random.choice(sorted(ROLES)),
        random.choice([None, None, None, "scored", "excluded"]),
        random.choice([None, "DIRECT", "QUASI", "NO_MASK"]),
        random.choice([None, "e1", "e2"]),
        random.choice([None, "annotator1", "annotator2"]),
    )


def rows(random: Random) -> list[Row]:
    """Texts of documents with one to four of them; the last corpus has no gold."""
    found = []
    for corpus in CORPORA:
        for document in range(random.randint(1, 30)):
            doc_id = f"{random.choice('zaé')}{document}"
            for _ in range(random.randint(1, 4)):
                text = "".join(random.choices("ab é😀", k=random.choice([0, 1, 4, 12])))
                most = 0 if corpus == CORPORA[-1] else random.choice([0, 2, 8])
                found.append(
                    Row(
                        f"row{len(found)}@prose",
                        text,
                        [gold_span(random, *span) for span in spans(random, len(text), most)],
                        corpus,
                        doc_id,
                        in_design=random.random() < 0.5,
                        in_documents=random.random() < 0.7,
                    )
                )
    return found


def answer(random: Random, row: Row, zeal: int) -> Answer | None:
    """What a run says of a text; one with more zeal marks more."""
    kind = random.randint(0, 19)
    if kind < 2:
        return (None, Answer((), "error"))[kind]
    found = spans(random, len(row.text), zeal)
    found += [(span.start, span.end) for span in row.gold if random.random() < zeal * 0.2]
    return Answer([Pred(*span, random.choice(["PERSON", "EMAIL", "made-up"])) for span in found])


def answers(random: Random, texts: list[Row], zeal: int) -> dict[str, Answer]:
    found = {row.row_id: answer(random, row, zeal) for row in texts}
    return {row_id: said for row_id, said in found.items() if said is not None}


@cache
def board(seed: int, design: str | None) -> tuple[list[Row], list[Run], warehouse.Connection]:
    """Some hundred rows, six runs over them, and further runs that are asked for no whole document, derived."""
    random = Random(seed)
    texts = rows(random)
    runs = [Run(f"run{zeal}", answers(random, texts, zeal)) for zeal in range(N_RUNS - 1)]
    runs.append(Run("everything", {row.row_id: Answer([Pred(0, len(row.text))] if row.text else []) for row in texts}))
    others = [Run("aside", answers(random, [row for row in texts if not row.in_documents], 3)), Run("nothing")]
    others.append(Run("not-run", status="not_run"))
    con = tables.connect(
        texts,
        [*runs, *(others if design else others[2:])],
        "balanced" if design else None,
        seed=seed,
        replicates=REPLICATES,
        documents_design=design,
    )
    warehouse.derive(con, RELATIONS)
    return [row for row in texts if row.in_documents or not design], runs, con


@cache
def expected(seed: int, design: str | None) -> dict[str, dict[Document, Counts]]:
    texts, runs, _ = board(seed, design)
    return {run.run_id: documents_oracle.counts(texts, run) for run in runs}


@every_board
def test_counts_of_a_document_are_those_of_its_sets_of_characters(seed: int, design: str | None) -> None:
    _, _, con = board(seed, design)
    lines = con.sql(f"select run_id, corpus, doc_id, {', '.join(Counts._fields)} from intermediate.document_counts")
    found: dict[str, dict[Document, Counts]] = {}
    for run_id, corpus, doc_id, *counts in lines.fetchall():
        found.setdefault(run_id, {})[corpus, doc_id] = Counts(*counts)
    assert found == expected(seed, design)


@every_board
def test_scores_are_counts_of_documents_and_their_plain_mean(seed: int, design: str | None) -> None:
    _, _, con = board(seed, design)
    found = {
        (run_id, corpus): tuple(figures)
        for run_id, corpus, *figures in con.sql(
            "select run_id, corpus, n_documents, n_documents_with_gold, n_protected, share_protected, "
            "n_documents_with_any, n_protected_with_identifiers, share_protected_with_identifiers, n_corpora, "
            "n_exposed_entities, exposed_chars, n_rows_missing from marts.document_scores"
        ).fetchall()
    }
    assert found == {
        (run_id, corpus): figures
        for run_id, counts in expected(seed, design).items()
        for corpus, figures in by_corpus(counts).items()
    }


def by_corpus(counts: dict[Document, Counts]) -> dict[str | None, tuple[float | None, ...]]:
    """The figures that the test above reads, by hand."""
    found: dict[str | None, tuple[float | None, ...]] = {}
    for corpus in dict.fromkeys(corpus for corpus, _ in counts):
        of = [count for (name, _), count in counts.items() if name == corpus]
        with_gold = [count for count in of if count.gold_chars]
        with_any = [count for count in of if count.gold_chars or count.identifier_chars]
        bare = [count for count in with_gold if not count.exposed_chars]
        bare_of_any = [count for count in with_any if not (count.exposed_chars or count.exposed_identifier_chars)]
        found[corpus] = (
            *(len(of), len(with_gold), len(bare), len(bare) / len(with_gold) if with_gold else None),
            *(len(with_any), len(bare_of_any), len(bare_of_any) / len(with_any) if with_any else None),
            int(bool(with_gold)),
            sum(count.n_exposed_entities for count in of),
            sum(count.exposed_chars for count in of),
            sum(count.n_rows_missing for count in of),
        )
    columns = list(zip(*found.values(), strict=True))
    overall: list[float | None] = [sum(value for value in column if value is not None) for column in columns]
    for place in (3, 6):
        shares = [share for share in columns[place] if share is not None]
        overall[place] = sum(shares) / len(shares) if shares else None
    return {**found, None: tuple(overall)}


@every_board
def test_intervals_are_those_of_numpy_on_the_same_draws(seed: int, design: str | None) -> None:
    _, _, con = board(seed, design)
    found: dict[str, dict[str | None, Interval]] = {}
    for run_id, corpus, *figures in con.sql(
        "select run_id, corpus, share_protected_low, share_protected_high, n_replicates, share_incomplete "
        "from marts.document_intervals"
    ).fetchall():
        found.setdefault(run_id, {})[corpus] = Interval(*figures)
    wanted = {
        run_id: documents_oracle.intervals(counts, seed, REPLICATES)
        for run_id, counts in expected(seed, design).items()
    }
    assert found.keys() == wanted.keys()
    for run_id, of_run in wanted.items():
        assert found[run_id].keys() == of_run.keys()
        for corpus, interval in of_run.items():
            assert found[run_id][corpus] == pytest.approx(interval, abs=1e-12), (run_id, corpus)


@every_board
def test_a_document_is_bare_of_exposed_characters_where_it_is_of_exposed_entities(
    seed: int, design: str | None
) -> None:
    _, _, con = board(seed, design)
    torn = con.sql(
        "select * from intermediate.document_counts where (exposed_chars = 0) != (n_exposed_entities = 0) "
        "or (exposed_chars + exposed_identifier_chars = 0) != (n_exposed_entities + n_exposed_identifiers = 0) "
        "or exposed_chars > gold_chars or n_exposed_entities > n_entities or n_exposed_identifiers > n_identifiers"
    ).fetchall()
    assert torn == []
