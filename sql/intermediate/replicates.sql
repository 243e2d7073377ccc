-- Counts of a bootstrap replicate in one corpus.
-- Grain: (run_id, unit, corpus, replicate).
with
    sums as (
        select
            lanes.lane_block,
            draws.replicate_key,
            sum(lanes.tp_0) as tp_0,
            sum(lanes.fp_0) as fp_0,
            sum(lanes.fn_0) as fn_0,
            sum(lanes.tp_1) as tp_1,
            sum(lanes.fp_1) as fp_1,
            sum(lanes.fn_1) as fn_1,
            sum(lanes.tp_2) as tp_2,
            sum(lanes.fp_2) as fp_2,
            sum(lanes.fn_2) as fn_2,
            sum(lanes.tp_3) as tp_3,
            sum(lanes.fp_3) as fp_3,
            sum(lanes.fn_3) as fn_3
        from intermediate.draws as draws
        inner join intermediate.unit_lanes as lanes on draws.unit_key = lanes.unit_key
        group by lanes.lane_block, draws.replicate_key
    ),
    strata as (select distinct stratum_key, unit, corpus from intermediate.units)

select
    runs.run_id,  -- the run
    strata.unit,  -- row or document
    strata.corpus,  -- the stratum
    (sums.replicate_key % settings.replicates)::integer as replicate,  -- from 0
    case (runs.run_key - 1) % 4 when 0 then tp_0 when 1 then tp_1 when 2 then tp_2 else tp_3 end::bigint as tp,  -- personal data, marked
    case (runs.run_key - 1) % 4 when 0 then fp_0 when 1 then fp_1 when 2 then fp_2 else fp_3 end::bigint as fp,  -- marked, not personal data
    case (runs.run_key - 1) % 4 when 0 then fn_0 when 1 then fn_1 when 2 then fn_2 else fn_3 end::bigint as fn  -- personal data, not marked
from sums
cross join staging.settings as settings
inner join strata on quotient(sums.replicate_key, settings.replicates) = strata.stratum_key
inner join staging.runs as runs on sums.lane_block = quotient(runs.run_key - 1, 4)
where runs.status = 'ran'
