"""TAB's metrics as what a result says of a run: names the figures of `marts.tab_scores`."""

from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck import warehouse

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


def applies(con: warehouse.Connection) -> bool:
    """Whether any gold names entities and identifier types, or annotators who may have marked nothing.

    Where none does, `sections` needs no `MARTS`.
    """
    judged = "select 1 from contracts.gold_spans where entity_id is not null and identifier_type is not null"
    return bool(con.sql(f"{judged} union all select 1 from contracts.annotators limit 1").fetchall())


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
