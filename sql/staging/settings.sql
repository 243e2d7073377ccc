-- What this scoring is asked for.
-- Grain: one row.
select
    design,  -- the design whose rows count; null for all rows
    pairs_design,  -- the design whose texts make pairs of prose and carrier; null for all
    documents_design,  -- the design that holds documents whole; null for the rows that count
    document_limit,  -- typed scores: so many documents of each slice; null for all
    tab_rules,  -- corrected, or compat: as the published script of TAB
    weights,  -- unigram, uniform or table
    allow_missing,  -- whether whole documents count for a run that left texts of them open
    seed,  -- of the draws
    replicates  -- how many bootstrap replicates
from contracts.settings
