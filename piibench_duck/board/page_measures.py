"""The parts of a page beyond characters: entities, typed spans and leaks, text anonymization, whole documents."""

from collections.abc import Iterable, Mapping
from typing import Any

from piibench_duck.board import sentences
from piibench_duck.board.page_data import Found, Result, mapping
from piibench_duck.board.page_parts import (
    Cell,
    Column,
    Row,
    Section,
    Table,
    between,
    count,
    counted,
    dash,
    figure,
    find,
    interval,
    is_number,
    listed,
    over,
    share,
    under,
)
from piibench_duck.board.page_ranking import name_of
from piibench_duck.board.page_slices import matrix

SCHEMES = ("strict", "exact", "partial", "type")
_TAB = ("ER_di", "ER_qi", "ER", "R_di", "R_qi", "R_di+qi", "P_di+qi", "WP_di+qi")
_TYPED = ("precision", "recall", "f1", "f2")
_TYPED_COUNTS = ("docs", "gold", "pred", "tp", "leak", "exposed", "missed", "exposed_chars")


def entities(found: Found) -> Section:
    """SemEval-2013's four schemes."""
    heads = {scheme: scheme for scheme in SCHEMES}

    def ask(one: Result, scheme: str) -> Cell:
        reason = find(one, "entity", "schemes_not_applicable", scheme, "reason")[1]
        if reason:
            return dash(str(reason))
        of = ("entity", "overall", scheme)
        return figure(one, *of, "f1", under=under(one, *of, "intervals", "row", "f1"))

    columns = [
        *(Column("Run", False), Column("Corpus", False), Column("Scheme", False), Column("F1"), Column("95 % by row")),
        *(Column("95 % by document"), Column("Precision"), Column("Recall"), Column("Correct"), Column("Incorrect")),
        *(Column("Partial"), Column("Missed"), Column("Spurious")),
    ]
    rows = [
        Row([name_of(run, one), Cell(corpus, corpus), Cell(scheme, scheme), *_entity(of)], sentences.is_baseline(one))
        for run, one in found.ran.items()
        for corpus, schemes in {"all": mapping(one, "entity", "overall"), **mapping(one, "entity", "by_corpus")}.items()
        for scheme, of in sorted(schemes.items(), key=lambda item: SCHEMES.index(item[0]) if item[0] in SCHEMES else 9)
    ]
    return Section(
        "entities",
        "Entity level",
        [
            "Spans against spans, as in SemEval-2013 task 9.1: strict asks for boundary and type, exact for the "
            "boundary, partial counts an overlap as half, type asks for an overlap and the type. Not ranked.",
            *_reasons(found, "entity"),
        ],
        [
            matrix(found, "entities-table", "F1 of all spans, 95 % interval by row below", heads, ask),
            Table("entities-detail", "Every scheme by corpus, with both intervals", columns, rows, 0, (), True),
        ],
    )


def _entity(of: Mapping[str, Any]) -> list[Cell]:
    return [
        figure(of, "f1"),
        *(interval(of, "intervals", unit, "f1") for unit in ("row", "document")),
        figure(of, "precision", why="nothing was marked"),
        figure(of, "recall", why="no gold here"),
        *(counted(of, key) for key in ("correct", "incorrect", "partial", "missed", "spurious")),
    ]


def typed(found: Found) -> Section:
    """Exact spans with their type, and what of high severity leaks."""
    whole = mapping(found.standings, "basis").get("design")
    heads = {name: name for name in _names(found, "typed", "by_corpus")}

    def of_documents(one: Result, corpus: str) -> Mapping[str, Any]:
        designs = mapping(one, "typed", "by_corpus", corpus)
        chosen = "documents" if "documents" in designs else str(whole) if whole in designs else next(iter(designs), "")
        return mapping(designs, chosen, "all")

    def leaks(one: Result, corpus: str) -> Cell:
        of = of_documents(one, corpus)
        exposed = find(of, "exposed")[1]
        below = (f"{count(exposed)} exposed",) if is_number(exposed) else ()
        return over(counted(of, "leak", why="no types of high severity"), *below) if of else dash("no typed gold")

    def exact(one: Result, corpus: str) -> Cell:
        of = of_documents(one, corpus)
        return figure(of, "f1", why="nothing to count") if of else dash("no typed gold")

    columns = [
        *(Column("Run", False), Column("Corpus", False), Column("Design", False)),
        *(Column(name) for name in ("Documents", "Gold", "Predicted", "tp", "Leaks", "Exposed", "Missed whole")),
        *(Column("Readable characters"), Column("Precision"), Column("Recall"), Column("F1"), Column("F2")),
    ]
    rows = [
        Row(
            [
                *(name_of(run, one), Cell(corpus, corpus), Cell(design, design)),
                *(counted(of, "all", key) for key in _TYPED_COUNTS),
                *(figure(of, "all", key, why="nothing to count") for key in _TYPED),
            ],
            sentences.is_baseline(one),
        )
        for run, one in found.ran.items()
        for corpus, designs in mapping(one, "typed", "by_corpus").items()
        for design, of in designs.items()
    ]
    return Section(
        "typed",
        "Typed spans and leaks",
        [
            "A span counts if type, start and end are right. A leak is a span of a type of high severity, such as a "
            "secret, a government's identifier or a card number, that no prediction touches; exposed is one with any "
            "character left readable. On whole documents where the board has them.",
        ],
        [
            matrix(found, "typed-table", "F1 of exact spans with their type", heads, exact),
            matrix(found, "leaks-table", "Leaks; below, spans of high severity that are exposed", heads, leaks),
            Table("typed-detail", "Every typed figure", columns, rows, 0, (), True),
        ],
    )


