-- Mean F1 over the corpora in a bootstrap replicate.
-- Grain: (run_id, unit, replicate).
select
    run_id,  -- the run
    unit,  -- row or document
    replicate,  -- from 0
    mean_of(metrics.f1(tp, fp, fn), corpus) as f1,  -- mean over the corpora that have a value
    count(*) filter (where tp + fp + fn = 0)::bigint as n_corpora_undefined  -- corpora left out for having none
from intermediate.replicates
group by run_id, unit, replicate
