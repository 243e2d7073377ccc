"""TAB's metrics: of its own files, and as what a result says of a run. Names the figures of `marts.tab_scores`."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import forgiven, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tab
from piibench_duck.interchange.tables import Columns
from piibench_duck.offsets import OffsetUnit

MARTS = ("marts.tab_scores", "marts.tab_type_scores")
PRIMARY = "ER_di"
CHARACTERS = "characters"
"""What is forgiven whatever the source of tokens."""

_FIGURES = {
    "ER_di": "entity_recall_direct",
    "ER_qi": "entity_recall_quasi",
    "ER": "entity_recall",
    "R_di+qi": "mention_recall",
    "R_di": "mention_recall_direct",
    "R_qi": "mention_recall_quasi",
    "P_di+qi": "mention_precision",
    "WP_di+qi": "weighted_mention_precision",
}
_OF_TOKENS = {
    "R_di+qi": "token_recall",
    "R_di": "token_recall_direct",
    "R_qi": "token_recall_quasi",
    "P_di+qi": "token_precision",
    "WP_di+qi": "weighted_token_precision",
    "F1": "token_f1",
}
_EXACT = {
    "ER_di": "exact_entity_recall_direct",
    "ER_qi": "exact_entity_recall_quasi",
    "ER": "exact_entity_recall",
    "R_di+qi": "exact_mention_recall",
    "P_di+qi": "exact_mention_precision",
    "WP_di+qi": "exact_weighted_precision",
}
_COMPAT = {  # as the published script calls them
    "token_recall": "token_recall",
    "mention_recall": "mention_recall",
    "recall_all_entities": "entity_recall",
    "recall_direct_entities": "entity_recall_direct",
    "recall_quasi_entities": "entity_recall_quasi",
    "token_precision": "token_precision",
    "mention_precision": "mention_precision",
    "token_f1": "token_f1",
    "weighted_token_precision": "weighted_token_precision",
    "weighted_mention_precision": "weighted_mention_precision",
    "mention_recall_direct": "mention_recall_direct",
    "token_recall_direct": "token_recall_direct",
    "mention_recall_quasi": "mention_recall_quasi",
    "token_recall_quasi": "token_recall_quasi",
}
_NO_GOLD = "its gold does not name both entities and identifier types"
_NO_ANSWERS = "the run did not answer all of its documents"
_RUN = "masked"
_NAMES_TOLD = 3


class Options(NamedTuple):
    """What one scoring of TAB's files is asked for."""

    compat: bool = False
    forgiven: Path | None = None  # a file of tokens without content
    spacy: str | None = None  # the model that finds them where there is no file; `words` for a list of words
    weights: str = "unigram"  # or uniform, mlm:FOLDER, or a file
    only_docs: Collection[str] = ()
    allow_missing: bool = False
    offset_unit: OffsetUnit = "codepoint"  # of the masks


def applies(con: warehouse.Connection) -> bool:
    """Whether any gold names both entities and identifier types; where none does, `sections` needs no `MARTS`."""
    judged = "entity_id is not null and identifier_type is not null"
    return bool(con.sql(f"select 1 from contracts.gold_spans where {judged} limit 1").fetchall())


def sections(con: warehouse.Connection) -> dict[str, dict[str, Any]]:
    """What results say of each run, from `MARTS`: a corpus under `by_corpus`, or `not_applicable` with the reason."""
    is_judged = applies(con)
    settings = warehouse.rows_of(con, "select tab_rules, weights from staging.settings")[0]
    corpora = _column(con, "select distinct corpus from staging.all_rows where is_of_document order by corpus")
    judged = _column(con, "select distinct corpus from intermediate.tab_rows") if is_judged else []
    found = {
        run: {
            "primary": PRIMARY,
            "rules": settings["tab_rules"],
            "weights": settings["weights"],
            "by_corpus": {},
            "not_applicable": {corpus: {"reason": _NO_ANSWERS if corpus in judged else _NO_GOLD} for corpus in corpora},
        }
        for run in _column(con, "select run_id from staging.runs where status = 'ran' order by run_id")
    }
    if not is_judged:
        return found
    sources: dict[str, list[str]] = {}
    for line in warehouse.rows_of(
        con,
        "select distinct rows.corpus, tokens.source from contracts.forgiven as tokens "
        "inner join intermediate.tab_rows as rows on tokens.row_id = rows.row_id order by all",
    ):
        sources.setdefault(line["corpus"], []).append(line["source"])
    types = _types(con)
    for line in warehouse.rows_of(con, "select * from marts.tab_scores order by run_id, corpus"):
        run, corpus = line["run_id"], line["corpus"]
        forgiving = [CHARACTERS, *sources.get(corpus, [])]
        found[run]["by_corpus"][corpus] = {**_named(line, types.get((run, corpus), {})), "forgiven": forgiving}
        del found[run]["not_applicable"][corpus]
    return found


def section(con: warehouse.Connection, run: str) -> dict[str, Any]:
    """What a result says of one run; for several, `sections` asks once."""
    return sections(con)[run]


def compat(con: warehouse.Connection, run: str, corpus: str) -> dict[str, Any]:
    """The figures under the names of the published script, where what is undefined is 0."""
    where = f"run_id = {warehouse.quoted(run)} and corpus = {warehouse.quoted(corpus)}"
    lines = warehouse.rows_of(con, f"select * from marts.tab_scores where {where}")
    line = lines[0] if lines else {}
    by_type = {kind: of["token_recall"] or 0.0 for kind, of in _types(con).get((run, corpus), {}).items()}
    return {
        "token_recall": line.get("token_recall") or 0.0,
        "token_recall_by_type": by_type,
        **{name: line.get(column) or 0.0 for name, column in _COMPAT.items()},
    }


