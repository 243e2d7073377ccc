-- What the bootstrap draws: a row, or a document of a corpus.
-- Grain: (unit, corpus, unit_id).
with
    candidates as (
        select distinct 'row' as unit, corpus, row_id as unit_id
        from staging.rows
        union all
        select distinct 'document', corpus, doc_id
        from staging.rows
    )

select
    unit,  -- row or document
    corpus,  -- the stratum
    unit_id,  -- the row's or the document's id
    dense_rank() over (order by unit, corpus)::integer - 1 as stratum_key,  -- place of the unit's stratum, from 0; a key, never part of a draw
    row_number() over (order by unit, corpus, unit_id)::integer - 1 as unit_key  -- place among all units in byte order, from 0
from candidates
