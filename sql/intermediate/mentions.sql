-- A mention of an entity, as one annotator judged it, with what the judgements make of the entity: it needs masking
-- if a mention of it does, and is a direct identifier if a mention is; its label is the one that most of its mentions
-- have, of several the first in the alphabet. Mentions that differ in their judgement alone are one, with the
-- strongest. A mention without an entity is one of its own.
-- By compat rules the first mention in the file says whether the entity is direct and what its label is, every
-- mention of an entity that needs masking counts, and the same mention twice is two.
-- Grain: (mention_key).
with
    spans as (
        select
            rows.row_key,
            rows.doc_key,
            rows.passage_start,
            coalesce(spans.annotator, '') as annotator,
            spans.entity_id,
            spans.start_char,
            spans.end_char,
            spans.source_label as label,
            any_value(spans.surface) as surface,
            min(spans.span_id) as span_id,
            bool_or(spans.identifier_type = 'DIRECT') as is_direct,
            bool_or(spans.identifier_type != 'NO_MASK') as is_to_mask
        from contracts.gold_spans as spans
        inner join intermediate.tab_rows as rows on spans.row_id = rows.row_id
        cross join staging.settings as settings
        where spans.identifier_type is not null
        group by
            rows.row_key,
            rows.doc_key,
            rows.passage_start,
            coalesce(spans.annotator, ''),
            spans.entity_id,
            spans.start_char,
            spans.end_char,
            spans.source_label,
            if(settings.tab_rules = 'compat', spans.span_id, 0)
    ),
    alone as (
        select *, if(entity_id is null, row_key, 0) as own_row, if(entity_id is null, span_id, 0) as own from spans
    ),
    numbered as (
        select
            *,
            row_number() over (order by doc_key, passage_start, row_key, span_id) as mention_key,
            dense_rank() over (order by doc_key, annotator, entity_id, own_row, own) as entity_key
        from alone
    ),
    label_counts as (
        select
            entity_key,
            label,
            count(*) as n_mentions,
            bool_or(is_direct) as is_direct,
            bool_or(is_to_mask) as needs_masking,
            min(mention_key) as first_key,
            arg_min(is_direct, mention_key) as is_first_direct
        from numbered
        group by entity_key, label
    ),
    entities as (
        select
            counts.entity_key,
            bool_or(counts.needs_masking) as needs_masking,
            case
                any_value(settings.tab_rules)
                when 'compat'
                then arg_min(counts.is_first_direct, counts.first_key)
                else bool_or(counts.is_direct)
            end as is_direct,
            case
                any_value(settings.tab_rules)
                when 'compat'
                then arg_min(counts.label, counts.first_key)
                else first(counts.label order by counts.n_mentions desc, counts.label)
            end as label
        from label_counts as counts
        cross join staging.settings as settings
        group by counts.entity_key
    )

select
    mentions.mention_key::bigint as mention_key,  -- place among them in the order of their file, from 1
    mentions.row_key,  -- the text
    mentions.doc_key,  -- the document
    mentions.annotator,  -- who judged it; empty where nobody is named
    mentions.entity_key::bigint as entity_key,  -- the entity, of that annotator in that document
    mentions.start_char,  -- first code point
    mentions.end_char,  -- behind the last
    mentions.surface,  -- its text; may be personal data
    entities.label,  -- what the corpus calls the entity
    entities.is_direct,  -- whether the entity is a direct identifier
    mentions.is_to_mask,  -- whether this mention was judged DIRECT or QUASI
    mentions.is_to_mask or (entities.needs_masking and settings.tab_rules = 'compat') as is_counted  -- whether recall counts it
from numbered as mentions
inner join entities on mentions.entity_key = entities.entity_key
cross join staging.settings as settings
