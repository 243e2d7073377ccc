-- A gold span that is scored or excluded, by label: the same stretch under the same label is one, whoever marked it and
-- whichever entity it mentions. Of the texts that rank and of whole documents.
-- Grain: (gold_key).
with
    spans as (
        select
            spans.row_key,
            spans.start_char,
            spans.end_char,
            spans.label,
            bool_or(spans.role = 'scored') as is_scored,
            bool_or(spans.severity = 'high') as is_high_severity
        from staging.gold_spans as spans
        inner join staging.all_rows as rows on spans.row_key = rows.row_key
        where spans.role in ('scored', 'excluded') and (rows.is_selected or rows.is_of_document)
        group by spans.row_key, spans.start_char, spans.end_char, spans.label
    )

select
    row_number() over (order by row_key, start_char, end_char, label)::bigint as gold_key,  -- place among them, from 1
    row_key,  -- the text
    start_char,  -- first code point
    end_char,  -- behind the last
    label,  -- our type, or what the corpus calls it where there is none
    is_scored,  -- whether its role is scored; excluded otherwise
    is_high_severity  -- whether its type is a secret, a government identifier or a payment
from spans
