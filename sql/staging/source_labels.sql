-- What becomes of a label of a source, and how often it is used: in the whole source where a build has read it, else
-- in the rows that are there, which say of their spans themselves whether they are scored or excluded. Mentions that
-- were judged to need no masking (NO_MASK) are ignored, as in every score.
-- Grain: (source, corpus, source_label, role).
with
    built as (select distinct corpus from contracts.source_labels),
    texts as (select row_id, source, corpus from contracts.rows where corpus not in (select built.corpus from built)),
    counted as (
        select source, corpus, source_label, null::varchar as given_role, is_no_mask, is_allowed, n_spans
        from contracts.source_labels
        union all
        select
            texts.source,
            texts.corpus,
            spans.source_label,
            spans.role,
            coalesce(spans.identifier_type = 'NO_MASK', false),
            false,
            count(*)
        from contracts.gold_spans as spans
        inner join texts on spans.row_id = texts.row_id
        group by all
    ),
    mapped as (
        select
            counted.*,
            coalesce(own.type, shared.type, if(counted.given_role is null, null, usual.type)) as mapped_type,
            coalesce(own.reason, shared.reason) as reason
        from counted
        left join staging.label_map as own on counted.corpus = own.namespace and counted.source_label = own.source_label
        left join staging.label_map as shared on shared.namespace = '*' and counted.source_label = shared.source_label
        left join staging.label_map as usual on usual.namespace = 'usual' and counted.source_label = usual.source_label
    ),
    judged as (
        select
            mapped.*,
            coalesce(taxonomy.type, mapped.source_label) as label,
            coalesce(
                mapped.given_role, if(mapped.mapped_type is null, 'unknown', coalesce(taxonomy.role, 'ignored'))
            ) as role
        from mapped
        left join staging.taxonomy as taxonomy on mapped.mapped_type = taxonomy.type
    ),
    counting as (
        select
            *,
            is_no_mask
            and role in ('scored', 'excluded')
            and given_role is distinct from 'excluded' as is_ignored_by_judgement
        from judged
    )

select
    source,  -- the source
    corpus,  -- its corpus
    source_label,  -- what it calls something
    sum(n_spans)::bigint as n_spans,  -- spans of that label
    any_value(mapped_type) as type,  -- our type, `ignored`, or null where the map does not name the label
    any_value(label) as label,  -- our type, or what the source calls it where there is none
    if(is_ignored_by_judgement, 'ignored', role) as role,  -- scored, excluded, ignored or unknown
    any_value(if(is_ignored_by_judgement, 'judged to need no masking (NO_MASK)', reason)) as reason,  -- why, where the map or a judgement says it
    bool_or(role in ('scored', 'excluded')) as is_in_scope,  -- whether the type of the label is one that can be found
    bool_and(is_allowed) as is_allowed  -- whether the build was allowed to ignore it, though no map names it
from counting
group by source, corpus, source_label, if(is_ignored_by_judgement, 'ignored', role)
