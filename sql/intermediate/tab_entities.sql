-- An entity that needs masking, and whether a run masks it: every mention of it that is to be masked.
-- Grain: (run_key, entity_key).
with
    asked as (select distinct run_key, doc_key from intermediate.tab_asked),
    mentions as (
        select distinct entity_key, doc_key, is_direct, row_key, start_char, end_char, label
        from intermediate.mentions
        where is_to_mask
    ),
    entities as (
        select entity_key, doc_key, is_direct, count(*) as n_mentions
        from mentions
        group by entity_key, doc_key, is_direct
    ),
    found as (
        select covered.run_key, mentions.entity_key, 1 as n_covered, 0 as n_exact
        from intermediate.covered as covered
        inner join intermediate.covers as covers on covered.cover_key = covers.cover_key
        inner join
            mentions
            on covers.row_key = mentions.row_key
            and covers.start_char = mentions.start_char
            and covers.end_char = mentions.end_char
            and covers.label = mentions.label
            and covers.is_direct = mentions.is_direct
        union all
        select masks.run_key, mentions.entity_key, 0, 1
        from intermediate.masks as masks
        inner join
            mentions
            on masks.row_key = mentions.row_key
            and masks.start_char = mentions.start_char
            and masks.end_char = mentions.end_char
        where masks.is_given
    ),
    counts as (
        select run_key, entity_key, sum(n_covered) as n_covered, sum(n_exact) as n_exact
        from found
        group by run_key, entity_key
    )

select
    asked.run_key,  -- the run
    entities.entity_key,  -- the entity, of one annotator
    entities.doc_key,  -- the document
    entities.is_direct,  -- a direct identifier; quasi otherwise
    coalesce(counts.n_covered, 0) = entities.n_mentions as is_covered,  -- whether each of its mentions is covered
    coalesce(counts.n_exact, 0) = entities.n_mentions as is_exact  -- whether each was predicted with its start and end
from asked
inner join entities on asked.doc_key = entities.doc_key
left join counts on asked.run_key = counts.run_key and entities.entity_key = counts.entity_key