def score_files(gold: Path, masked: Path, options: Options) -> dict[str, Any]:
    """What masks are worth against TAB's gold: the figures of `sections`, or those of `compat`.

    Raises `PiibenchError` where a file is not what it should be, and where masks lack a document of the gold: that is
    missed if allowed, and left out by compat rules.
    """
    known = tab.read_gold(gold)
    wanted = _wanted(known.texts, options.only_docs, gold)
    answers = tab.read_masked(masked, known.texts, options.offset_unit)
    absent = [row_id for row_id in answers.missing_row_ids if row_id in wanted]
    if options.compat:
        wanted = wanted - {*absent}
    elif absent and not options.allow_missing:
        more = f" and {len(absent) - _NAMES_TOLD} more" if len(absent) > _NAMES_TOLD else ""
        told = ", ".join(absent[:_NAMES_TOLD]) + more
        raise PiibenchError(f"{masked}: masks no document {told} of {gold.name}; --allow-missing counts them as missed")
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    source = options.weights if options.weights in ("unigram", "uniform") else "table"
    rules = "compat" if options.compat else "corrected"
    warehouse.fill(con, "settings", {"tab_rules": [rules], "weights": [source], "seed": [0], "replicates": [1]})
    for table, columns in (
        ("rows", known.rows),
        ("gold_spans", known.gold_spans),
        ("annotators", known.annotators),
    ):
        warehouse.fill(con, table, _of(columns, wanted))
    warehouse.fill(con, "runs", _run())
    for table, columns in (("run_rows", answers.run_rows), ("pred_spans", answers.pred_spans)):
        kept = _of(columns, wanted)
        warehouse.fill(con, table, {"run_id": [_RUN] * len(kept["row_id"]), **kept})
    texts = {row_id: text for row_id, text in known.texts.items() if row_id in wanted}
    sources = _fill_forgiven(con, known.texts, wanted, options)
    if source == "table":
        warehouse.fill(con, "token_weights", _of(_weights(options.weights, known.texts, texts), wanted))
    warehouse.derive(con, MARTS)
    if options.compat:
        return compat(con, _RUN, tab.CORPUS)
    said = section(con, _RUN)
    figures = said["by_corpus"].get(tab.CORPUS, {"reason": _NO_GOLD})
    described = options.weights if source != "table" else _described(options.weights)
    told_of = {"rules": rules, "weights": described, "forgiven": [CHARACTERS, *sources]}
    files = {"gold_sha256": known.sha256, "masked_sha256": answers.sha256}
    return {"primary": PRIMARY, **figures, **told_of, **files}


def _wanted(texts: Mapping[str, str], only: Collection[str], gold: Path) -> set[str]:
    for name in only:
        if name not in texts:
            raise PiibenchError(f"--only-docs names {name!r}, which is no document of {gold.name}")
    return {*only} or {*texts}


def _fill_forgiven(
    con: warehouse.Connection, texts: Mapping[str, str], wanted: Collection[str], options: Options
) -> list[str]:
    """Fill `contracts.forgiven`; the sources that serve."""
    if options.forgiven is None:
        return forgiven.fill(con, options.spacy)
    warehouse.fill(con, "forgiven", _of(tab.read_forgiven(options.forgiven, texts), wanted))
    return ["file"]


def _weights(named: str, texts: Mapping[str, str], scored: Mapping[str, str]) -> Columns:
    """Columns of `contracts.token_weights`."""
    if named.startswith("mlm:"):
        from piibench_duck import mlm

        return mlm.weights(Path(named.removeprefix("mlm:")), scored)
    return tab.read_weights(Path(named), texts)


def _described(weights: str) -> str:
    return "mlm" if weights.startswith("mlm:") else "file"


def _of(columns: Columns, wanted: Collection[str]) -> Columns:
    """The lines of those rows."""
    kept = [index for index, row_id in enumerate(columns["row_id"]) if row_id in wanted]
    return {name: [values[index] for index in kept] for name, values in columns.items()}


def _run() -> dict[str, list[Any]]:
    """The line of a run of which only its masks are known."""
    made = {"status": ["ran"], "kind": ["file"], "runner": ["file"], "label_namespace": ["*"]}
    return {"run_id": [_RUN], **made, "settings": [[]], "settings_digest": [""], "machine": [[]]}


def _types(con: warehouse.Connection) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Lines of `marts.tab_type_scores` by run and corpus, then type."""
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for line in warehouse.rows_of(con, "select * from marts.tab_type_scores order by run_id, corpus, type"):
        said = {name: value for name, value in line.items() if name not in ("run_id", "corpus", "type")}
        found.setdefault((line["run_id"], line["corpus"]), {})[line["type"]] = said
    return found


def _named(line: Mapping[str, Any], types: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A line of `marts.tab_scores` under TAB's names, with its counts."""
    counts = {name: value for name, value in line.items() if isinstance(value, int)}
    exact = {name: counts.pop(name) for name in list(counts) if name.startswith("exact_")}
    documents = {name: counts.pop(name) for name in ("n_documents", "n_rows_missing")}
    return {
        **{name: line[column] for name, column in _FIGURES.items()},
        "tokens": {name: line[column] for name, column in _OF_TOKENS.items()},
        "by_type": dict(types),
        "counts": counts,
        "tab_exact": {
            **{name: line[column] for name, column in _EXACT.items()},
            "counts": {name.removeprefix("exact_"): value for name, value in exact.items()},
        },
        **documents,
    }


def _column(con: warehouse.Connection, select: str) -> Sequence[Any]:
    return [value for (value,) in con.sql(select).fetchall()]
