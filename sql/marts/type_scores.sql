-- Recall of a run on one gold type; a false positive has no gold type.
-- Grain: (run_id, type).
with counts as (select run_id, unnest(by_type) as of_type from intermediate.design_counts)

select
    run_id,  -- the run
    of_type.type as type,  -- a type of the taxonomy
    sum(of_type.tp)::bigint as tp,  -- its characters, marked
    sum(of_type.fn)::bigint as fn,  -- its characters, not marked
    metrics.recall(sum(of_type.tp), sum(of_type.fn)) as recall  -- the share marked
from counts
group by run_id, of_type.type
