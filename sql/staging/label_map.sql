-- What a source label means.
-- Grain: (namespace, source_label).
select
    namespace,  -- a corpus, a run's label namespace, * for all, or `usual` for labels whose maker is not known
    source_label,  -- what it is called there
    type,  -- a type of the taxonomy, or `ignored`
    reason  -- why
from contracts.label_map
