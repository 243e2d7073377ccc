-- A value of a carrier: from its first wire character to its last, whether there is anything in it, and whether a run
-- marked any of it.
-- Grain: (run_key, row_key, value_index).
with
    fields as (
        select
            rows.row_key,
            alignments.value_index,
            min(alignments.wire_start) as wire_start,
            max(alignments.wire_end) as wire_end
        from contracts.alignments as alignments
        inner join staging.all_rows as rows on alignments.row_id = rows.row_id
        where alignments.value_index is not null
        group by rows.row_key, alignments.value_index
    ),
    truths as (
        select
            fields.row_key,
            fields.value_index,
            coalesce(bool_or(marks.mask = 1), false) as has_gold,
            coalesce(bool_or(marks.mask = 2), false) as has_excluded
        from fields
        inner join
            intermediate.marks as marks
            on fields.row_key = marks.row_key
            and fields.wire_start < marks.end_char
            and fields.wire_end > marks.start_char
        where fields.wire_start < fields.wire_end and marks.layer = 'flag' and marks.mask in (1, 2)
        group by fields.row_key, fields.value_index
    ),
    flags as (
        select distinct marks.run_key, fields.row_key, fields.value_index
        from fields
        inner join
            intermediate.marks as marks
            on fields.row_key = marks.row_key
            and fields.wire_start < marks.end_char
            and fields.wire_end > marks.start_char
        where fields.wire_start < fields.wire_end and marks.layer = 'flag' and marks.mask = 16
    ),
    verdicts as (
        select
            asked.run_key,
            fields.*,
            coalesce(truths.has_gold, false) as has_gold,
            coalesce(truths.has_excluded, false) as has_excluded,
            flags.run_key is not null as is_flagged
        from fields
        inner join intermediate.asked_rows as asked on fields.row_key = asked.row_key
        left join truths on fields.row_key = truths.row_key and fields.value_index = truths.value_index
        left join
            flags
            on asked.run_key = flags.run_key
            and fields.row_key = flags.row_key
            and fields.value_index = flags.value_index
    )

select
    run_key,  -- the run
    row_key,  -- the text
    value_index,  -- which value of the carrier
    wire_start,  -- its first code point in the text
    wire_end,  -- behind its last
    has_gold,  -- whether any of it is inside a gold span of a scored type
    has_excluded,  -- whether any of it is inside an identifier with a fixed format
    is_flagged,  -- whether the run marked any of it
    case
        when has_gold then if(is_flagged, 'tp', 'fn') when has_excluded then 'excluded' else if(is_flagged, 'fp', 'tn')
    end as verdict  -- tp, fp, fn, tn, or excluded where it holds identifiers alone
from verdicts
