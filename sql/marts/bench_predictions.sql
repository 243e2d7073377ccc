-- A row that a run answered with its spans, in the layout of PII Bench's predictions file.
-- Grain: (run_id, id).
with
    span_lists as (
        select
            run_id,
            row_id,
            list_sort(list({'start':start_char, 'end':end_char, 'label':source_label, 'score':score})) as spans
        from contracts.pred_spans
        group by run_id, row_id
    )

select
    runs.run_id,  -- the run
    rows.row_id as id,  -- the text's id
    coalesce(span_lists.spans, []) as spans,  -- start, end, label and score of the predicted spans
    if(answers.status = 'truncated', answers.chars_seen, null) as chars_seen  -- of a truncated answer, the code points looked at
from staging.run_rows as answers
inner join staging.runs as runs on answers.run_key = runs.run_key
inner join staging.rows as rows on answers.row_key = rows.row_key
left join span_lists on runs.run_id = span_lists.run_id and rows.row_id = span_lists.row_id
where answers.is_answered
