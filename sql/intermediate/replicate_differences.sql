-- Difference of two runs in mean F1 in a bootstrap replicate that both share, over the corpora where both have a
-- value in it.
-- Grain: (run_a, run_b, unit, replicate).
with
    strata as (select distinct stratum_key, unit from intermediate.units),
    scored as (select run_key, stratum_key, replicate, metrics.f1(tp, fp, fn) as f1 from intermediate.replicate_sums),
    differences as (
        select
            one.run_key as run_key_a,
            other.run_key as run_key_b,
            strata.unit,
            one.replicate,
            paired_difference(one.f1, other.f1, one.stratum_key) as difference,
            count(*) filter (where one.f1 is null or other.f1 is null) as n_corpora_undefined
        from scored as one
        inner join
            scored as other
            on one.stratum_key = other.stratum_key
            and one.replicate = other.replicate
            and one.run_key != other.run_key
        inner join strata on one.stratum_key = strata.stratum_key
        group by one.run_key, other.run_key, strata.unit, one.replicate
    )

select
    first_runs.run_id as run_a,  -- the first run
    second_runs.run_id as run_b,  -- the second run
    differences.unit,  -- row or document
    differences.replicate,  -- from 0
    differences.difference,  -- mean F1 of the first minus that of the second
    differences.n_corpora_undefined::bigint as n_corpora_undefined  -- corpora left out
from differences
inner join staging.runs as first_runs on differences.run_key_a = first_runs.run_key
inner join staging.runs as second_runs on differences.run_key_b = second_runs.run_key
