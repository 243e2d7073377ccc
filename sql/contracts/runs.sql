-- A run: one runner over a set of rows.
-- Grain: (run_id).
create table contracts.runs (
    run_id varchar not null,  -- the name that results carry
    status varchar not null check (status in ('ran', 'not_run')),  -- whether it could run at all
    why varchar,  -- the reason, where it could not
    kind varchar not null check (kind in ('model', 'rules', 'baseline', 'file')),  -- what it is; a file's making is not known
    runner varchar not null,  -- the module that ran it
    model varchar,  -- the model's id, where there is one
    revision varchar,  -- the pinned revision of the model
    weights_sha256 varchar,  -- digest of the weights that ran
    label_namespace varchar not null,  -- whose labels it predicts, a key of the label map
    settings map(varchar, varchar) not null,  -- aggregation, threshold, window, stride, batch and the rest that shapes its answers
    settings_digest varchar not null,  -- digest of model, weights and settings: a resume refuses another
    machine map(varchar, varchar) not null,  -- host, processor, threads, provider, library versions
    licence varchar,  -- SPDX identifier of the model's licence
    credit varchar,  -- the attribution that the licence asks for
    note varchar,  -- what a reader should know
)
