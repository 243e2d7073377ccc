-- Digest of a text and of its gold, as far as scoring reads them: equal from JSONL, Parquet or a rebuild.
-- Grain: (row_id).
with
    spans as (
        select distinct row_key, role, type, start_char, end_char
        from staging.gold_spans
        where role in ('scored', 'excluded')
    ),
    span_lists as (
        select
            row_key,
            string_agg(
                concat_ws(':', role, type, start_char, end_char), ',' order by role, type, start_char, end_char
            ) as spans
        from spans
        group by row_key
    ),
    carrier_lists as (
        select
            row_key, string_agg(concat_ws(':', mask, start_char, end_char), ',' order by mask, start_char) as stretches
        from intermediate.marks
        where run_key = 0 and layer = 'flag' and mask in (4, 8)
        group by row_key
    )

select
    rows.row_id,  -- the text
    sha256(
        concat_ws(
            '|',
            sha256(rows.row_id),
            sha256(rows.corpus),
            sha256(rows.doc_id),
            sha256(rows.passage_id),
            sha256(rows.language),
            sha256(rows.carrier),
            sha256(rows.text),
            coalesce(span_lists.spans, ''),
            coalesce(carrier_lists.stretches, '')
        )
    ) as row_digest  -- SHA-256 of what scoring reads of it, hexadecimal
from staging.all_rows as rows
left join span_lists on rows.row_key = span_lists.row_key
left join carrier_lists on rows.row_key = carrier_lists.row_key
