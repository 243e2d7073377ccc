-- Digest of the rows that count and of their gold, in any order.
-- Grain: one row.
with
    rows as (
        select digests.row_id, digests.row_digest
        from intermediate.row_digests as digests
        inner join staging.rows as rows on digests.row_id = rows.row_id
    ),
    gold as (
        select spans.is_mapped
        from staging.gold_spans as spans
        inner join staging.rows as rows on spans.row_key = rows.row_key
    ),
    given as (
        select spans.row_id
        from contracts.gold_spans as spans
        inner join staging.rows as rows on spans.row_id = rows.row_id
    )

select
    sha256(coalesce(string_agg(row_digest, '' order by row_id), '')) as rows_digest,  -- SHA-256, hexadecimal
    count(*)::bigint as n_rows,  -- rows that it covers
    ((select count(*) from given) - (select count(*) from gold))::bigint as n_duplicate_gold_spans,  -- gold spans that were there already
    (select count(*) from gold where not is_mapped)::bigint as n_unmapped_gold_spans  -- gold spans that the label map does not name
from rows
