-- The best run of each publisher with a conflict of interest against the strongest run without one, by somebody else,
-- that is no baseline. Seed runs are left out.
-- Grain: (publisher).
with
    ranked as (
        select
            runs.run_id,
            runs.publisher,
            runs.kind,
            runs.conflict_of_interest is not null as has_interest,
            row_number() over (order by means.f1 desc, runs.run_id) as place
        from staging.runs as runs
        inner join marts.mean_scores as means on runs.run_id = means.run_id
        where means.f1 is not null and not runs.is_seed_run
    ),
    theirs as (
        select publisher, arg_min(run_id, place) as run_id, list(run_id order by place) as runs
        from ranked
        where has_interest
        group by publisher
    ),
    independent as (
        select theirs.run_id, arg_min(ranked.run_id, ranked.place) as against
        from theirs
        inner join
            ranked
            on not ranked.has_interest
            and ranked.kind <> 'baseline'
            and (ranked.publisher is null or ranked.publisher is distinct from theirs.publisher)
        group by theirs.run_id
    )

select
    theirs.publisher,  -- who published the runs; null where nobody is named
    theirs.runs,  -- their runs with a conflict of interest, the best first
    theirs.run_id,  -- the best of them
    independent.against,  -- the strongest independent run; null where there is none
    comparisons.unit,  -- what was drawn: row
    comparisons.difference,  -- mean F1 of theirs minus that of the independent one
    comparisons.difference_low,  -- 2.5th percentile
    comparisons.difference_high,  -- 97.5th percentile
    comparisons.p_value  -- two-sided, unadjusted
from theirs
left join independent on theirs.run_id = independent.run_id
left join
    marts.comparisons as comparisons
    on theirs.run_id = comparisons.run_a
    and independent.against = comparisons.run_b
    and comparisons.unit = 'row'
