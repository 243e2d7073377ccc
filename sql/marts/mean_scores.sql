-- The board's figures: plain means over the corpora that have a value.
-- Grain: (run_id).
select
    runs.run_id,  -- the run
    mean_of(scores.precision, scores.slice) as precision,  -- mean precision
    mean_of(scores.recall, scores.slice) as recall,  -- mean recall
    mean_of(scores.f1, scores.slice) as f1,  -- mean F1, the ranked figure
    mean_of(scores.touch_rate, scores.slice) as touch_rate,  -- mean touch rate
    count(scores.f1)::bigint as n_corpora,  -- corpora whose F1 is defined
    coalesce(sum(scores.n_rows), 0)::bigint as n_rows,  -- rows scored
    coalesce(sum(scores.n_rows_missing), 0)::bigint as n_rows_missing,  -- of them, not answered
    coalesce(sum(scores.n_duplicate_spans), 0)::bigint as n_duplicate_spans  -- predicted spans that were there already
from staging.runs as runs
left join marts.scores as scores on runs.run_id = scores.run_id and scores.slice_by = 'corpus'
where runs.status = 'ran'
group by runs.run_id
