-- Counts of a unit for four runs side by side: one join then serves four runs, which makes the bootstrap of a board
-- several times faster than a row for each run (benchmarks/bootstrap.py). What a run missed is the unit's gold less
-- its tp, and gold does not depend on the run. Sorted, since the join looks units up in their order.
-- Grain: (lane_block, unit_key).
with
    laned as (
        select
            quotient(runs.run_key - 1, 4) as lane_block,
            (runs.run_key - 1) % 4 as lane,
            counts.unit_key,
            counts.tp,
            counts.fp,
            counts.tp + counts.fn as gold
        from intermediate.unit_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
    )

select
    lane_block::integer as lane_block,  -- runs 4 * lane_block + 1 and the three after it
    unit_key,  -- the unit
    any_value(gold)::integer as gold,  -- its personal data, the same for every run
    coalesce(sum(tp) filter (where lane = 0), 0)::integer as tp_0,  -- tp of the block's first run
    coalesce(sum(fp) filter (where lane = 0), 0)::integer as fp_0,  -- its fp
    coalesce(sum(tp) filter (where lane = 1), 0)::integer as tp_1,  -- tp of the second
    coalesce(sum(fp) filter (where lane = 1), 0)::integer as fp_1,  -- its fp
    coalesce(sum(tp) filter (where lane = 2), 0)::integer as tp_2,  -- tp of the third
    coalesce(sum(fp) filter (where lane = 2), 0)::integer as fp_2,  -- its fp
    coalesce(sum(tp) filter (where lane = 3), 0)::integer as tp_3,  -- tp of the fourth
    coalesce(sum(fp) filter (where lane = 3), 0)::integer as fp_3  -- its fp
from laned
group by lane_block, unit_key
order by unit_key, lane_block
