"""TAB's figures equal those of sets of characters, on documents that are made to be awkward.

All documents of a test are scored in one session, each the only ones of a corpus; of those that differ the smallest is
shown. They come from a seed, since shrinking a batch would score it again and again.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import pytest

from piibench_duck import warehouse
from tests import tab_oracle, tables
from tests.tab_oracle import Document, Mention, Stretch
from tests.tables import Answer, Gold, Pred, Row, Run

PIECES = [
    "Anna",
    "of",
    "the",
    " ",
    " ",
    " ",
    ", ",
    "-",
    "'",
    "’",
    "“x”",
    "(",
    ") ",
    "_a",
    "9",
    "%",
    "€5",
    "é",
    "\u0301",
]
PIECES += ["אבג", "שלום", "Анна", "安", "😀", "İl", "\n", "Mr", ".", "&", "]", "[", "\\", "–", "…"]
PIECES += ["Rindfleisch" * 30]  # longer than the tiles that words are looked up by
LABELS = ["PERSON", "LOC", "DEM", "it's"]
ANNOTATORS = ["annotator1", "annotator2", "annotator3"]


class Case(NamedTuple):
    """A corpus of a few documents, and what two runs mask in it."""

    documents: Mapping[str, Document]
    masks: Mapping[str, Mapping[str, Sequence[tuple[int, int]]]]  # run → text → spans; a text not there is not answered
    forgiven: Sequence[Stretch]
    weights: Sequence[tuple[str, int, int, float]]

    @property
    def size(self) -> int:
        return sum(len(text) + 10 * len(of.mentions) for of in self.documents.values() for text in of.texts.values())


def spans(random: Random, text: str, most: int) -> list[tuple[int, int]]:
    """Spans of a text: anywhere, of whole pieces mostly, twins, neighbours and the whole of it."""
    found: list[tuple[int, int]] = []
    for _ in range(random.randint(0, most) if text else 0):
        start = random.randrange(len(text))
        end = min(len(text), start + random.randint(1, 9))
        shape = random.choice(["anywhere", "word", "word", "twin", "neighbour", "long", "whole"])
        if shape == "long":
            end = min(len(text), start + random.randint(100, 400))
        elif shape == "word":
            while start > 0 and text[start - 1].isalnum():
                start -= 1
            while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
                end += 1
        elif shape == "twin" and found:
            start, end = random.choice(found)
        elif shape == "neighbour" and found and found[-1][1] < len(text):
            start, end = found[-1][1], min(len(text), found[-1][1] + random.randint(1, 5))
        elif shape == "whole" and random.random() < 0.2:
            start, end = 0, len(text)
        found.append((start, end))
    return found


def case(random: Random, corpus: int) -> Case:
    """Documents of one to three texts, one to three annotators and a few entities each."""
    documents, forgiven, weights = {}, [], []
    for number in range(random.randint(1, 3)):
        names = [f"{corpus}-{number}-{random.randrange(10**6)}" for _ in range(random.randint(1, 3))]
        texts = {name: "".join(random.choices(PIECES, k=random.choice([0, 1, 5, 12, 40]))) for name in names}
        annotators = ANNOTATORS[: random.randint(1, 3)]
        mentions = [
            Mention(
                name,
                start,
                end,
                random.choice(LABELS),
                random.choice(["e1", "e1", "e2", "e3", None]),
                random.choice(["DIRECT", "QUASI", "QUASI", "NO_MASK"]),
                random.choice([*annotators, None]) if random.random() < 0.1 else random.choice(annotators),
            )
            for name, text in texts.items()
            for start, end in spans(random, text, 6)
        ]
        for mention in list(mentions):
            if random.random() < 0.2:  # somebody else sees the same, or the same is said twice
                again = mention._replace(
                    judgement=random.choice(["DIRECT", "QUASI", "NO_MASK"]),
                    annotator=random.choice([mention.annotator, random.choice(annotators)]),
                    label=random.choice([mention.label, mention.label, "LOC"]),
                )
                mentions.append(again)
        mentions.sort(key=lambda one: names.index(one.row_id))
        known = frozenset(annotators) if random.random() < 0.5 else frozenset()
        documents[f"d{number}"] = Document(texts, mentions, known)
        for name, text in texts.items():
            forgiven += [(name, *span) for span in spans(random, text, 2)]
            weights += [(name, *span, random.choice([0.0, 0.5, 3.25, 14.125])) for span in spans(random, text, 5)]
    masks = {
        run: {
            name: spans(random, text, 5)
            for document in documents.values()
            for name, text in document.texts.items()
            if random.random() < 0.8
        }
        for run in ("one", "two")
    }
    return Case(documents, masks, forgiven, weights)


def board(cases: Sequence[Case], **settings: object) -> warehouse.Connection:
    """The cases as one board, a corpus each."""
    rows, annotators = [], []
    for number, of in enumerate(cases):
        for doc_id, document in of.documents.items():
            at = 0
            for name, text in document.texts.items():
                gold = [
                    Gold(one.start, one.end, one.label, None, one.judgement, one.entity, one.annotator)
                    for one in document.mentions
                    if one.row_id == name
                ]
                rows.append(Row(name, text, gold, corpus=f"c{number}", doc_id=doc_id, passage_start=at))
                at += len(text) + 1
                annotators += [{"row_id": name, "annotator": one} for one in sorted(document.annotators)]
    masked = {
        run: {name: Answer([Pred(*span) for span in given]) for of in cases for name, given in of.masks[run].items()}
        for run in ("one", "two")
    }
    con = tables.connect(rows, [Run(run, answers) for run, answers in masked.items()], **settings)  # type: ignore[arg-type]
    tables.fill(con, "annotators", annotators)
    for table, names, lines in (
        ("forgiven", ("row_id", "start_char", "end_char"), [line for of in cases for line in of.forgiven]),
        ("token_weights", ("row_id", "start_char", "end_char", "bits"), [line for of in cases for line in of.weights]),
    ):
        source = {"source": "file"} if table == "forgiven" else {}
        tables.fill(con, table, [{**dict(zip(names, line, strict=True)), **source} for line in lines])
    return con


def computed(con: warehouse.Connection) -> dict[tuple[str, str], dict[str, Any]]:
    """What the marts say, by run and corpus."""
    warehouse.derive(con, ["marts.tab_scores", "marts.tab_type_scores"])
    found = {
        (line["run_id"], line["corpus"]): {**line, "by_type": {}}
        for line in warehouse.rows_of(con, "select * from marts.tab_scores")
    }
    for line in warehouse.rows_of(con, "select * from marts.tab_type_scores"):
        counts = {name: line[name] for name in ("mentions", "mentions_covered", "tokens", "tokens_covered")}
        found[line["run_id"], line["corpus"]]["by_type"][line["type"]] = counts
    return found


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Names of figures that are not equal; a count that the oracle never touched is 0."""
    for name, value in found.items():
        if name in ("run_id", "corpus"):
            continue
        right = wanted.get(name, 0)
        if isinstance(value, float) and isinstance(right, float):
            right = pytest.approx(right, abs=1e-9)
        if "weight" in name and isinstance(value, int):
            right = pytest.approx(right, abs=200)  # two libraries, two logarithms
        if value != right:
            yield f"{name}: {value}, not {right}"


