-- A row that counts with its gold, in the layout of PII Bench's rows file: spans are scored, `excluded` have a fixed
-- format. Labels are types of the taxonomy, so that the file needs no label map.
-- Grain: (id).
with
    spans as (
        select distinct row_key, role, type, start_char, end_char
        from staging.gold_spans
        where role in ('scored', 'excluded')
    ),
    span_lists as (
        select
            row_key,
            list({'start':start_char, 'end':end_char, 'label':type} order by start_char, end_char, type) filter (
                where role = 'scored'
            ) as scored,
            list({'start':start_char, 'end':end_char, 'label':type} order by start_char, end_char, type) filter (
                where role = 'excluded'
            ) as excluded
        from spans
        group by row_key
    ),
    alignment_lists as (
        select
            row_id,
            list(
                {
                    'wire_start':wire_start,
                    'wire_end':wire_end,
                    'passage_start':passage_start,
                    'passage_end':passage_end,
                    'kind':kind,
                    'value_index':value_index
                }
                order by interval_index
            ) as alignments
        from contracts.alignments
        group by row_id
    )

select
    rows.row_id as id,  -- the text's id
    rows.corpus as dataset,  -- the corpus
    rows.doc_id,  -- the document
    rows.passage_id,  -- the text before wrapping
    rows.language,  -- ISO 639-1
    rows.carrier,  -- what the passage is wrapped in
    rows.text,  -- the wire text; may be personal data
    coalesce(span_lists.scored, []) as spans,  -- start, end and label of the scored spans
    coalesce(span_lists.excluded, []) as excluded,  -- the same of the excluded ones
    coalesce(alignment_lists.alignments, []) as alignments  -- what the carrier made of the passage
from staging.rows as rows
left join span_lists on rows.row_key = span_lists.row_key
left join alignment_lists on rows.row_id = alignment_lists.row_id
