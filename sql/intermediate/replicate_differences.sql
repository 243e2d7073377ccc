-- Difference of two runs in mean F1 in a bootstrap replicate that both share, over the corpora where both have a
-- value in it.
-- Grain: (run_a, run_b, unit, replicate).
with scored as (select run_id, unit, corpus, replicate, metrics.f1(tp, fp, fn) as f1 from intermediate.replicates)

select
    one.run_id as run_a,  -- the first run
    other.run_id as run_b,  -- the second run
    one.unit,  -- row or document
    one.replicate,  -- from 0
    paired_difference(one.f1, other.f1, one.corpus) as difference,  -- mean F1 of the first minus that of the second
    count(*) filter (where one.f1 is null or other.f1 is null)::bigint as n_corpora_undefined  -- corpora left out
from scored as one
inner join
    scored as other
    on one.unit = other.unit
    and one.corpus = other.corpus
    and one.replicate = other.replicate
    and one.run_id != other.run_id
group by one.run_id, other.run_id, one.unit, one.replicate
