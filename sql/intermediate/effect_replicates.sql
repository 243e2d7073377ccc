-- What a carrier does to a run in a bootstrap replicate of documents, over the corpora where both have a value in it.
-- Grain: (run_id, carrier, replicate).
with
    scored as (
        select
            run_key,
            carrier,
            stratum_key,
            replicate,
            metrics.f1(tp, errors, 0) as f1,
            metrics.f1(prose_tp, prose_errors, 0) as prose_f1,
            metrics.recall(found_chars, gold_chars - found_chars) as recall,
            metrics.recall(prose_found_chars, gold_chars - prose_found_chars) as prose_recall
        from intermediate.effect_sums
    ),
    effects as (
        select
            run_key,
            carrier,
            replicate,
            mean_of(f1 - prose_f1, stratum_key) as difference,
            mean_of(recall - prose_recall, stratum_key) as recall_difference,
            count(*) filter (where f1 is not null and prose_f1 is not null) as n_corpora
        from scored
        group by run_key, carrier, replicate
    )

select
    runs.run_id,  -- the run
    effects.carrier,  -- the carrier
    effects.replicate,  -- from 0
    effects.difference,  -- mean F1 in the carrier minus that in prose
    effects.recall_difference,  -- the same of the recall of passage characters
    effects.n_corpora::bigint as n_corpora  -- corpora where both have an F1
from effects
inner join staging.runs as runs on effects.run_key = runs.run_key
