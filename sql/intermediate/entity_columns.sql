-- What the bootstrap of entities adds up: the cells of one run, slice and kind of pair. Neighbours are mostly found in
-- the same units: the frequent slices come first, and the runs of a slice lie together.
-- Grain: (lane_block, lane).
with
    frequencies as (
        select slice_key, is_same_label, count(*) as n_cells
        from intermediate.entity_cells
        group by slice_key, is_same_label
    ),
    found as (select distinct run_key, slice_key, is_same_label from intermediate.entity_cells),
    numbered as (
        select
            found.*,
            row_number() over (order by frequencies.n_cells desc, found.slice_key, found.is_same_label, found.run_key)
            - 1 as column_key
        from found
        inner join
            frequencies on found.slice_key = frequencies.slice_key and found.is_same_label = frequencies.is_same_label
    )

select
    quotient(column_key, 8)::integer as lane_block,  -- the eight columns that it lies with
    (column_key % 8)::integer as lane,  -- its place among them, from 0
    run_key,  -- the run
    slice_key,  -- the carrier or the label
    is_same_label  -- whether of the pairs those of the same label, or of another
from numbered
