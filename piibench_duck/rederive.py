"""The figures of a result computed again from its counts, by the SQL that made them, without rows, spans or texts."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import bare_runs, draws, report, results, score, tab, warehouse, yardsticks
from piibench_duck.errors import PiibenchError

TOLERANCE = 1e-12
SKIPPED = {
    "speed": "it rests on timings, which a result does not hold",
    "_provenance": "it says what ran on which rows; its digests are compared with those of the board's other results",
    "carrier_effects.rows_digest": "it rests on texts; it is compared with those of the board's other results",
    "tab.not_applicable": "it rests on gold spans, which name entities or do not",
    "n_duplicate_gold_spans": "it rests on gold spans",
    "n_unmapped_gold_spans": "it rests on gold spans",
}
"""Keys of `result.json` that no counts give, and why; the rest is computed again."""

_UNSEEN = ("marts.bench_predictions",)
_OF_GOLD = ("n_duplicate_gold_spans", "n_unmapped_gold_spans")
_FROM_FILES = ("row_counts", "pair_counts", *yardsticks.COUNTS)
_PADDING = "#unnamed-"
"""Texts of a whole document that no count names: nothing is marked in them, and nothing was to be."""

_ROW = """
insert into contracts.rows
select
    row_id, corpus, corpus, 'all', doc_id, passage_id, 0, language, carrier, '', '', 0,
    map([]::varchar[], []::varchar[])
from
"""
_RANKED = f"""
{_ROW} intermediate.row_counts;
insert into contracts.run_rows by name
select run_id, row_id, if(n_rows_missing = 0, 'ok', 'error') as status, 0 as chars_seen from intermediate.row_counts;
insert into contracts.designs
select settings.design, counts.row_id
from intermediate.row_counts as counts
cross join contracts.settings as settings
where settings.design is not null;
"""
_DOCUMENTS = (
    """
create table main.known as
select counts.corpus, counts.doc_id, counts.row_id, counts.n_rows_missing, true as is_ranked
from intermediate.row_counts as counts
inner join intermediate.document_counts as documents using (corpus, doc_id)
where counts.carrier = 'prose'
union all
select documents.corpus, documents.doc_id, counts.row_id, 0, false
from (
    select distinct row_id from intermediate.typed_counts
    where row_id not in (select row_id from intermediate.row_counts)
) as counts
inner join
    intermediate.document_counts as documents
    on regexp_replace(counts.row_id, '#[^#]*$', '') = documents.doc_id
""",
    """
create table main.texts as
with
    tallies as (
        select corpus, doc_id, count(known.row_id) as n_known
        from intermediate.document_counts
        left join main.known as known using (corpus, doc_id)
        group by corpus, doc_id
    ),
    padded as (
        select corpus, doc_id, row_id, n_rows_missing, is_ranked
        from main.known
        union all
        select corpus, doc_id, doc_id || {padding} || unnest(range(n_known, n_rows)), 0, false
        from tallies
        inner join intermediate.document_counts using (corpus, doc_id)
    )
select
    padded.*,
    row_number() over (partition by corpus, doc_id, is_ranked order by row_id desc) as place,
    documents.n_rows_missing
    - sum(padded.n_rows_missing) over (partition by corpus, doc_id) as n_missing_among_others
from padded
inner join intermediate.document_counts as documents using (corpus, doc_id)
""",
    f"""
{_ROW} (select *, row_id as passage_id, '' as language, 'prose' as carrier from main.texts where not is_ranked);
insert into contracts.run_rows by name
select runs.run_id, row_id, if(place <= n_missing_among_others, 'error', 'ok') as status, 0 as chars_seen
from main.texts as texts
cross join contracts.runs as runs
where not is_ranked;
insert into contracts.designs select {{design}}, row_id from main.texts
""",
)
"""The texts of whole documents: those that rank, those that have spans, and as many more as the documents have."""

_OPEN = f"""
{_ROW} (
    select
        {{corpus}} || '{_PADDING}' as row_id,
        row_id as passage_id, row_id as doc_id, {{corpus}} as corpus, '' as language, 'prose' as carrier
);
insert into contracts.designs select {{design}}, {{corpus}} || '{_PADDING}'
"""
_UNLABELLED = """
create table intermediate.unlabelled_runs as
select runs.run_key
from staging.runs as runs
inner join
    (
        select
            label,
            sum(gold) > 0 as is_of_gold,
            sum(n_ignored) > 0 as is_ignored,
            sum(pred + n_out_of_scope + n_unmapped + n_ignored + n_left_out) > 0 as is_predicted
        from intermediate.typed_counts
        group by label
    ) as labels on labels.is_predicted
