-- A run: one runner over a set of rows.
-- Grain: (run_id).
create table contracts.runs (
    run_id varchar not null,  -- the name that results carry
    status varchar not null check (status in ('ran', 'not_run')),  -- whether it could run at all
    why varchar,  -- the reason, where it could not
    kind varchar not null check (kind in ('model', 'pipeline', 'rules', 'baseline', 'combined', 'file')),  -- what it is: a pipeline wraps a model in more, a file's making is not known
    runner varchar not null,  -- the module that ran it
    runner_version varchar,  -- the package that the runner is of, and its version
    model varchar,  -- the model's id, where there is one
    revision varchar,  -- the pinned revision of the model
    is_pinned boolean,  -- whether what ran can be had again exactly, by commit, version or digest; null where nobody knows
    weights_sha256 varchar,  -- digest of the weights that ran
    artefact varchar,  -- what is scored: runs of one artefact are one thing scored in several ways
    label_namespace varchar not null,  -- whose labels it predicts, a key of the label map
    settings map(varchar, varchar) not null,  -- aggregation, labels_asked, threshold, window, stride, batch, precision, seed and the rest that shapes its answers
    settings_digest varchar not null,  -- digest of model, weights and settings: a resume refuses another
    machine map(varchar, varchar) not null,  -- host, processor, device, accelerators_unused, provider, threads, library versions
    licence varchar,  -- SPDX identifier of the model's licence
    credit varchar,  -- the attribution that the licence asks for
    publisher varchar,  -- who published the model
    recipe varchar,  -- how it was trained; runs of one recipe may differ by seed alone
    training_seed varchar,  -- the seed it was trained with; with a recipe, the run shows its spread and is never ranked
    steered map(varchar, varchar),  -- corpora whose examination shaped the model, and why; null where nobody said
    conflict_of_interest varchar,  -- of whoever scored it
    note varchar,  -- what a reader should know
)
