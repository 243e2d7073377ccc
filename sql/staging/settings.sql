-- What this scoring is asked for.
-- Grain: one row.
select
    design,  -- the design whose rows count; null for all rows
    seed,  -- of the draws
    replicates  -- how many bootstrap replicates
from contracts.settings
