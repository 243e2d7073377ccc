-- Spans with the stretches of the same text that share a character with them, as other_start and other_end, and what
-- else is known of both. Takes names of relations, each with row_key, start_char and end_char. Both are looked up by
-- tiles of 256 characters, so that the time grows with the length of a text and not with its square; a pair is found
-- in the tile where the two begin to overlap.
create or replace macro overlapping(spans, others) as table
with
    span_tiles as (
        select *, unnest(range(start_char >> 8, ((end_char - 1) >> 8) + 1)) as tile
        from query_table(spans)
    ),
    other_tiles as (
        select
            * rename (start_char as other_start, end_char as other_end),
            unnest(range(start_char >> 8, ((end_char - 1) >> 8) + 1)) as tile
        from query_table(others)
    )

select spans.* exclude (tile), others.* exclude (row_key, tile)
from span_tiles as spans
inner join
    other_tiles as others
    on spans.row_key = others.row_key
    and spans.tile = others.tile
    and spans.start_char < others.other_end
    and spans.end_char > others.other_start
where spans.tile = greatest(spans.start_char, others.other_start) >> 8
;
