-- What of a whole document a run left readable. Of runs that answered all documents of the corpus.
-- Kept: one file a run.
-- Grain: (run_id, corpus, doc_id).
with
    asked as (
        select distinct asked.run_key, rows.corpus
        from intermediate.asked_rows as asked
        inner join staging.all_rows as rows on asked.row_key = rows.row_key
        where asked.is_of_document
    ),
    chars as (
        select
            counts.run_id,
            counts.corpus,
            counts.doc_id,
            sum(counts.n_rows_missing) as n_rows_missing,
            sum(counts.tp + counts.fn) as gold_chars,
            sum(counts.fn) as exposed_chars,
            sum(counts.excluded) as identifier_chars,
            sum(counts.excluded - counts.touched) as exposed_identifier_chars
        from intermediate.row_counts as counts
        where counts.row_id in (select rows.row_id from staging.all_rows as rows where rows.is_of_document)
        group by counts.run_id, counts.corpus, counts.doc_id
    ),
    entities as (
        select
            doc_key,
            count(distinct entity_key) filter (where is_scored) as n_entities,
            count(distinct entity_key) filter (where not is_scored) as n_identifiers
        from intermediate.document_entities
        group by doc_key
    ),
    exposed as (
        select
            coverage.run_key,
            entities.doc_key,
            count(distinct entities.entity_key) filter (where entities.is_scored) as n_entities,
            count(distinct entities.entity_key) filter (where not entities.is_scored) as n_identifiers
        from intermediate.gold_coverage as coverage
        inner join intermediate.document_entities as entities on coverage.gold_key = entities.gold_key
        where coverage.exposed_chars > 0
        group by coverage.run_key, entities.doc_key
    )

select
    runs.run_id,  -- the run
    documents.corpus,  -- the corpus
    documents.doc_id,  -- the document
    documents.n_rows,  -- its texts
    chars.n_rows_missing::bigint as n_rows_missing,  -- of `n_rows`, not answered
    chars.gold_chars::bigint as gold_chars,  -- personal data of scored types
    chars.exposed_chars::bigint as exposed_chars,  -- of `gold_chars`, left readable
    chars.identifier_chars::bigint as identifier_chars,  -- in identifiers with a fixed format
    chars.exposed_identifier_chars::bigint as exposed_identifier_chars,  -- of `identifier_chars`, left readable
    coalesce(entities.n_entities, 0)::bigint as n_entities,  -- entities that scored spans mention
    coalesce(exposed.n_entities, 0)::bigint as n_exposed_entities,  -- of them, with a character of a mention left readable
    coalesce(entities.n_identifiers, 0)::bigint as n_identifiers,  -- entities that excluded spans mention
    coalesce(exposed.n_identifiers, 0)::bigint as n_exposed_identifiers  -- of them, with a character of a mention left readable
from asked
inner join staging.runs as runs on asked.run_key = runs.run_key
inner join chars on runs.run_id = chars.run_id and asked.corpus = chars.corpus
inner join intermediate.documents as documents on chars.corpus = documents.corpus and chars.doc_id = documents.doc_id
left join entities on documents.doc_key = entities.doc_key
left join exposed on asked.run_key = exposed.run_key and documents.doc_key = exposed.doc_key
