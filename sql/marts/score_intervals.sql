-- Bootstrap interval of a run's mean F1.
-- Kept: one file a run.
-- Grain: (run_id, unit).
select
    run_id,  -- the run
    unit,  -- what was drawn: row (the ranked interval) or document
    quantile_cont(f1, 0.025) as f1_low,  -- 2.5th percentile
    quantile_cont(f1, 0.975) as f1_high,  -- 97.5th percentile
    count(*)::bigint as n_replicates,  -- replicates drawn
    safe_ratio(count(*) filter (where n_corpora_undefined > 0), count(*)) as share_incomplete  -- of them, those that left a corpus out
from intermediate.replicate_scores
group by run_id, unit
