-- A text that is counted for a run: every row of the design, answered or not; what the run answered besides; and where
-- it answered any text of the design of whole documents, all of those.
-- Grain: (run_key, row_key).
with
    answers as (
        select distinct runs.run_key, answers.row_id
        from contracts.run_rows as answers
        inner join staging.runs as runs on answers.run_id = runs.run_id
    ),
    document_runs as (
        select distinct answers.run_key
        from answers
        inner join staging.all_rows as rows on answers.row_id = rows.row_id
        where rows.is_of_document
    )

select
    runs.run_key,  -- the run
    rows.row_key,  -- the text
    rows.is_selected,  -- whether the design selects it
    rows.is_of_document,  -- whether it is of the design that holds documents whole
    answers.row_id is not null as is_asked  -- whether the run has a line for it
from staging.all_rows as rows
cross join staging.runs as runs
left join answers on runs.run_key = answers.run_key and rows.row_id = answers.row_id
left join document_runs on runs.run_key = document_runs.run_key
where
    runs.status = 'ran'
    and (rows.is_selected or answers.row_id is not null or (rows.is_of_document and document_runs.run_key is not null))
