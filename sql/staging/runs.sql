-- A run.
-- Grain: (run_id).
select
    row_number() over (order by run_id)::bigint as run_key,  -- place among the runs, from 1
    run_id,  -- its name
    status,  -- ran or not_run
    why,  -- the reason, where it could not run
    kind,  -- model, pipeline, rules, baseline, combined or file
    runner,  -- the module that ran it
    runner_version,  -- the package that the runner is of, and its version
    model,  -- the model's id
    revision,  -- its pinned revision
    is_pinned,  -- whether what ran can be had again exactly; null where nobody knows
    weights_sha256,  -- digest of the weights that ran
    coalesce(artefact, model || coalesce('@' || revision, '@' || left(weights_sha256, 12), ''), run_id) as artefact,  -- what is scored: what was said, else the model at its revision or by its weights, else the run
    label_namespace,  -- a key of the label map
    settings,  -- what shaped its answers
    settings_digest,  -- digest of model, weights and settings
    machine,  -- where it ran
    licence,  -- SPDX identifier of the model's licence
    credit,  -- the attribution that the licence asks for
    publisher,  -- who published the model
    recipe,  -- how it was trained
    training_seed,  -- the seed that it was trained with, where somebody said
    recipe is not null and training_seed is not null as is_seed_run,  -- whether it is there for the spread of its recipe alone, and never ranked
    steered,  -- corpora whose examination shaped the model, and why
    conflict_of_interest,  -- of whoever scored it
    note  -- what a reader should know
from contracts.runs
