-- A carrier, a language or a type of gold among the rows that count, for each unit that is drawn.
-- Grain: (slice_key).
with
    sliced as (
        select distinct 'carrier' as slice_by, carrier as slice
        from intermediate.design_counts
        union all
        select distinct 'language', language
        from intermediate.design_counts
        union all
        select distinct 'type', unnest(by_type).type
        from intermediate.design_counts
    ),
    drawn as (select distinct unit from intermediate.units)

select
    row_number() over (order by drawn.unit, sliced.slice_by, sliced.slice)::integer - 1 as slice_key,  -- its place, from 0
    drawn.unit,  -- row or document
    sliced.slice_by,  -- carrier, language or type
    sliced.slice  -- which one
from sliced
cross join drawn
where sliced.slice is not null
