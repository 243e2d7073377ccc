-- The passage intervals of a row's alignments follow each other from 0 without a gap.
with
    intervals as (
        select
            row_id,
            passage_start,
            passage_end,
            lag(passage_end, 1, 0) over (partition by row_id order by interval_index) as expected_start
        from contracts.alignments
        where kind != 'lookalike'
    )

select row_id, passage_start
from intervals
where passage_start != expected_start or passage_end < passage_start
