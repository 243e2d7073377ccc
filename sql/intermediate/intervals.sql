-- A stretch of a row in which every character is alike, by keys alone: `char_intervals` has the same with names. The
-- row is cut wherever anything begins or ends.
-- Grain: (run_key, row_key, start_char).
with
    texts as (
        select
            asked.run_key,
            rows.row_key,
            rows.n_chars,
            rows.row_id in (select alignments.row_id from contracts.alignments as alignments) as has_alignment
        from intermediate.asked_rows as asked
        inner join staging.all_rows as rows on asked.row_key = rows.row_key
    ),
    marks as (
        select asked.run_key, marks.row_key, marks.layer, marks.mask, marks.start_char, marks.end_char
        from intermediate.marks as marks
        inner join
            intermediate.asked_rows as asked
            on marks.row_key = asked.row_key
            and (marks.run_key = 0 or marks.run_key = asked.run_key)
    ),
    ends as (
        select run_key, row_key, layer, start_char as at_char, mask as step
        from marks
        union all
        select run_key, row_key, layer, end_char, - mask
        from marks
        union all
        select run_key, row_key, 'flag', 0, 0
        from texts
        union all
        select run_key, row_key, 'flag', n_chars, 0
        from texts
    ),
    cuts as (
        select
            run_key,
            row_key,
            at_char,
            coalesce(sum(step) filter (where layer = 'flag'), 0)::bigint as flag_step,
            coalesce(sum(step) filter (where layer = 'scored'), 0)::bigint as scored_step,
            coalesce(sum(step) filter (where layer = 'excluded'), 0)::bigint as excluded_step,
            coalesce(sum(step) filter (where layer = 'pred'), 0)::bigint as pred_step
        from ends
        group by run_key, row_key, at_char
    ),
    intervals as (
        select
            run_key,
            row_key,
            at_char as start_char,
            lead(at_char) over following as end_char,
            sum(flag_step) over so_far::bigint as flags,
            sum(scored_step) over so_far::bigint as gold_types,
            sum(excluded_step) over so_far::bigint as excluded_types,
            sum(pred_step) over so_far::bigint as pred_types
        from cuts
        window
            following as (partition by run_key, row_key order by at_char),
            so_far as (partition by run_key, row_key order by at_char rows unbounded preceding)
    )

select
    texts.run_key,  -- the run
    texts.row_key,  -- the text
    intervals.start_char,  -- first code point
    intervals.end_char,  -- behind the last
    intervals.flags & 1 > 0 as is_gold,  -- inside a gold span of a scored type
    intervals.flags & 16 > 0 as is_pred,  -- inside a predicted span, whatever its label
    intervals.flags & 2 > 0 as is_excluded,  -- inside an identifier with a fixed format
    case when texts.has_alignment then intervals.flags & 12 = 0 end as is_scaffold,  -- the carrier's syntax and keys; null where the row has no alignment
    intervals.flags & 4 > 0 as is_lookalike,  -- scaffold that looks like PII without being anybody's
    intervals.gold_types,  -- bit mask of the taxonomy: types of the scored spans here
    intervals.excluded_types,  -- the same of the excluded spans
    intervals.pred_types  -- the same of the predicted spans, as far as the label map knows them
from intervals
inner join texts on intervals.run_key = texts.run_key and intervals.row_key = texts.row_key
where intervals.end_char is not null
