-- Difference of two runs in mean F1 in a bootstrap replicate that both share, over the corpora where both have a
-- value in it. Where neither left a corpus out it is the difference of their means, which are there already.
-- Grain: (run_a, run_b, unit, replicate).
with
    means as (
        select *, max(n_corpora_undefined) over (partition by unit, replicate) = 0 as is_complete
        from intermediate.replicate_scores
    ),
    of_means as (
        select
            one.run_id as run_a,
            other.run_id as run_b,
            one.unit,
            one.replicate,
            one.f1 - other.f1 as difference,
            0 as n_corpora_undefined
        from means as one
        inner join
            means as other on one.unit = other.unit and one.replicate = other.replicate and one.run_id <> other.run_id
        where one.is_complete and other.is_complete
    ),
    strata as (select distinct stratum_key, unit from intermediate.units),
    incomplete as (select distinct unit, replicate from means where not is_complete),
    scored as (
        select sums.run_key, sums.stratum_key, strata.unit, sums.replicate, metrics.f1(sums.tp, sums.fp, sums.fn) as f1
        from intermediate.replicate_sums as sums
        inner join strata on sums.stratum_key = strata.stratum_key
        inner join incomplete on strata.unit = incomplete.unit and sums.replicate = incomplete.replicate
    ),
    of_corpora as (
        select
            one.run_key as run_key_a,
            other.run_key as run_key_b,
            one.unit,
            one.replicate,
            paired_difference(one.f1, other.f1, one.stratum_key) as difference,
            count(*) filter (where one.f1 is null or other.f1 is null) as n_corpora_undefined
        from scored as one
        inner join
            scored as other
            on one.stratum_key = other.stratum_key
            and one.replicate = other.replicate
            and one.run_key <> other.run_key
        group by one.run_key, other.run_key, one.unit, one.replicate
    )

select
    run_a,  -- the first run
    run_b,  -- the second run
    unit,  -- row or document
    replicate,  -- from 0
    difference,  -- mean F1 of the first minus that of the second
    n_corpora_undefined::bigint as n_corpora_undefined  -- corpora left out
from of_means
union all
select
    first_runs.run_id,
    second_runs.run_id,
    of_corpora.unit,
    of_corpora.replicate,
    of_corpora.difference,
    of_corpora.n_corpora_undefined::bigint
from of_corpora
inner join staging.runs as first_runs on of_corpora.run_key_a = first_runs.run_key
inner join staging.runs as second_runs on of_corpora.run_key_b = second_runs.run_key
