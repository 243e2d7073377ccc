-- How often a source uses a label, in the whole of it and not only in the rows that were chosen.
-- Grain: (source, source_label, is_no_mask).
create table contracts.source_labels (
    source varchar not null,  -- the source
    corpus varchar not null,  -- its corpus, the namespace of its labels
    source_label varchar not null,  -- what it calls something
    n_spans bigint not null check (n_spans >= 0),  -- spans of that label
    is_no_mask boolean not null default false,  -- whether they were judged to need no masking (NO_MASK)
    is_allowed boolean not null default false,  -- whether the build was allowed to ignore the label, which no map names
)
