-- A predicted span by label: the same stretch under labels that mean the same is one, with the highest score. Of the
-- texts that rank and of whole documents.
-- Grain: (pred_key).
with
    spans as (
        select
            spans.run_key,
            spans.row_key,
            spans.start_char,
            spans.end_char,
            spans.label,
            max(spans.score) as score,
            sum(spans.n_copies) as n_copies,
            bool_and(coalesce(spans.type = 'ignored', false)) as is_ignored
        from staging.pred_spans as spans
        inner join staging.all_rows as rows on spans.row_key = rows.row_key
        where rows.is_selected or rows.is_of_document
        group by spans.run_key, spans.row_key, spans.start_char, spans.end_char, spans.label
    )

select
    row_number() over (order by run_key, row_key, start_char, end_char, label)::bigint as pred_key,  -- place among them, from 1
    run_key,  -- the run
    row_key,  -- the text
    start_char,  -- first code point
    end_char,  -- behind the last
    label,  -- our type, or what the detector calls it where there is none
    score,  -- its confidence
    n_copies::bigint as n_copies,  -- how often the run gave it
    is_ignored  -- whether the label map ignores its label
from spans
