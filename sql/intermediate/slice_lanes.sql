-- Counts of a unit in one carrier, language or type, for four runs side by side, as in `unit_lanes`. A false positive
-- has no type. Sorted, since the join looks units up in their order.
-- Grain: (lane_block, unit_key, slice_key).
with
    counts as (
        select run_id, 'row' as unit, corpus, row_id as unit_id, carrier, language, tp, fp, fn, by_type
        from intermediate.design_counts
        union all
        select run_id, 'document', corpus, doc_id, carrier, language, tp, fp, fn, by_type
        from intermediate.design_counts
    ),
    of_types as (select run_id, unit, corpus, unit_id, unnest(by_type) as of_type from counts),
    sliced as (
        select run_id, unit, corpus, unit_id, 'carrier' as slice_by, carrier as slice, tp, fp, fn
        from counts
        union all
        select run_id, unit, corpus, unit_id, 'language', language, tp, fp, fn
        from counts
        union all
        select run_id, unit, corpus, unit_id, 'type', of_type.type, of_type.tp, 0, of_type.fn
        from of_types
    ),
    laned as (
        select
            quotient(runs.run_key - 1, 4) as lane_block,
            (runs.run_key - 1) % 4 as lane,
            units.unit_key,
            slices.slice_key,
            sliced.tp,
            sliced.fp,
            sliced.tp + sliced.fn as gold
        from sliced
        inner join staging.runs as runs on sliced.run_id = runs.run_id
        inner join
            intermediate.units as units
            on sliced.unit = units.unit
            and sliced.corpus = units.corpus
            and sliced.unit_id = units.unit_id
        inner join
            intermediate.score_slices as slices
            on sliced.unit = slices.unit
            and sliced.slice_by = slices.slice_by
            and sliced.slice = slices.slice
    )

select
    lane_block::integer as lane_block,  -- runs 4 * lane_block + 1 and the three after it
    unit_key,  -- the unit
    slice_key,  -- the slice
    coalesce(max(gold_sum), 0)::integer as gold,  -- its personal data, the same for every run
    coalesce(sum(tp) filter (where lane = 0), 0)::integer as tp_0,  -- tp of the block's first run
    coalesce(sum(fp) filter (where lane = 0), 0)::integer as fp_0,  -- its fp
    coalesce(sum(tp) filter (where lane = 1), 0)::integer as tp_1,  -- tp of the second
    coalesce(sum(fp) filter (where lane = 1), 0)::integer as fp_1,  -- its fp
    coalesce(sum(tp) filter (where lane = 2), 0)::integer as tp_2,  -- tp of the third
    coalesce(sum(fp) filter (where lane = 2), 0)::integer as fp_2,  -- its fp
    coalesce(sum(tp) filter (where lane = 3), 0)::integer as tp_3,  -- tp of the fourth
    coalesce(sum(fp) filter (where lane = 3), 0)::integer as fp_3  -- its fp
from (select *, sum(gold) over (partition by lane_block, lane, unit_key, slice_key) as gold_sum from laned) as summed
group by lane_block, unit_key, slice_key
order by unit_key, lane_block, slice_key
