-- A text that counts: a row of the design, or every row where no design is asked for.
-- Grain: (row_id).
select
    row_key,  -- place among the texts that are counted
    row_id,  -- the text's id
    corpus,  -- the stratum
    source,  -- the source within the corpus
    split,  -- the source's split
    doc_id,  -- the document, the independent unit
    passage_id,  -- the text before wrapping
    passage_start,  -- where the passage begins in its document
    language,  -- ISO 639-1
    carrier,  -- what the passage is wrapped in
    licence,  -- SPDX identifier
    text,  -- the wire text; may be personal data
    n_chars,  -- its length in code points
    slices  -- further columns to slice by
from staging.all_rows
where is_selected
