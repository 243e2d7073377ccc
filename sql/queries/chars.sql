-- The characters of a text one by one, for looking: what gold says of each, what a run says, and how it counts.
-- Counts are made of stretches, never of this.
-- Parameters: run; row; start_char, or null for the beginning; end_char, or null for the end.
-- Grain: (row_id, start_char).
with
    stretches as (
        select
            *,
            list_transform(
                list_filter(
                    (select list(struct_pack(type, bit) order by type) from staging.taxonomy),
                    lambda one: (gold_types >> one.bit) & 1 = 1
                ),
                lambda one:one.type
            ) as gold_names,
            list_transform(
                list_filter(
                    (select list(struct_pack(type, bit) order by type) from staging.taxonomy),
                    lambda one: (pred_types >> one.bit) & 1 = 1
                ),
                lambda one:one.type
            ) as pred_names
        from intermediate.char_intervals
        where run_id = $run and row_id = $row
    ),
    places as (select *, unnest(range(start_char, end_char)) as place from stretches)

select
    row_id,  -- the text
    place as start_char,  -- the character, from 0
    place + 1 as end_char,  -- behind it
    case
        when is_gold
        then if(is_pred, 'tp', 'fn')
        when is_excluded
        then 'excluded'
        when is_lookalike
        then 'lookalike'
        else if(is_pred, 'fp', 'tn')
    end as counts_as,  -- tp, fp, fn, tn; excluded or lookalike where it counts for nobody
    is_pred,  -- inside a predicted span
    gold_names as gold_types,  -- types of the scored gold here
    pred_names as pred_types,  -- types of the predicted spans here, as far as the label map knows them
    is_scaffold  -- the carrier's syntax and keys; null where the text has no alignment
from places
where ($start_char is null or place >= $start_char::bigint) and ($end_char is null or place < $end_char::bigint)
order by place
