-- What one scoring is asked for.
-- Grain: one row.
create table contracts.settings (
    design varchar,  -- the design whose rows count; null for all rows
    pairs_design varchar,  -- the design whose rows make pairs of prose and carrier; null for all rows
    seed bigint not null check (seed between 0 and 4294967295),  -- of the draws
    replicates bigint not null check (replicates > 0),  -- how many bootstrap replicates
)
