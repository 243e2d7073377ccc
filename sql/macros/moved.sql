-- Spans with the span of the other side that each touches, as other_start and other_end; null where it touches none of
-- the pieces. A piece that is copied is cut where the span cuts it; any other is touched as a whole.
-- Takes names of relations: `spans` has row_id, start_char and end_char; `pieces` has those, other_start, other_end and
-- is_copied, in the same order on both sides and nowhere overlapping.
create or replace macro moved(spans, pieces) as table
with
    given_spans as (select * from query_table(spans)),
    given_pieces as (
        select *, row_number() over (partition by row_id order by start_char, end_char) as place
        from query_table(pieces)
    ),
    ends as (
        select row_id, end_char as at_char, 1 as n_ended, 0 as n_begun
        from given_pieces
        union all
        select row_id, start_char + 1, 0, 1
        from given_pieces
        union all
        select row_id, start_char, 0, 0
        from given_spans
        union all
        select row_id, end_char, 0, 0
        from given_spans
    ),
    cuts as (
        select row_id, at_char, sum(n_ended)::bigint as n_ended, sum(n_begun)::bigint as n_begun
        from ends
        group by row_id, at_char
    ),
    counts as (
        select row_id, at_char, sum(n_ended) over so_far::bigint as n_ended, sum(n_begun) over so_far::bigint as n_begun
        from cuts
        window so_far as (partition by row_id order by at_char rows unbounded preceding)
    )

select
    spans.*,
    case
        when spans.start_char < spans.end_char and first_pieces.place <= last_pieces.place
        then
            first_pieces.other_start
            + if(first_pieces.is_copied, greatest(0, spans.start_char - first_pieces.start_char), 0)
    end as other_start,
    case
        when spans.start_char < spans.end_char and first_pieces.place <= last_pieces.place
        then last_pieces.other_end - if(last_pieces.is_copied, greatest(0, last_pieces.end_char - spans.end_char), 0)
    end as other_end
from given_spans as spans
inner join counts as until_start on spans.row_id = until_start.row_id and spans.start_char = until_start.at_char
inner join counts as until_end on spans.row_id = until_end.row_id and spans.end_char = until_end.at_char
left join
    given_pieces as first_pieces
    on spans.row_id = first_pieces.row_id
    and until_start.n_ended + 1 = first_pieces.place
left join
    given_pieces as last_pieces
    on spans.row_id = last_pieces.row_id
    and until_end.n_begun = last_pieces.place
;