left join staging.taxonomy as taxonomy on labels.label = taxonomy.type
group by runs.run_key
having not bool_or(labels.is_of_gold or labels.is_ignored or taxonomy.type is not null)
"""
_SCOPE = """
create table intermediate.typed_scope as
select distinct texts.corpus, counts.label
from intermediate.typed_counts as counts
inner join staging.all_rows as texts on counts.row_id = texts.row_id
where counts.gold + counts.pred > 0
"""


class Derived(NamedTuple):
    """What the counts of a result give."""

    figures: dict[str, Any]  # result.json; keys of `SKIPPED` say nothing
    reports: dict[str, Any]  # by corpus; of slices those that counts name


def figures(folder: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """What `result.json` would say by the counts in the folder of a run that ran; keys of `SKIPPED` say nothing.

    Raises `PiibenchError` where a file is not there or holds something else.
    """
    return derived(folder, said).figures


def derived(folder: Path, said: Mapping[str, Any]) -> Derived:
    """The same, with the reports; raises `PiibenchError` where a file is not there or holds something else."""
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    try:
        _fill(con, folder, said)
        wanted = (*score.SCORE_MARTS, *yardsticks.marts(con), "intermediate.tab_rows")
        warehouse.derive(con, [name for name in wanted if name not in _UNSEEN], {draws.TABLE: draws.derive})
        found = results.of_runs(con, {})[said["model"]].said
        reports = report.reports(report.common(con), said["model"])
    except PiibenchError:
        raise
    except Exception as error:  # whatever a file or key of somebody else's making can bring about
        raise PiibenchError(
            f"{folder.name}: the figures cannot be computed again from its counts ({type(error).__name__}): a file has "
            "other columns or result.json other keys than `score` writes"
        ) from error
    return Derived(*(json.loads(json.dumps(one)) for one in (found, reports)))


def _fill(con: warehouse.Connection, folder: Path, said: Mapping[str, Any]) -> None:
    """The counts of a run in their relations, and as much of its rows and answers as slices and documents ask for."""
    documents = said["documents"]
    settings = {
        "design": said["_provenance"]["design"],
        "pairs_design": said["carrier_effects"]["design"],
        "documents_design": documents["design"],
        "tab_rules": said["tab"]["rules"],
        "weights": said["tab"]["weights"],
        "seed": said["intervals"]["seed"],
        "replicates": said["intervals"]["replicates"],
    }
    warehouse.fill(con, "settings", {name: [value] for name, value in settings.items()})
    bare_runs.fill(con, said["model"], kind=said["kind"], runner=said["_provenance"]["runner"])
    for name in _FROM_FILES:
        path = folder / f"{name}.parquet"
        if path.is_file():
            warehouse.create_from_parquet(con, f"main.{name}", path)
            run = warehouse.quoted(said["model"])
            con.execute(f"create table intermediate.{name} as select {run} as run_id, * from main.{name}")
        elif name != "tab_counts":
            raise PiibenchError(f"{folder.name}/{path.name} is not there")
    con.execute(_RANKED)
    if documents["design"] is not None:
        design = warehouse.quoted(documents["design"])
        for statement in _DOCUMENTS:
            con.execute(statement.format(design=design, padding=warehouse.quoted(_PADDING)))
        for corpus in documents["not_applicable"]:
            if documents["design"] in said["typed"]["by_corpus"].get(
                corpus, {}
            ):  # it is of the design, and was left open
                con.execute(_OPEN.format(design=design, corpus=warehouse.quoted(corpus)))
    _fill_what_is_said(con, said)


def _fill_what_is_said(con: warehouse.Connection, said: Mapping[str, Any]) -> None:
    """What no counts tell, as the result says it: digests, which corpora annotate what, where tokens come from."""
    digest = warehouse.quoted(said["_provenance"]["rows_digest"])
    gold = ", ".join(f"{int(said[name])}::bigint as {name}" for name in said if name in _OF_GOLD)
    con.execute(
        f"create view marts.rows_digest as select {digest} as rows_digest, "
        f"(select count(*) from intermediate.row_counts) as n_rows, {gold}"
    )
    effects = said["carrier_effects"]
    design, digest = (_literal(effects[name]) for name in ("design", "rows_digest"))
    con.execute(f"create view marts.design_digests as select {design} as design, 0 as n_rows, {digest} as rows_digest")
    warehouse.derive(con, ["staging.all_rows", "staging.runs", "staging.taxonomy"])
    con.execute(_UNLABELLED)
    con.execute(_SCOPE)
    for corpus, designs in said["typed"]["by_corpus"].items():
        if any("all" in of for of in designs.values()):
            con.execute("insert into intermediate.typed_scope values ($corpus, null)", {"corpus": corpus})
    text = (
        "select min(row_id) from staging.all_rows where corpus = $corpus and is_of_document "
        "having min(row_id) is not null"
    )
    for corpus, of in said["tab"]["by_corpus"].items():
        con.execute(f"insert into contracts.annotators select *, 'somebody' from ({text})", {"corpus": corpus})
        for source in of["forgiven"]:
            if source != tab.CHARACTERS:
                params = {"corpus": corpus, "source": source}
                con.execute(f"insert into contracts.forgiven select *, 0, 1, $source from ({text})", params)


def _literal(value: object) -> str:
    return "null::varchar" if value is None else warehouse.quoted(value)


def differences(said: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Where `result.json` says something else than its counts do, a line each, with the key and both figures."""
    return list(_differences("", said, found))


