-- What this scoring is asked for.
-- Grain: one row.
select
    design,  -- the design whose rows count; null for all rows
    pairs_design,  -- the design whose texts make pairs of prose and carrier; null for all
    seed,  -- of the draws
    replicates  -- how many bootstrap replicates
from contracts.settings
