"""The parts of a page that cut a score into slices: by corpus, by language and by type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from piibench_duck.board import charts, sentences, terminal_notes
from piibench_duck.board.page_data import Found, Result, mapping
from piibench_duck.board.page_parts import (
    Cell,
    Column,
    Row,
    Section,
    Table,
    counted,
    dash,
    figure,
    interval,
    listed,
    text,
    under,
)
from piibench_duck.board.page_ranking import NO_IDENTIFIERS, name_of

NO_GOLD = "no gold, nothing marked"
Ask = Callable[[Result, str], Cell]


def matrix(
    found: Found, name: str, caption: str, heads: Mapping[str, str], ask: Ask, notes: Sequence[str] = ()
) -> Table:
    """A table with a row for each run and a column for each of `heads`, a name with its head."""
    columns = [Column("Rank"), Column("Run", False), *(Column(head) for head in heads.values())]
    rows = [
        Row([rank(found, run), name_of(run, one), *(ask(one, key) for key in heads)], sentences.is_baseline(one))
        for run, one in found.ran.items()
    ]
    return Table(name, caption, columns, rows, 1, notes)


def rank(found: Found, run: str) -> Cell:
    """A run's rank, the same in every table."""
    return figure(found.comparison("row", run), "rank", why="no mean F1", show=lambda value: f"{value:.0f}")


def detail(found: Found, kind: str, caption: str) -> Table:
    """Every figure of a slice, a line for each run and slice, with both intervals."""
    columns = [
        *(Column("Run", False), Column(kind.capitalize(), False), Column("F1"), Column("F1 by row")),
        *(Column("F1 by document"), Column("Precision"), Column("Recall"), Column("Recall by row")),
        *(Column("Recall by document"), Column("Touch rate"), Column("tp"), Column("fp"), Column("fn")),
        *(Column("fp on scaffold"), Column("Lookalikes marked"), Column("of"), Column("Rows"), Column("Missing")),
    ]
    rows = []
    for run, one in found.ran.items():
        for name, of in mapping(one, "scores", f"by_{kind}").items():
            by = ("intervals", "row"), ("intervals", "document")
            cells = [
                name_of(run, one),
                Cell(name, name),
                figure(of, "f1", why=NO_GOLD),
                *(interval(of, *unit, "f1") for unit in by),
                figure(of, "precision", why="nothing was marked"),
                figure(of, "recall", why="no gold here"),
                *(interval(of, *unit, "recall") for unit in by),
                figure(of, "touch_rate", why=NO_IDENTIFIERS),
                *(counted(of, count) for count in ("tp", "fp", "fn")),
                *(counted(of, count, why="no alignment") for count in _SCAFFOLD),
                *(counted(of, count) for count in ("n_rows", "n_rows_missing")),
            ]
            rows.append(Row(cells, sentences.is_baseline(one)))
    return Table(f"{kind}-detail", caption, columns, rows, 0, (), True)


_SCAFFOLD = ("scaffold_fp", "lookalike_touched", "lookalike")


def scored(kind: str, metric: str = "f1", why: str = NO_GOLD) -> Ask:
    """Ask a result for the score of a slice, with its interval by row below."""

    def ask(one: Result, name: str) -> Cell:
        of = ("scores", f"by_{kind}", name)
        if name not in mapping(one, "scores", f"by_{kind}"):
            return dash("not in this run")
        return figure(one, *of, metric, why=why, under=under(one, *of, "intervals", "row", metric))

    return ask


def corpora(found: Found) -> Section:
    """F1 by corpus; which of them annotate no dates, and which steered a run."""
    names = found.slices("corpus")
    undated = [name for name in names if name in found.undated()]
    heads = {name: f"{name} †" if name in undated else name for name in names}
    plain = scored("corpus")

    def ask(one: Result, name: str) -> Cell:
        marks = ("‡",) if name in terminal_notes.steered(one) else ()
        return plain(one, name)._replace(marks=marks)

    notes = ["Below each figure, its 95 % interval by row."]
    if undated:
        notes.append(
            f"† {listed(undated)}: no dates are annotated there, so a date found there counts against every run."
        )
    if any(terminal_notes.steered(one) for one in found.ran.values()):
        notes.append(
            "‡ the corpus steered this run: somebody looked at it while the run was shaped, so it is a rehearsal."
        )
    known = mapping(found.standings, "corpora")
    about = [Column("Corpus", False), Column("Title", False), Column("Language", False), Column("Licence", False)]
    of = [
        Row(
            [
                Cell(heads[name], name),
                *(text(mapping(known, name).get(key), "unknown") for key in ("title", "language", "licence")),
            ]
        )
        for name in names
    ]
    chart = charts.heat_map(
        found, "corpus", "corpora-chart", "F1 of each run on each corpus; the mean of a line is what ranks", heads
    )
    return Section(
        "corpora",
        "By corpus",
        (),
        [
            *([chart] if chart else []),
            matrix(found, "corpora-table", "F1 by corpus", heads, ask, notes),
            detail(found, "corpus", "Every figure by corpus, with both intervals"),
            Table("corpora-about", "The corpora", about, of),
        ],
    )


def languages(found: Found) -> Section:
    """F1 by language."""
    heads = {name: name for name in found.slices("language")}
    said = "All rows of a language together, so that a corpus with more text counts more."
    return Section(
        "languages",
        "By language",
        [said],
        [
            matrix(found, "languages-table", "F1 by language, 95 % interval by row below", heads, scored("language")),
            detail(found, "language", "Every figure by language, with both intervals"),
        ],
    )


def types(found: Found) -> Section:
    """Recall by type of the gold."""
    heads = {name: name for name in found.slices("type")}
    said = (
        "Of the characters of each type of gold, the share that was marked, whatever the label. A false alarm has no "
        "type, so there is no precision by type."
    )
    ask = scored("type", "recall", "no gold of this type")
    columns = [
        *(Column("Run", False), Column("Type", False), Column("Recall"), Column("by row"), Column("by document")),
        *(Column("tp"), Column("fn")),
    ]
    rows = [
        Row([name_of(run, one), Cell(name, name), *_of_type(of)], sentences.is_baseline(one))
        for run, one in found.ran.items()
        for name, of in mapping(one, "scores", "by_type").items()
    ]
    return Section(
        "types",
        "By type",
        [said],
        [
            matrix(found, "types-table", "Recall by type, 95 % interval by row below", heads, ask),
            Table("types-detail", "Every figure by type, with both intervals", columns, rows, 0, (), True),
        ],
    )


def _of_type(of: Mapping[str, Any]) -> list[Cell]:
    by = [interval(of, "intervals", unit, "recall") for unit in ("row", "document")]
    return [figure(of, "recall", why="no gold of this type"), *by, counted(of, "tp"), counted(of, "fn")]
