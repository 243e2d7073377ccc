-- A gold span of a whole document and an entity that it mentions. An entity is what an annotator gave one id, among the
-- scored spans or among the excluded ones of a document; a span without an id is an entity of its own, the same
-- stretch once.
-- Grain: (gold_key, entity_key).
with
    mentions as (
        select distinct
            documents.doc_key,
            spans.role = 'scored' as is_scored,
            if(spans.entity_id is null, null, spans.annotator) as annotator,
            spans.entity_id,
            if(spans.entity_id is null, spans.row_key, null) as own_row,
            if(spans.entity_id is null, spans.start_char, null) as own_start,
            if(spans.entity_id is null, spans.end_char, null) as own_end,
            gold.gold_key
        from staging.gold_spans as spans
        inner join staging.all_rows as rows on spans.row_key = rows.row_key
        inner join
            intermediate.documents as documents on rows.corpus = documents.corpus and rows.doc_id = documents.doc_id
        inner join
            intermediate.typed_gold as gold
            on spans.row_key = gold.row_key
            and spans.start_char = gold.start_char
            and spans.end_char = gold.end_char
            and spans.label = gold.label
        where rows.is_of_document and spans.role in ('scored', 'excluded')
    )

select
    gold_key,  -- the span, of `typed_gold`
    dense_rank() over (order by doc_key, is_scored, entity_id, annotator, own_row, own_start, own_end)::bigint
    as entity_key,  -- the entity, from 1
    doc_key,  -- its document
    is_scored  -- whether of scored spans; of excluded ones otherwise
from mentions
