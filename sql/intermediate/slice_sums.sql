-- Counts of a bootstrap replicate in one carrier, language or type, over all corpora: units of other slices that were
-- drawn count nothing.
-- Grain: (run_key, slice_key, replicate).
with
    sums as (
        select
            lanes.lane_block,
            lanes.slice_key,
            draws.replicate_key % settings.replicates as replicate,
            sum(draws.n_drawn * lanes.gold) as gold,
            sum(draws.n_drawn * lanes.tp_0) as tp_0,
            sum(draws.n_drawn * lanes.fp_0) as fp_0,
            sum(draws.n_drawn * lanes.tp_1) as tp_1,
            sum(draws.n_drawn * lanes.fp_1) as fp_1,
            sum(draws.n_drawn * lanes.tp_2) as tp_2,
            sum(draws.n_drawn * lanes.fp_2) as fp_2,
            sum(draws.n_drawn * lanes.tp_3) as tp_3,
            sum(draws.n_drawn * lanes.fp_3) as fp_3
        from intermediate.draws as draws
        inner join intermediate.slice_lanes as lanes on draws.unit_key = lanes.unit_key
        cross join staging.settings as settings
        group by lanes.lane_block, lanes.slice_key, draws.replicate_key % settings.replicates
    )

select
    runs.run_key,  -- the run
    sums.slice_key,  -- the slice
    sums.replicate::integer as replicate,  -- from 0
    case (runs.run_key - 1) % 4 when 0 then tp_0 when 1 then tp_1 when 2 then tp_2 else tp_3 end::bigint as tp,  -- personal data, marked
    case (runs.run_key - 1) % 4 when 0 then fp_0 when 1 then fp_1 when 2 then fp_2 else fp_3 end::bigint as fp,  -- marked, not personal data
    (sums.gold - case (runs.run_key - 1) % 4 when 0 then tp_0 when 1 then tp_1 when 2 then tp_2 else tp_3 end)::bigint
    as fn  -- personal data, not marked
from sums
inner join staging.runs as runs on sums.lane_block = quotient(runs.run_key - 1, 4)
where runs.status = 'ran'
