-- Counts of a bootstrap replicate in one stratum, by keys alone: `replicates` has the same with names.
-- Grain: (run_key, stratum_key, replicate).
with
    sums as (
        select
            lanes.lane_block,
            draws.replicate_key,
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
        inner join intermediate.unit_lanes as lanes on draws.unit_key = lanes.unit_key
        group by lanes.lane_block, draws.replicate_key
    ),
    unpacked as (
        select
            runs.run_key,
            sums.replicate_key,
            sums.gold,
            case (runs.run_key - 1) % 4 when 0 then tp_0 when 1 then tp_1 when 2 then tp_2 else tp_3 end as tp,
            case (runs.run_key - 1) % 4 when 0 then fp_0 when 1 then fp_1 when 2 then fp_2 else fp_3 end as fp
        from sums
        inner join staging.runs as runs on sums.lane_block = quotient(runs.run_key - 1, 4)
        where runs.status = 'ran'
    )

select
    unpacked.run_key::integer as run_key,  -- the run
    quotient(unpacked.replicate_key, settings.replicates)::integer as stratum_key,  -- the stratum
    (unpacked.replicate_key % settings.replicates)::integer as replicate,  -- from 0
    unpacked.tp::bigint as tp,  -- personal data, marked
    unpacked.fp::bigint as fp,  -- marked, not personal data
    (unpacked.gold - unpacked.tp)::bigint as fn  -- personal data, not marked
from unpacked
cross join staging.settings as settings
