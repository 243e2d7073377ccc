-- Mean F1 over the corpora in a bootstrap replicate.
-- Grain: (run_id, unit, replicate).
with
    strata as (select distinct stratum_key, unit from intermediate.units),
    scored as (
        select
            sums.run_key,
            strata.unit,
            sums.replicate,
            mean_of(metrics.f1(sums.tp, sums.fp, sums.fn), sums.stratum_key) as f1,
            mean_of(metrics.recall(sums.tp, sums.fn), sums.stratum_key) as recall,
            count(*) filter (where sums.tp + sums.fp + sums.fn = 0) as n_corpora_undefined
        from intermediate.replicate_sums as sums
        inner join strata on sums.stratum_key = strata.stratum_key
        group by sums.run_key, strata.unit, sums.replicate
    )

select
    runs.run_id,  -- the run
    scored.unit,  -- row or document
    scored.replicate,  -- from 0
    scored.f1,  -- mean over the corpora that have a value
    scored.recall,  -- the same of recall
    scored.n_corpora_undefined::bigint as n_corpora_undefined  -- corpora left out for having none
from scored
inner join staging.runs as runs on scored.run_key = runs.run_key
