-- A text that is counted for a run: every row of the design, answered or not, and what the run answered besides.
-- Grain: (run_key, row_key).
with
    answers as (
        select distinct runs.run_key, answers.row_id
        from contracts.run_rows as answers
        inner join staging.runs as runs on answers.run_id = runs.run_id
    )

select
    runs.run_key,  -- the run
    rows.row_key,  -- the text
    rows.is_selected,  -- whether the design selects it
    answers.row_id is not null as is_asked  -- whether the run has a line for it
from staging.all_rows as rows
cross join staging.runs as runs
left join answers on runs.run_key = answers.run_key and rows.row_id = answers.row_id
where runs.status = 'ran' and (rows.is_selected or answers.row_id is not null)
