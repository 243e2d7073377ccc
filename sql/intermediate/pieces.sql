-- A stretch of the wire of a text that is counted, and the stretch of the passage that it stands for, by keys alone.
-- Grain: (row_key, wire_start).
with texts as (select row_key, row_id from staging.all_rows)

select
    texts.row_key,  -- the text
    pieces.wire_start,  -- first code point in the text
    pieces.wire_end,  -- behind the last
    pieces.passage_start,  -- first code point in the passage
    pieces.passage_end,  -- behind the last
    pieces.is_copied  -- whether both are the same characters; else they stand for each other as a whole
from pieces('texts') as pieces
inner join texts on pieces.row_id = texts.row_id
