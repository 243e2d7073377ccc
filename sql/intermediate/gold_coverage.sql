-- How much of a gold span a run has predicted, under whatever labels; for each gold span of each text that it was
-- asked.
-- Grain: (run_key, gold_key).
with
    containments as (
        select run_key, gold_key, bool_or(is_contained) as is_contained
        from intermediate.span_overlaps
        group by run_key, gold_key
    ),
    covers as (
        select
            marks.run_key,
            gold.gold_key,
            sum(least(gold.end_char, marks.end_char) - greatest(gold.start_char, marks.start_char)) as covered_chars
        from intermediate.typed_gold as gold
        inner join
            intermediate.marks as marks
            on gold.row_key = marks.row_key
            and gold.start_char < marks.end_char
            and gold.end_char > marks.start_char
        where marks.layer = 'flag' and marks.mask = 16
        group by marks.run_key, gold.gold_key
    )

select
    asked.run_key,  -- the run
    gold.gold_key,  -- the gold span
    gold.row_key,  -- the text
    gold.end_char - gold.start_char as n_chars,  -- characters of the span
    coalesce(covers.covered_chars, 0)::bigint as covered_chars,  -- of them, predicted
    (gold.end_char - gold.start_char - coalesce(covers.covered_chars, 0))::bigint as exposed_chars,  -- of them, left readable
    coalesce(containments.is_contained, false) as is_contained,  -- whether one prediction holds it whole
    covers.gold_key is not null as is_overlapped  -- whether any prediction shares a character with it
from intermediate.typed_gold as gold
inner join intermediate.asked_rows as asked on gold.row_key = asked.row_key
left join covers on asked.run_key = covers.run_key and gold.gold_key = covers.gold_key
left join containments on asked.run_key = containments.run_key and gold.gold_key = containments.gold_key
