-- Alignments of a row follow each other on the wire without overlapping, and lie inside its text.
with
    intervals as (
        select
            alignments.row_id,
            alignments.wire_start,
            alignments.wire_end,
            rows.n_chars,
            lag(alignments.wire_end, 1, 0) over (
                partition by alignments.row_id order by alignments.interval_index
            ) as previous_end
        from contracts.alignments as alignments
        left join contracts.rows as rows on alignments.row_id = rows.row_id
    )

select row_id, wire_start
from intervals
where n_chars is null or wire_start < previous_end or wire_end > n_chars
