-- How far runs of one recipe lie apart that differ by their training's seed alone, and beside it how far ahead of the
-- strongest run of another recipe the released run is. Reported, never ranked.
-- Grain: (recipe).
with
    ran as (
        select runs.run_id, runs.recipe, runs.kind, runs.is_seed_run, means.f1
        from staging.runs as runs
        inner join marts.mean_scores as means on runs.run_id = means.run_id
        where means.f1 is not null
    ),
    spreads as (
        select
            recipe,
            count(*) as n_runs,
            mean_of(f1, run_id) as f1,
            min(f1) as f1_min,
            max(f1) as f1_max,
            sqrt(list_var_samp(list(f1 order by run_id))) as f1_spread
        from ran
        where is_seed_run
        group by recipe
    ),
    ranked as (select *, row_number() over (order by f1 desc, run_id) as place from ran where not is_seed_run),
    released as (
        select spreads.recipe, arg_min(ranked.run_id, ranked.place) as run_id
        from spreads
        inner join ranked on spreads.recipe = ranked.recipe
        group by spreads.recipe
    ),
    others as (
        select spreads.recipe, arg_min(ranked.run_id, ranked.place) as run_id
        from spreads
        inner join ranked on ranked.recipe is distinct from spreads.recipe and ranked.kind <> 'baseline'
        group by spreads.recipe
    )

select
    spreads.recipe,  -- the recipe
    spreads.n_runs::bigint as n_runs,  -- its seed runs
    spreads.f1,  -- mean of their mean F1
    spreads.f1_min,  -- the lowest
    spreads.f1_max,  -- the highest
    spreads.f1_spread,  -- their sample standard deviation; null for one run
    released.run_id as released_run,  -- the best run of the recipe that states no seed
    others.run_id as reference_run,  -- the best ranked run of another recipe that is no baseline
    margins.difference as margin,  -- mean F1 of the released run minus that of the reference
    margins.difference_low as margin_low,  -- 2.5th percentile over replicates by row
    margins.difference_high as margin_high,  -- 97.5th percentile
    safe_ratio(margins.difference, spreads.f1_spread) as margin_in_spreads  -- the margin in standard deviations of the recipe
from spreads
left join released on spreads.recipe = released.recipe
left join others on spreads.recipe = others.recipe
left join
    marts.comparisons as margins
    on released.run_id = margins.run_a
    and others.run_id = margins.run_b
    and margins.unit = 'row'
