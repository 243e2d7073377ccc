-- A run.
-- Grain: (run_id).
select
    row_number() over (order by run_id)::bigint as run_key,  -- place among the runs, from 1
    run_id,  -- its name
    status,  -- ran or not_run
    why,  -- the reason, where it could not run
    kind,  -- model, rules, baseline or file
    runner,  -- the module that ran it
    model,  -- the model's id
    revision,  -- its pinned revision
    weights_sha256,  -- digest of the weights that ran
    label_namespace,  -- a key of the label map
    settings,  -- what shaped its answers
    settings_digest,  -- digest of model, weights and settings
    machine,  -- where it ran
    licence,  -- SPDX identifier of the model's licence
    credit,  -- the attribution that the licence asks for
    note  -- what a reader should know
from contracts.runs