def anonymization(found: Found) -> Section:
    """TAB's metrics, for each corpus whose gold has what they need."""
    parts = []
    for corpus in _names(found, "tab", "by_corpus"):
        columns = [
            Column("Run", False),
            *(Column(name) for name in _TAB),
            Column("Token F1"),
            Column("tab_exact ER_di"),
        ]
        ran = {run: mapping(one, "tab", "by_corpus", corpus) for run, one in found.ran.items()}
        rows = [
            Row(
                [
                    name_of(run, found.ran[run]),
                    *(
                        figure(of, name, why="nothing to mask" if name[0] in "ER" else "nothing was masked")
                        for name in _TAB
                    ),
                    figure(of, "tokens", "F1"),
                    figure(of, "tab_exact", "ER_di"),
                ],
                sentences.is_baseline(found.ran[run]),
            )
            for run, of in ran.items()
        ]
        forgiven = sorted({str(by) for of in ran.values() for by in of.get("forgiven") or ()})
        weights = sorted({str(find(one, "tab", "weights")[1]) for one in found.ran.values()})
        notes = [
            "ER_di, the share of directly identified entities that are hidden at every mention, is primary. di: direct "
            "identifiers, qi: quasi-identifiers. R: mentions hidden. P: masks that were needed; WP weighs them.",
            f"Forgiven: {listed(forgiven or ['nothing'])}. Weights: {listed(weights)}.",
        ]
        parts.append(Table(f"tab-{corpus}", f"Text anonymization on {corpus}", columns, rows, 0, notes))
    said = list(_reasons(found, "tab"))
    return Section("anonymization", "Text anonymization", said, parts)


def documents(found: Found) -> Section:
    """Documents that may be handed on."""
    heads = {name: name for name in _names(found, "documents", "by_corpus")}

    def ask(one: Result, corpus: str) -> Cell:
        of = mapping(one, "documents", "by_corpus", corpus)
        return _protected(of) if of else dash("no documents with gold")

    columns = [
        *(Column("Run", False), Column("Fully protected"), Column("With identifiers too"), Column("Protected")),
        *(Column("Documents with gold"), Column("Entities exposed"), Column("of"), Column("Characters readable")),
        *(Column("of"), Column("Corpora")),
    ]
    keys = ("n_protected", "n_documents_with_gold", "n_exposed_entities", "n_entities", "exposed_chars", "gold_chars")
    rows = [
        Row(
            [
                name_of(run, one),
                _protected(of),
                figure(of, "share_protected_with_identifiers", show=share),
                *(counted(of, key) for key in (*keys, "n_corpora")),
            ],
            sentences.is_baseline(one),
        )
        for run, one in found.ran.items()
        for of in [mapping(one, "documents", "overall")]
    ]
    return Section(
        "documents",
        "Fully protected documents",
        [
            "The share of documents in which no character of the gold is left readable: one name in a hundred gives a "
            "person away. Shares are means over corpora, counts are of all corpora together; intervals by document.",
            *_reasons(found, "documents"),
        ],
        [
            Table("documents-table", "Fully protected documents", columns, rows),
            matrix(found, "documents-corpora", "Fully protected documents by corpus", heads, ask),
        ],
    )


def _protected(of: Mapping[str, Any]) -> Cell:
    low, high = of.get("share_protected_low"), of.get("share_protected_high")
    below = (between(low, high, share),) if is_number(low) else ()
    return figure(of, "share_protected", why="no document with gold", show=share, under=below)


def _names(found: Found, *path: str) -> list[str]:
    return sorted({name for one in found.ran.values() for name in mapping(one, *path)})


def _reasons(found: Found, part: str) -> Iterable[str]:
    """Why corpora have no figures in a part, those with one reason together."""
    by_reason: dict[str, set[str]] = {}
    for one in found.ran.values():
        for corpus, said in mapping(one, part, "not_applicable").items():
            by_reason.setdefault(str(find(said, "reason")[1] or "not said"), set()).add(corpus)
    return [f"No figures for {listed(sorted(corpora))}: {reason}." for reason, corpora in sorted(by_reason.items())]
