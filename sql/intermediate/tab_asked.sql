-- A text that TAB's metrics are taken on, for a run. By compat rules a document of which the run answered nothing is
-- left out.
-- Grain: (run_key, row_key).
with
    answers as (
        select runs.run_key, rows.row_key, bool_or(answers.status != 'error') as is_answered
        from contracts.run_rows as answers
        inner join staging.runs as runs on answers.run_id = runs.run_id
        inner join intermediate.tab_rows as rows on answers.row_id = rows.row_id
        group by runs.run_key, rows.row_key
    ),
    asked as (
        select asked.run_key, asked.row_key, rows.doc_key, coalesce(answers.is_answered, false) as is_answered
        from intermediate.asked_rows as asked
        inner join intermediate.tab_rows as rows on asked.row_key = rows.row_key
        left join answers on asked.run_key = answers.run_key and asked.row_key = answers.row_key
        where asked.is_of_document
    ),
    marked as (select *, bool_or(is_answered) over (partition by run_key, doc_key) as is_document_answered from asked)

select
    marked.run_key,  -- the run
    marked.row_key,  -- the text
    marked.doc_key,  -- its document
    marked.is_answered  -- whether the run answered it
from marked
cross join staging.settings as settings
where marked.is_document_answered or settings.tab_rules = 'corrected'
