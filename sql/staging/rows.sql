-- A text that counts: a row of the design, or every row where no design is asked for.
-- Grain: (row_id).
select
    row_number() over (order by rows.row_id)::bigint as row_key,  -- place among the rows that count, from 1
    rows.row_id,  -- the text's id
    rows.corpus,  -- the stratum
    rows.source,  -- the source within the corpus
    rows.split,  -- the source's split
    rows.doc_id,  -- the document, the independent unit
    rows.passage_id,  -- the text before wrapping
    rows.passage_start,  -- where the passage begins in its document
    rows.language,  -- ISO 639-1
    rows.carrier,  -- what the passage is wrapped in
    rows.licence,  -- SPDX identifier
    rows.text,  -- the wire text; may be personal data
    rows.n_chars,  -- its length in code points
    rows.slices  -- further columns to slice by
from contracts.rows as rows
cross join staging.settings as settings
where
    settings.design is null
    or rows.row_id in (
        select designs.row_id
        from contracts.designs as designs
        inner join staging.settings as asked on designs.design = asked.design
    )
