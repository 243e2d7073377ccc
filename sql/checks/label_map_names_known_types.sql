-- Each type of the label map is one of the taxonomy or `ignored`, and whatever is ignored has a reason.
select labels.namespace, labels.source_label
from contracts.label_map as labels
left join contracts.taxonomy as taxonomy on labels.type = taxonomy.type
where
    (taxonomy.type is null and labels.type != 'ignored')
    or (labels.type = 'ignored' and coalesce(labels.reason, '') = '')
