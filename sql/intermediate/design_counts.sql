-- Character counts of a row of the design for a run.
-- Grain: (run_id, row_id).
select
    counts.run_id,  -- the run
    counts.row_id,  -- the text
    counts.doc_id,  -- the document
    counts.corpus,  -- the stratum
    counts.carrier,  -- what the passage is wrapped in
    counts.language,  -- ISO 639-1
    counts.tp,  -- personal data, marked
    counts.fp,  -- marked, not personal data
    counts.fn,  -- personal data, not marked
    counts.touched,  -- of `excluded`, marked anyway
    counts.excluded,  -- in identifiers with a fixed format
    counts.lookalike,  -- scaffold that looks like PII; null without alignment
    counts.lookalike_touched,  -- of `lookalike`, marked
    counts.scaffold_fp,  -- of `fp`, on the carrier's syntax and keys; null without alignment
    counts.n_rows_missing,  -- 1 where the run did not answer
    counts.n_duplicate_spans,  -- predicted spans that were there already
    counts.by_type  -- tp and fn for each type that the row has
from intermediate.row_counts as counts
where counts.row_id in (select rows.row_id from staging.rows as rows)
