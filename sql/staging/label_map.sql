-- What a source label means.
-- Grain: (namespace, source_label).
select
    namespace,  -- a corpus, a run's label namespace, or * for all that name none of their own
    source_label,  -- what it is called there
    type,  -- a type of the taxonomy, or `ignored`
    reason  -- why
from contracts.label_map
