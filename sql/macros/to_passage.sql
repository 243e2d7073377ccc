-- The spans of a relation (row_id, start_char, end_char: offsets on the wire) with the span of the passage that each
-- touches, an escaped character whole, as passage_start and passage_end; null where it touches only scaffold.
create or replace macro to_passage(spans) as table
with
    spans_given as (select * from query_table(spans)),
    wire_pieces as (
        select
            row_id,
            wire_start as start_char,
            wire_end as end_char,
            passage_start as other_start,
            passage_end as other_end,
            is_copied
        from pieces('spans_given')
    )

select * rename (other_start as passage_start, other_end as passage_end)
from moved('spans_given', 'wire_pieces')
;
