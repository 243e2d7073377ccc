-- What the label map does to each label of a source.
-- Grain: (source, source_label).
select
    labels.source,  -- the source
    labels.corpus,  -- its corpus
    labels.source_label,  -- what it calls something
    labels.n_spans,  -- spans of that label in the whole source
    coalesce(own.type, shared.type) as type,  -- our type, `ignored`, or null where the map does not name the label
    case
        when own.type is null and shared.type is null then 'unknown' else coalesce(taxonomy.role, 'ignored')
    end as role,  -- scored, excluded, ignored or unknown
    coalesce(own.reason, shared.reason) as reason  -- why, where the map says it
from contracts.source_labels as labels
left join staging.label_map as own on labels.corpus = own.namespace and labels.source_label = own.source_label
left join staging.label_map as shared on shared.namespace = '*' and labels.source_label = shared.source_label
left join staging.taxonomy as taxonomy on coalesce(own.type, shared.type) = taxonomy.type
