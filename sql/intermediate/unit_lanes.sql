-- Counts of a unit for four runs side by side: one join then serves four runs, which makes the bootstrap of a whole
-- board
-- several times faster than a row for each run (benchmarks/bootstrap.py).
-- Grain: (lane_block, unit_key).
with
    laned as (
        select
            quotient(runs.run_key - 1, 4) as lane_block,
            (runs.run_key - 1) % 4 as lane,
            counts.unit_key,
            counts.tp,
            counts.fp,
            counts.fn
        from intermediate.unit_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
    )

select
    lane_block::integer as lane_block,  -- runs 4 * lane_block + 1 and the three after it
    unit_key,  -- the unit
    sum(tp) filter (where lane = 0)::integer as tp_0,  -- tp of the block's first run
    sum(fp) filter (where lane = 0)::integer as fp_0,  -- its fp
    sum(fn) filter (where lane = 0)::integer as fn_0,  -- its fn
    sum(tp) filter (where lane = 1)::integer as tp_1,  -- tp of the second
    sum(fp) filter (where lane = 1)::integer as fp_1,  -- its fp
    sum(fn) filter (where lane = 1)::integer as fn_1,  -- its fn
    sum(tp) filter (where lane = 2)::integer as tp_2,  -- tp of the third
    sum(fp) filter (where lane = 2)::integer as fp_2,  -- its fp
    sum(fn) filter (where lane = 2)::integer as fn_2,  -- its fn
    sum(tp) filter (where lane = 3)::integer as tp_3,  -- tp of the fourth
    sum(fp) filter (where lane = 3)::integer as fp_3,  -- its fp
    sum(fn) filter (where lane = 3)::integer as fn_3  -- its fn
from laned
group by lane_block, unit_key
