-- How long a run takes over one text at a time: median and 95th percentile over the rows that were timed, with
-- bootstrap intervals over those rows. A replicate draws as many of them as there are, with replacement, by the same
-- arithmetic as the draws of scores.
-- Grain: (run_id).
with
    timed as (
        select
            run_id,
            milliseconds,
            row_number() over (partition by run_id order by row_id) - 1 as position,
            count(*) over (partition by run_id) as n_rows
        from staging.timings
    ),
    -- Step by step, since a macro within a macro is bound many times over.
    seeds as (select corpus_state(seed, 3, '') as state, replicates from staging.settings),
    replicate_numbers as (select unnest(range(replicates)) as replicate, state from seeds),
    replicate_states as (select replicate, mix32(xor(state, replicate)) as state from replicate_numbers),
    slots as (select run_id, n_rows, mix32(position) as state from timed),
    drawn as (
        select slots.run_id, states.replicate, (mix32(xor(states.state, slots.state)) * slots.n_rows) >> 32 as position
        from slots
        cross join replicate_states as states
    ),
    replicates as (
        select
            drawn.run_id,
            drawn.replicate,
            quantile_cont(timed.milliseconds, 0.5) as median,
            quantile_cont(timed.milliseconds, 0.95) as p95
        from drawn
        inner join timed on drawn.run_id = timed.run_id and drawn.position = timed.position
        group by drawn.run_id, drawn.replicate
    ),
    intervals as (
        select
            run_id,
            quantile_cont(median, 0.025) as median_low,
            quantile_cont(median, 0.975) as median_high,
            quantile_cont(p95, 0.025) as p95_low,
            quantile_cont(p95, 0.975) as p95_high
        from replicates
        group by run_id
    ),
    measured as (
        select
            run_id,
            count(*) as n_rows,
            quantile_cont(milliseconds, 0.5) as median,
            quantile_cont(milliseconds, 0.95) as p95
        from timed
        group by run_id
    )

select
    measured.run_id,  -- the run
    measured.n_rows::bigint as n_rows,  -- rows that were timed
    measured.median as median_ms,  -- milliseconds that half of them took at most
    intervals.median_low as median_low_ms,  -- 2.5th percentile over the replicates
    intervals.median_high as median_high_ms,  -- 97.5th percentile
    measured.p95 as p95_ms,  -- milliseconds that 95 of 100 took at most
    intervals.p95_low as p95_low_ms,  -- 2.5th percentile
    intervals.p95_high as p95_high_ms  -- 97.5th percentile
from measured
inner join intervals on measured.run_id = intervals.run_id
