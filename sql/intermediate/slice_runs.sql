-- What a run was asked of a slice: of whole documents nothing, where it did not answer all of the corpus.
-- Grain: (run_key, slice_key).
with
    document_runs as (
        select distinct asked.run_key, rows.corpus
        from intermediate.asked_rows as asked
        inner join staging.all_rows as rows on asked.row_key = rows.row_key
        where asked.is_of_document
    ),
    answered as (select distinct run_key, row_key from staging.run_rows where is_answered),
    unanswered as (
        select asked.run_key, asked.row_key
        from intermediate.asked_rows as asked
        left join answered on asked.run_key = answered.run_key and asked.row_key = answered.row_key
        where answered.row_key is null
    ),
    missing as (
        select unanswered.run_key, texts.slice_key, count(*) as n_rows_missing
        from unanswered
        inner join intermediate.slice_rows as texts on unanswered.row_key = texts.row_key
        group by unanswered.run_key, texts.slice_key
    ),
    asked as (
        select
            runs.run_key,
            slices.slice_key,
            slices.is_ranked,
            slices.is_ranked or document_runs.run_key is not null as is_asked,
            bool_or(not slices.is_ranked and document_runs.run_key is not null) over (
                partition by runs.run_key, slices.corpus
            ) as has_documents,
            slices.n_documents,
            slices.n_rows
        from intermediate.slices as slices
        cross join staging.runs as runs
        left join document_runs on runs.run_key = document_runs.run_key and slices.corpus = document_runs.corpus
        where runs.status = 'ran'
    )

select
    asked.run_key,  -- the run
    asked.slice_key,  -- the slice
    asked.is_asked,  -- whether anything was asked
    asked.is_ranked <> asked.has_documents as is_reported,  -- whether it is of whole documents or, where the run has none, of the design that ranks
    if(asked.is_asked, asked.n_documents, 0)::bigint as docs,  -- documents
    if(asked.is_asked, asked.n_rows, 0)::bigint as n_rows,  -- texts
    if(asked.is_asked, coalesce(missing.n_rows_missing, 0), 0)::bigint as n_rows_missing  -- of them, not answered
from asked
left join missing on asked.run_key = missing.run_key and asked.slice_key = missing.slice_key
