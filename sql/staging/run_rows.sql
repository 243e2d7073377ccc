-- A text that a run answered.
-- Grain: (run_key, row_key).
select
    runs.run_key,  -- the run
    rows.row_key,  -- the text
    answers.status,  -- ok, error or truncated
    answers.status in ('ok', 'truncated') as is_answered,  -- an error is no answer
    answers.chars_seen  -- code points that the detector looked at
from contracts.run_rows as answers
inner join staging.runs as runs on answers.run_id = runs.run_id
inner join staging.all_rows as rows on answers.row_id = rows.row_id
