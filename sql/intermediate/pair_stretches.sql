-- A stretch of a pair's passage in which every character is alike: personal data that is on the wire. A character is
-- found in the carrier where any of its wire characters is marked.
-- Grain: (run_key, row_key, passage_start).
with
    gold as (
        select pairs.run_key, pairs.row_key, marks.mask, marks.start_char, marks.end_char
        from intermediate.pairs as pairs
        inner join intermediate.marks as marks on pairs.prose_key = marks.row_key
        where marks.run_key = 0 and marks.layer = 'scored'
    ),
    found as (select run_key, row_key, start_char, end_char from intermediate.marks where layer = 'flag' and mask = 16),
    found_in_prose as (
        select pairs.run_key, pairs.row_key, found.start_char, found.end_char
        from intermediate.pairs as pairs
        inner join found on pairs.run_key = found.run_key and pairs.prose_key = found.row_key
    ),
    found_on_wire as (
        select pairs.run_key, pairs.row_key, pairs.row_key as row_id, found.start_char, found.end_char
        from intermediate.pairs as pairs
        inner join found on pairs.run_key = found.run_key and pairs.row_key = found.row_key
    ),
    wire_pieces as (
        select
            row_key as row_id,
            wire_start as start_char,
            wire_end as end_char,
            passage_start as other_start,
            passage_end as other_end,
            is_copied
        from intermediate.pieces
        where row_key in (select pairs.row_key from intermediate.pairs as pairs)
    ),
    found_in_carrier as (
        select run_key, row_key, other_start as start_char, other_end as end_char
        from moved('found_on_wire', 'wire_pieces')
        where other_end is not null
    ),
    on_wire as (
        select pairs.run_key, pairs.row_key, pieces.passage_start as start_char, pieces.passage_end as end_char
        from intermediate.pairs as pairs
        inner join intermediate.pieces as pieces on pairs.row_key = pieces.row_key
    ),
    layers as (
        select
            run_key,
            row_key,
            start_char,
            end_char,
            mask as gold_step,
            0 as prose_step,
            0 as carrier_step,
            0 as wire_step
        from gold
        union all
        select run_key, row_key, start_char, end_char, 0, 1, 0, 0
        from found_in_prose
        union all
        select run_key, row_key, start_char, end_char, 0, 0, 1, 0
        from found_in_carrier
        union all
        select run_key, row_key, start_char, end_char, 0, 0, 0, 1
        from on_wire
    ),
    ends as (
        select run_key, row_key, start_char as at_char, gold_step, prose_step, carrier_step, wire_step
        from layers
        union all
        select run_key, row_key, end_char, - gold_step, - prose_step, - carrier_step, - wire_step
        from layers
    ),
    stretches as (
        select
            run_key,
            row_key,
            at_char as passage_start,
            lead(at_char) over along as passage_end,
            sum(gold_step) over along::bigint as gold_types,
            sum(prose_step) over along as n_in_prose,
            sum(carrier_step) over along as n_in_carrier,
            sum(wire_step) over along as n_on_wire
        from ends
        window along as (partition by run_key, row_key order by at_char)
    )

select
    run_key,  -- the run
    row_key,  -- the text in the carrier
    passage_start,  -- first code point in the passage
    passage_end,  -- behind the last
    n_in_prose > 0 as is_in_prose,  -- whether the run marked it in prose
    n_in_carrier > 0 as is_in_carrier,  -- whether the run marked it in the carrier
    gold_types  -- bit mask of the taxonomy: types of the scored spans here
from stretches
where gold_types > 0 and n_on_wire > 0 and passage_end > passage_start
