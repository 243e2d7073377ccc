-- An annotated span of a text that is counted, with its type and its role. A mention that the annotator judged to need
-- no masking (NO_MASK) is ignored whatever its type, also where a rows file lists it among the scored; for the rest a
-- role that a rows file gives wins over the label map, and what labels usually mean (namespace `usual`) is asked for
-- such spans alone.
-- Grain: (row_key, start_char, end_char, source_label, annotator, entity_id, role).
with
    spans as (
        select distinct
            rows.row_key,
            rows.corpus,
            spans.start_char,
            spans.end_char,
            spans.source_label,
            spans.annotator,
            spans.entity_id,
            spans.identifier_type,
            spans.role
        from contracts.gold_spans as spans
        inner join staging.all_rows as rows on spans.row_id = rows.row_id
    ),
    mapped as (
        select
            spans.*,
            coalesce(own.type, shared.type) as mapped_type,
            coalesce(own.type, shared.type, if(spans.role is null, null, usual.type)) as known_type
        from spans
        left join staging.label_map as own on spans.corpus = own.namespace and spans.source_label = own.source_label
        left join staging.label_map as shared on shared.namespace = '*' and spans.source_label = shared.source_label
        left join staging.label_map as usual on usual.namespace = 'usual' and spans.source_label = usual.source_label
    )

select
    mapped.row_key,  -- the text
    mapped.start_char,  -- first code point
    mapped.end_char,  -- behind the last
    mapped.source_label,  -- what the corpus calls it
    coalesce(taxonomy.type, 'OTHER') as type,  -- our type, OTHER where the map names none
    coalesce(known.type, mapped.source_label) as label,  -- our type, or what the corpus calls it where there is none
    case
        when mapped.identifier_type = 'NO_MASK' and mapped.role is distinct from 'excluded'
        then 'ignored'
        else coalesce(mapped.role, taxonomy.role, 'ignored')
    end as role,  -- scored, excluded or ignored
    coalesce(known.severity, 'low') as severity,  -- of the type: high, medium or low
    mapped.role is not null or mapped.mapped_type is not null as is_mapped,  -- whether the rows file or the map says what it is
    mapped.entity_id,  -- the entity it mentions
    mapped.identifier_type,  -- DIRECT, QUASI or NO_MASK
    mapped.annotator  -- who marked it
from mapped
left join staging.taxonomy as taxonomy on mapped.mapped_type = taxonomy.type
left join staging.taxonomy as known on mapped.known_type = known.type
