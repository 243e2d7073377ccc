-- Bootstrap intervals of a run in one corpus, carrier, language or type. Draws are those of the whole corpora. A
-- false positive has no type, so a type has no F1.
-- Grain: (run_id, unit, slice_by, slice).
with
    strata as (select distinct stratum_key, unit, corpus from intermediate.units),
    replicates as (
        select sums.run_key, slices.unit, slices.slice_by, slices.slice, sums.tp, sums.fp, sums.fn
        from intermediate.slice_sums as sums
        inner join intermediate.score_slices as slices on sums.slice_key = slices.slice_key
        union all
        select sums.run_key, strata.unit, 'corpus', strata.corpus, sums.tp, sums.fp, sums.fn
        from intermediate.replicate_sums as sums
        inner join strata on sums.stratum_key = strata.stratum_key
    ),
    scored as (
        select
            run_key,
            unit,
            slice_by,
            slice,
            case when slice_by <> 'type' then metrics.f1(tp, fp, fn) end as f1,
            metrics.recall(tp, fn) as recall
        from replicates
    )

select
    runs.run_id,  -- the run
    scored.unit,  -- what was drawn: row or document
    scored.slice_by,  -- corpus, carrier, language or type
    scored.slice,  -- which one
    quantile_cont(scored.f1, 0.025) as f1_low,  -- 2.5th percentile of F1; null for a type
    quantile_cont(scored.f1, 0.975) as f1_high,  -- 97.5th percentile
    quantile_cont(scored.recall, 0.025) as recall_low,  -- 2.5th percentile of recall
    quantile_cont(scored.recall, 0.975) as recall_high,  -- 97.5th percentile
    count(scored.recall)::bigint as n_replicates  -- replicates that drew any gold of the slice
from scored
inner join staging.runs as runs on scored.run_key = runs.run_key
group by runs.run_id, scored.unit, scored.slice_by, scored.slice
