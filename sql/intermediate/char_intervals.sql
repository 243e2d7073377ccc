-- A stretch of a row in which every character is alike: the row cut wherever anything begins or ends.
-- Kept: one file a run.
-- Grain: (run_id, row_id, start_char).
select
    runs.run_id,  -- the run
    rows.row_id,  -- the text
    intervals.start_char,  -- first code point
    intervals.end_char,  -- behind the last
    intervals.is_gold,  -- inside a gold span of a scored type
    intervals.is_pred,  -- inside a predicted span, whatever its label
    intervals.is_excluded,  -- inside an identifier with a fixed format
    intervals.is_scaffold,  -- the carrier's syntax and keys; null where the row has no alignment
    intervals.is_lookalike,  -- scaffold that looks like PII without being anybody's
    intervals.gold_types,  -- bit mask of the taxonomy: types of the scored spans here
    intervals.excluded_types,  -- the same of the excluded spans
    intervals.pred_types  -- the same of the predicted spans, as far as the label map knows them
from intermediate.intervals as intervals
inner join staging.runs as runs on intervals.run_key = runs.run_key
inner join staging.all_rows as rows on intervals.row_key = rows.row_key
