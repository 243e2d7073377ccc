-- What a run found in prose and lost in a carrier: ids and offsets of the longest stretches, no text.
-- Parameters: run; carrier, or null for all: any carrier of a pair.
-- Grain: (row_id, passage_start).
with
    lost as (
        select
            rows.row_id,
            prose_rows.row_id as prose_row_id,
            rows.carrier,
            stretches.passage_start,
            stretches.passage_end,
            stretches.gold_types,
            lag(stretches.passage_end) over (partition by rows.row_id order by stretches.passage_start) as previous_end
        from intermediate.pair_stretches as stretches
        inner join
            intermediate.pairs as pairs on stretches.run_key = pairs.run_key and stretches.row_key = pairs.row_key
        inner join staging.runs as runs on stretches.run_key = runs.run_key
        inner join staging.all_rows as rows on pairs.row_key = rows.row_key
        inner join staging.all_rows as prose_rows on pairs.prose_key = prose_rows.row_key
        where
            runs.run_id = $run
            and ($carrier is null or rows.carrier = $carrier)
            and stretches.is_in_prose
            and not stretches.is_in_carrier
    ),
    numbered as (
        select
            *,
            count(*) filter (where previous_end is null or previous_end < passage_start) over (
                partition by row_id order by passage_start
            ) as island
        from lost
    ),
    islands as (
        select
            row_id,
            any_value(prose_row_id) as prose_row_id,
            any_value(carrier) as carrier,
            min(passage_start) as start_char,
            max(passage_end) as end_char,
            bit_or(gold_types) as gold_types
        from numbered
        group by row_id, island
    ),
    typed as (
        select islands.row_id, islands.start_char, list(taxonomy.type order by taxonomy.type) as types
        from islands
        inner join staging.taxonomy as taxonomy on (islands.gold_types >> taxonomy.bit) & 1 = 1
        group by islands.row_id, islands.start_char
    )

select
    places.row_id,  -- the text in the carrier
    places.prose_row_id,  -- the same passage in prose
    places.carrier,  -- the carrier
    places.start_char as passage_start,  -- first code point in the passage, which is the text in prose
    places.end_char as passage_end,  -- behind the last
    places.wire_start as start_char,  -- first code point in the carrier's text; null where all was lost
    places.wire_end as end_char,  -- behind the last
    typed.types  -- types of the gold in it
from to_wire('islands') as places
inner join typed on places.row_id = typed.row_id and places.start_char = typed.start_char
order by places.row_id, places.start_char
