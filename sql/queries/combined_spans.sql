-- What two runs mark together on the texts that both answered, under our types: people deploy rules and a model at
-- once.
-- A union is all that either marks; an intersection what both mark, under the label of the first; a_then_b all of the
-- first, and of the second what the first left. Nothing that a rule keeps is lost: what is cut is cut at borders.
-- Parameters: run_a; run_b; rule: union, intersection or a_then_b.
-- Grain: (row_id, start_char, end_char, label).
with
    labelled as (
        select
            if(runs.run_id = $run_a, 'a', 'b') as side,
            spans.row_key,
            spans.start_char,
            spans.end_char,
            spans.label,
            spans.score,
            coalesce(spans.type = 'ignored', false) as is_ignored
        from staging.pred_spans as spans
        inner join staging.runs as runs on spans.run_key = runs.run_key
        where runs.run_id in ($run_a, $run_b)
    ),
    answered as (
        select rows.row_key, rows.row_id, rows.n_chars
        from staging.all_rows as rows
        inner join contracts.run_rows as answers_a on rows.row_id = answers_a.row_id and answers_a.run_id = $run_a
        inner join contracts.run_rows as answers_b on rows.row_id = answers_b.row_id and answers_b.run_id = $run_b
        where answers_a.status <> 'error' and answers_b.status <> 'error'
    ),
    spans as (select labelled.* from labelled inner join answered on labelled.row_key = answered.row_key),
    spans_a as (select * from spans where side = 'a'),
    spans_b as (select * from spans where side = 'b'),
    -- An empty stretch at the beginning of each text stands for what lies before the first span.
    covered_a as (
        select row_key, 0::bigint as start_char, 0::bigint as end_char
        from answered
        union all
        select row_key, start_char, end_char
        from spans_a
    ),
    reached_a as (
        select
            row_key,
            start_char,
            max(end_char) over (
                partition by row_key order by start_char, end_char rows between unbounded preceding and current row
            ) as end_char
        from covered_a
    ),
    ends_a as (select row_key, start_char, max(end_char) as end_char from reached_a group by row_key, start_char),
    gaps_a as (
        select
            ends_a.row_key,
            ends_a.end_char as start_char,
            coalesce(
                lead(ends_a.start_char) over (partition by ends_a.row_key order by ends_a.start_char), answered.n_chars
            ) as end_char
        from ends_a
        inner join answered on ends_a.row_key = answered.row_key
    ),
    combined as (
        select row_key, start_char, end_char, label, score, is_ignored
        from spans_a
        where $rule <> 'intersection'
        union all
        select row_key, start_char, end_char, label, score, is_ignored
        from spans_b
        where $rule = 'union'
        union all
        select
            spans_a.row_key,
            greatest(spans_a.start_char, spans_b.start_char),
            least(spans_a.end_char, spans_b.end_char),
            spans_a.label,
            spans_a.score,
            spans_a.is_ignored
        from spans_a
        inner join
            spans_b
            on spans_a.row_key = spans_b.row_key
            and spans_a.start_char < spans_b.end_char
            and spans_a.end_char > spans_b.start_char
        where $rule = 'intersection'
        union all
        select
            spans_b.row_key,
            greatest(gaps_a.start_char, spans_b.start_char),
            least(gaps_a.end_char, spans_b.end_char),
            spans_b.label,
            spans_b.score,
            spans_b.is_ignored
        from gaps_a
        inner join
            spans_b
            on gaps_a.row_key = spans_b.row_key
            and gaps_a.start_char < spans_b.end_char
            and gaps_a.end_char > spans_b.start_char
        where $rule = 'a_then_b' and gaps_a.start_char < gaps_a.end_char
    )

select
    answered.row_id,  -- the text
    combined.start_char,  -- first code point
    combined.end_char,  -- behind the last
    combined.label,  -- our type, or what the detector calls it where there is none
    max(combined.score) as score,  -- the highest confidence, where a detector gives one
    bool_or(combined.is_ignored) as is_ignored  -- whether a map says that the label is not to be scored by type
from combined
inner join answered on combined.row_key = answered.row_key
group by answered.row_id, combined.start_char, combined.end_char, combined.label
order by answered.row_id, combined.start_char, combined.end_char, combined.label
