-- How long a text took by itself.
-- Grain: (run_id, row_id).
select
    run_id,  -- the run
    row_id,  -- the text
    milliseconds  -- wall time of this row alone, the detector being warm
from contracts.timings
