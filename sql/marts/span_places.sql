-- Each gold and predicted span of the texts that are counted, on the wire and in the passage. No text.
-- Grain: (run_id, row_id, wire_start, wire_end, source_label, role, annotator, entity_id).
with
    spans as (
        select
            null as run_id,
            rows.row_id,
            spans.start_char,
            spans.end_char,
            spans.source_label,
            spans.type,
            spans.role,
            spans.annotator,
            spans.entity_id
        from staging.gold_spans as spans
        inner join staging.all_rows as rows on spans.row_key = rows.row_key
        union all
        select
            runs.run_id, rows.row_id, spans.start_char, spans.end_char, spans.source_label, spans.type, null, null, null
        from staging.pred_spans as spans
        inner join staging.runs as runs on spans.run_key = runs.run_key
        inner join staging.all_rows as rows on spans.row_key = rows.row_key
    )

select
    places.run_id,  -- the run that predicted it; null for gold
    places.row_id,  -- the text
    rows.corpus,  -- the stratum
    rows.passage_id,  -- the text before wrapping
    rows.carrier,  -- what the passage is wrapped in
    places.start_char as wire_start,  -- first code point in the text
    places.end_char as wire_end,  -- behind the last
    places.passage_start,  -- first code point in the passage; null where the span touches scaffold alone, or the carrier tells nothing
    places.passage_end,  -- behind the last
    places.source_label,  -- what the corpus or the detector calls it
    places.type,  -- our type
    places.role,  -- of gold: scored, excluded or ignored
    places.annotator,  -- of gold: who marked it
    places.entity_id  -- of gold: the entity it mentions
from to_passage('spans') as places
inner join staging.all_rows as rows on places.row_id = rows.row_id
