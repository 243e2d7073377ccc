-- What an interval of entities is given for: all texts, a label, a corpus or a carrier.
-- Grain: (slice_key).
with
    slices as (
        select distinct 'all' as slice_by, 'all' as slice
        from intermediate.entity_counts
        union all
        select distinct 'label', of_label.label
        from (select unnest(by_label) as of_label from intermediate.entity_counts)
        union all
        select distinct 'corpus', corpus
        from intermediate.entity_counts
        union all
        select distinct 'carrier', carrier
        from intermediate.entity_counts
    )

select
    row_number() over (order by slice_by, slice)::integer - 1 as slice_key,  -- place among them, from 0
    slice_by,  -- all, label, corpus or carrier
    slice  -- which one
from slices
