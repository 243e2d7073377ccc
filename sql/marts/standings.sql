-- Where a run stands on a board: its rank with an interval, and its paired difference to the first run, with p adjusted
-- by Holm over these comparisons, and to the run above. Seed runs are not ranked, and so have no line.
-- Grain: (run_id, unit).
with
    ranked as (
        select
            means.run_id,
            means.f1,
            rank() over (order by means.f1 desc) as rank,
            row_number() over (order by means.f1 desc, means.run_id) as place
        from marts.mean_scores as means
        inner join staging.runs as runs on means.run_id = runs.run_id
        where means.f1 is not null and not runs.is_seed_run
    ),
    drawn as (
        select
            scores.run_id,
            scores.unit,
            rank() over (partition by scores.unit, scores.replicate order by scores.f1 desc) as rank
        from intermediate.replicate_scores as scores
        inner join ranked on scores.run_id = ranked.run_id
        where scores.f1 is not null
    ),
    rank_intervals as (
        select run_id, unit, quantile_disc(rank, 0.025) as rank_low, quantile_disc(rank, 0.975) as rank_high
        from drawn
        group by run_id, unit
    ),
    to_first as (
        select comparisons.* exclude (run_a), comparisons.run_a as run_id
        from marts.comparisons as comparisons
        inner join ranked as firsts on comparisons.run_b = firsts.run_id and firsts.place = 1
        inner join ranked on comparisons.run_a = ranked.run_id
    ),
    stepped as (
        select
            *,
            p_value * (
                count(p_value) over (partition by unit)
                - row_number() over (partition by unit order by p_value nulls last, run_id)
                + 1
            ) as p_step
        from to_first
    ),
    adjusted as (
        select
            *,
            case
                when p_value is not null
                then least(1.0, max(p_step) over (partition by unit order by p_value nulls last, run_id))
            end as p_holm
        from stepped
    ),
    to_above as (
        select
            below.run_id,
            comparisons.unit,
            above.run_id as run_above,
            comparisons.difference,
            comparisons.difference_low,
            comparisons.difference_high
        from ranked as below
        inner join ranked as above on below.place = above.place + 1
        inner join
            marts.comparisons as comparisons on below.run_id = comparisons.run_a and above.run_id = comparisons.run_b
    )

select
    ranked.run_id,  -- the run
    rank_intervals.unit,  -- what was drawn: row or document
    ranked.rank::bigint as rank,  -- 1 is best; runs with the same mean F1 share the smaller rank
    ranked.place::bigint as place,  -- its place in the list, ties by name
    rank_intervals.rank_low::bigint as rank_low,  -- 2.5th percentile of its rank over the replicates
    rank_intervals.rank_high::bigint as rank_high,  -- 97.5th percentile
    adjusted.difference,  -- mean F1 minus that of the first run; null for the first
    adjusted.difference_low,  -- 2.5th percentile of the difference
    adjusted.difference_high,  -- 97.5th percentile
    adjusted.p_value,  -- two-sided, unadjusted
    adjusted.p_holm,  -- the same adjusted by Holm over all comparisons with the first
    adjusted.p_holm < 0.05 as is_separable,  -- whether it is told apart from the first; null for the first
    adjusted.smallest_detectable,  -- the smallest difference to the first that these rows could have told apart
    adjusted.n_corpora,  -- corpora where both have a value
    adjusted.share_incomplete,  -- of all replicates, those that left a corpus out
    to_above.run_above,  -- the run above it
    to_above.difference as above_difference,  -- mean F1 minus that of the run above
    to_above.difference_low as above_low,  -- 2.5th percentile, unadjusted
    to_above.difference_high as above_high  -- 97.5th percentile, unadjusted
from ranked
inner join rank_intervals on ranked.run_id = rank_intervals.run_id
left join adjusted on ranked.run_id = adjusted.run_id and rank_intervals.unit = adjusted.unit
left join to_above on ranked.run_id = to_above.run_id and rank_intervals.unit = to_above.unit
