-- A predicted span of a text that is counted; identical ones are one, with the highest score.
-- Grain: (run_key, row_key, start_char, end_char, source_label).
with
    spans as (
        select
            runs.run_key,
            rows.row_key,
            spans.start_char,
            spans.end_char,
            spans.source_label,
            max(spans.score) as score,
            count(*) as n_copies
        from contracts.pred_spans as spans
        inner join staging.runs as runs on spans.run_id = runs.run_id
        inner join staging.all_rows as rows on spans.row_id = rows.row_id
        group by runs.run_key, rows.row_key, spans.start_char, spans.end_char, spans.source_label
    )

select
    spans.run_key,  -- the run
    spans.row_key,  -- the text
    spans.start_char,  -- first code point
    spans.end_char,  -- behind the last
    spans.source_label,  -- what the detector calls it
    labels.type,  -- our type; null where nobody names one, `ignored` where somebody says so
    labels.label,  -- our type, or what the detector calls it where there is none
    spans.score,  -- its confidence
    spans.n_copies::bigint as n_copies  -- how often the run gave it
from spans
inner join staging.run_labels as labels on spans.run_key = labels.run_key and spans.source_label = labels.source_label
