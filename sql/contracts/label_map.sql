-- What a source label means.
-- Grain: (namespace, source_label).
create table contracts.label_map (
    namespace varchar not null,  -- a corpus, a run's label namespace, or * for all that name none of their own
    source_label varchar not null,  -- what it is called there
    type varchar not null,  -- a type of the taxonomy, or `ignored`
    reason varchar,  -- why; an ignored label needs one
)
