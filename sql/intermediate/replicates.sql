-- Counts of a bootstrap replicate in one corpus.
-- Grain: (run_id, unit, corpus, replicate).
with strata as (select distinct stratum_key, unit, corpus from intermediate.units)

select
    runs.run_id,  -- the run
    strata.unit,  -- row or document
    strata.corpus,  -- the stratum
    sums.replicate,  -- from 0
    sums.tp,  -- personal data, marked
    sums.fp,  -- marked, not personal data
    sums.fn  -- personal data, not marked
from intermediate.replicate_sums as sums
inner join strata on sums.stratum_key = strata.stratum_key
inner join staging.runs as runs on sums.run_key = runs.run_key
