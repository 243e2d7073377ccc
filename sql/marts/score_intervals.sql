-- Bootstrap intervals of a run's mean F1 and mean recall.
-- Kept: one file a run.
-- Grain: (run_id, unit).
select
    scores.run_id,  -- the run
    scores.unit,  -- what was drawn: row (the ranked interval) or document
    quantile_cont(scores.f1, 0.025) as f1_low,  -- 2.5th percentile
    quantile_cont(scores.f1, 0.975) as f1_high,  -- 97.5th percentile
    quantile_cont(scores.recall, 0.025) as recall_low,  -- 2.5th percentile of mean recall
    quantile_cont(scores.recall, 0.975) as recall_high,  -- 97.5th percentile
    any_value(sizes.n_units_fewest) as n_units_fewest,  -- units of the smallest corpus: of one, no interval says anything
    count(*)::bigint as n_replicates,  -- replicates drawn
    safe_ratio(count(*) filter (where scores.n_corpora_undefined > 0), count(*)) as share_incomplete  -- of them, those that left a corpus out
from intermediate.replicate_scores as scores
inner join intermediate.fewest_units as sizes on scores.unit = sizes.unit
group by scores.run_id, scores.unit