def n_figures(found: Mapping[str, Any]) -> int:
    """How many figures were computed again: numbers and what is undefined, without what is skipped."""

    def count(key: str, value: object) -> int:
        if key in SKIPPED or isinstance(value, str):
            return 0
        if isinstance(value, Mapping):
            return sum(count(f"{key}.{name}" if key else name, inner) for name, inner in value.items())
        return sum(count(f"{key}[]", inner) for inner in value) if isinstance(value, list) else 1

    return count("", found)


def _differences(key: str, said: object, found: object) -> Iterator[str]:
    if key in SKIPPED:
        return
    if isinstance(said, Mapping) and isinstance(found, Mapping):
        for name in sorted({*map(str, said), *map(str, found)}):
            inner = f"{key}.{name}" if key else name
            if inner in SKIPPED:
                continue
            if name not in said:
                yield f"{inner} is not said; the counts give {_told(found[name])}"
            elif name not in found:
                yield f"{inner} is said, and the counts give nothing"
            else:
                yield from _differences(inner, said[name], found[name])
    elif isinstance(said, list) and isinstance(found, list | tuple) and len(said) == len(found):
        for place, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differences(f"{key}[{place}]", one, other)
    elif not _are_equal(said, found):
        yield f"{key} is said to be {_told(said)}; the counts give {_told(found)}"


def _are_equal(said: object, found: object) -> bool:
    if isinstance(said, float) and isinstance(found, float):
        return abs(said - found) <= TOLERANCE
    return type(said) is type(found) and said == found


def _told(value: object) -> str:
    """A figure; of anything longer only what kind it is, since it may hold text."""
    return repr(value) if value is None or isinstance(value, bool | int | float) else f"a {type(value).__name__}"
