-- What one scoring is asked for.
-- Grain: one row.
create table contracts.settings (
    design varchar,  -- the design whose rows count; null for all rows
    pairs_design varchar,  -- the design whose rows make pairs of prose and carrier; null for all rows
    documents_design varchar,  -- the design that holds documents whole; null for the rows that count
    document_limit bigint check (document_limit > 0),  -- typed scores: so many documents of each slice; null for all
    tab_rules varchar not null default 'corrected' check (tab_rules in ('corrected', 'compat')),  -- TAB's metrics by our rules or by those of the published script
    weights varchar not null default 'unigram' check (weights in ('unigram', 'uniform', 'table')),  -- where the weights of tokens come from
    allow_missing boolean not null default false,  -- whether whole documents count for a run that left texts of them open
    seed bigint not null check (seed between 0 and 4294967295),  -- of the draws
    replicates bigint not null check (replicates > 0),  -- how many bootstrap replicates
)
