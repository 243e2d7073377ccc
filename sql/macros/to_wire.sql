-- The spans of a relation (row_id, start_char, end_char: offsets in the passage) with the span of the wire from the
-- first character to the end of the last, as wire_start and wire_end; null where all was lost.
create or replace macro to_wire(spans) as table
with
    spans_given as (select * from query_table(spans)),
    passage_pieces as (
        select
            row_id,
            passage_start as start_char,
            passage_end as end_char,
            wire_start as other_start,
            wire_end as other_end,
            is_copied
        from pieces('spans_given')
    )

select * rename (other_start as wire_start, other_end as wire_end)
from moved('spans_given', 'passage_pieces')
;
