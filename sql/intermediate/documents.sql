-- A whole document: one of the design that holds documents whole, or where no such design is set, of the texts that
-- count.
-- Grain: (doc_key).
with
    documents as (
        select corpus, doc_id, count(*) as n_rows from staging.all_rows where is_of_document group by corpus, doc_id
    )

select
    row_number() over (order by corpus, doc_id)::integer - 1 as doc_key,  -- place among all documents in byte order, from 0
    dense_rank() over (order by corpus)::integer - 1 as stratum_key,  -- place of its corpus, from 0; a key, never part of a draw
    corpus,  -- the corpus
    doc_id,  -- its id
    n_rows::bigint as n_rows  -- its texts
from documents
