-- Digest of the rows that count and of their gold: equal for the same rows from JSONL, Parquet or a rebuild, in any
-- order.
-- Grain: one row.
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
    ),
    duplicates as (
        select
            (
                select count(*)
                from contracts.gold_spans as spans
                inner join staging.rows as rows on spans.row_id = rows.row_id
            )
            - (select count(*) from staging.gold_spans) as n_duplicate_gold_spans
    ),
    row_digests as (
        select
            rows.row_id,
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
            ) as row_digest
        from staging.rows as rows
        left join span_lists on rows.row_key = span_lists.row_key
        left join carrier_lists on rows.row_key = carrier_lists.row_key
    )

select
    sha256(coalesce(string_agg(row_digest, '' order by row_id), '')) as rows_digest,  -- SHA-256, hexadecimal
    count(*)::bigint as n_rows,  -- rows that it covers
    (select n_duplicate_gold_spans from duplicates)::bigint as n_duplicate_gold_spans,  -- gold spans that were there already
    (select count(*) from staging.gold_spans where not is_mapped)::bigint as n_unmapped_gold_spans  -- gold spans that the label map does not name
from row_digests