def applies(of: Case) -> bool:
    """Whether somebody named entities, or is known to have seen that there is none."""
    mentions = [one for document in of.documents.values() for one in document.mentions]
    is_silent = not mentions and any(document.annotators for document in of.documents.values())
    return is_silent or any(one.entity is not None for one in mentions)


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize("weights", ["unigram", "uniform", "table"])
def test_every_figure_equals_that_of_sets_of_characters(weights: str, compat: bool) -> None:
    random = Random(f"{weights} {compat}")
    cases = [case(random, corpus) for corpus in range(60)]
    rules = "compat" if compat else "corrected"
    found = computed(board(cases, tab_rules=rules, weights=weights, threads=2))
    wrong = []
    for number, of in enumerate(cases):
        for run, masks in of.masks.items():
            wanted = tab_oracle.score(
                of.documents, masks, of.forgiven, of.weights if weights == "table" else weights, compat
            )
            if (
                not applies(of) or "n_documents" not in wanted
            ):  # by compat rules nothing is left of a run without answers
                assert (run, f"c{number}") not in found
                continue
            if bad := list(differences(found[run, f"c{number}"], wanted)):
                wrong.append((of.size, bad, of, run))
    wrong.sort(key=lambda one: one[0])
    assert not wrong, wrong[0]


def test_a_document_counts_the_same_whole_and_cut_into_passages() -> None:
    random = Random("passages")
    cut = [case(random, corpus) for corpus in range(60)]
    cut = [of._replace(masks={run: _answered(of, masks) for run, masks in of.masks.items()}) for of in cut]
    whole = [_joined(of, number) for number, of in enumerate(cut)]
    in_pieces = computed(board(cut, weights="unigram"))
    at_once = computed(board(whole, weights="unigram"))
    assert in_pieces == at_once


def _answered(of: Case, masks: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, Sequence[tuple[int, int]]]:
    return {name: masks.get(name, ()) for document in of.documents.values() for name in document.texts}


def _joined(of: Case, number: int) -> Case:
    """The same with each document as one text: its texts a line each."""
    documents: dict[str, Document] = {}
    places: dict[str, tuple[str, int]] = {}
    for doc_id, document in of.documents.items():
        name, at = f"{number}-{doc_id}", 0
        for part, text in document.texts.items():
            places[part] = (name, at)
            at += len(text) + 1
        mentions = [
            one._replace(row_id=name, start=one.start + places[one.row_id][1], end=one.end + places[one.row_id][1])
            for one in document.mentions
        ]
        documents[doc_id] = document._replace(texts={name: "\n".join(document.texts.values())}, mentions=mentions)

    def move(line: tuple[Any, ...]) -> tuple[Any, ...]:
        name, at = places[line[0]]
        return (name, line[1] + at, line[2] + at, *line[3:])

    masks: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for run, given in of.masks.items():
        for part, intervals in given.items():
            name, at = places[part]
            moved = [(start + at, end + at) for start, end in intervals]
            masks.setdefault(run, {}).setdefault(name, []).extend(moved)
    return Case(documents, masks, [move(line) for line in of.forgiven], [move(line) for line in of.weights])
