-- The board's figures: plain means over the corpora that have a value.
-- Grain: (run_id).
select
    run_id,  -- the run
    mean_of(precision, slice) as precision,  -- mean precision
    mean_of(recall, slice) as recall,  -- mean recall
    mean_of(f1, slice) as f1,  -- mean F1, the ranked figure
    mean_of(touch_rate, slice) as touch_rate,  -- mean touch rate
    count(f1)::bigint as n_corpora,  -- corpora whose F1 is defined
    sum(n_rows)::bigint as n_rows,  -- rows scored
    sum(n_rows_missing)::bigint as n_rows_missing,  -- of them, not answered
    sum(n_duplicate_spans)::bigint as n_duplicate_spans  -- predicted spans that were there already
from marts.scores
where slice_by = 'corpus'
group by run_id
