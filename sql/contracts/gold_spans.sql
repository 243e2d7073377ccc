-- An annotated span of a row.
-- Grain: (row_id, span_id).
create table contracts.gold_spans (
    row_id varchar not null,  -- the text
    span_id bigint not null,  -- position of the span in its row, from 0
    start_char bigint not null check (start_char >= 0),  -- first code point
    end_char bigint not null check (end_char > start_char),  -- behind the last code point
    surface varchar not null,  -- the characters between them, as Python sliced them; may be personal data
    source_label varchar not null,  -- what the corpus calls it
    role varchar check (role in ('scored', 'excluded')),  -- what a rows file says of the span; null where the label map decides
    entity_id varchar,  -- the entity in its document that the span mentions
    identifier_type varchar check (identifier_type in ('DIRECT', 'QUASI', 'NO_MASK')),  -- TAB's judgement, where there is one
    annotator varchar,  -- who marked it, where a document has several
)
