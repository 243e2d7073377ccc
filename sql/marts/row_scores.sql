-- Counts of a row for a run beside what the row is: what slices are made of. No text.
-- Grain: (run_id, row_id).
select
    counts.run_id,  -- the run
    counts.row_id,  -- the text
    counts.corpus,  -- the stratum
    rows.source,  -- the source within the corpus
    rows.split,  -- the source's split
    counts.carrier,  -- what the passage is wrapped in
    counts.language,  -- ISO 639-1
    rows.licence,  -- SPDX identifier
    counts.doc_id,  -- the document
    counts.passage_id,  -- the text before wrapping
    rows.passage_start,  -- where the passage begins in its document
    rows.n_chars,  -- length of the text in code points
    rows.slices,  -- further columns of the corpus
    counts.tp,  -- personal data, marked
    counts.fp,  -- marked, not personal data
    counts.fn,  -- personal data, not marked
    counts.touched,  -- of `excluded`, marked anyway
    counts.excluded,  -- in identifiers with a fixed format
    counts.lookalike,  -- scaffold that looks like PII
    counts.lookalike_touched,  -- of `lookalike`, marked
    counts.scaffold_fp,  -- of `fp`, on the carrier's syntax and keys
    counts.n_rows_missing,  -- 1 where the run did not answer
    counts.n_duplicate_spans,  -- predicted spans that were there already
    counts.by_type  -- tp and fn for each type that the row has
from intermediate.row_counts as counts
inner join staging.rows as rows on counts.row_id = rows.row_id
