-- A text that is counted for a run: every row of the design, answered or not; what the run answered besides; and where
-- it answered a corpus in the design of whole documents, all of that: where it left no text of them open, or missing
-- rows are allowed and any is answered. Without such a design, documents are of the rows that count.
-- Grain: (run_key, row_key).
with
    answers as (
        select distinct runs.run_key, answers.row_id
        from contracts.run_rows as answers
        inner join staging.runs as runs on answers.run_id = runs.run_id
    ),
    document_rows as (select corpus, count(*) as n_rows from staging.all_rows where is_of_document group by corpus),
    document_answers as (
        select answers.run_key, rows.corpus, count(*) as n_answered
        from answers
        inner join staging.all_rows as rows on answers.row_id = rows.row_id
        where rows.is_of_document
        group by answers.run_key, rows.corpus
    ),
    documents as (
        select document_answers.run_key, document_answers.corpus
        from document_answers
        inner join document_rows on document_answers.corpus = document_rows.corpus
        cross join staging.settings as settings
        where settings.allow_missing or document_answers.n_answered = document_rows.n_rows
    )

select
    runs.run_key,  -- the run
    rows.row_key,  -- the text
    rows.is_selected,  -- whether the design selects it
    rows.is_of_document and (settings.documents_design is null or documents.run_key is not null) as is_of_document,  -- whether it is of a whole document that counts for the run
    answers.row_id is not null as is_asked  -- whether the run has a line for it
from staging.all_rows as rows
cross join staging.runs as runs
cross join staging.settings as settings
left join answers on runs.run_key = answers.run_key and rows.row_id = answers.row_id
left join documents on runs.run_key = documents.run_key and rows.corpus = documents.corpus
where
    runs.status = 'ran'
    and (rows.is_selected or answers.row_id is not null or (rows.is_of_document and documents.run_key is not null))
