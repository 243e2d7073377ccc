-- What a source label means.
-- Grain: (namespace, source_label).
create table contracts.label_map (
    namespace varchar not null,  -- a corpus, a run's label namespace, * for all, or `usual` for labels whose maker is not known
    source_label varchar not null,  -- what it is called there
    type varchar not null,  -- a type of the taxonomy, or `ignored`
    reason varchar,  -- why; an ignored label needs one
)
