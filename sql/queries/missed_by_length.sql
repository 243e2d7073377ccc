-- How many gold spans of each label and length a run found whole, in part and not at all, with the first that was
-- not found whole as an example. Without a label the scored ones.
-- Parameters: run; label, or null for all that are scored; corpus, or null for all; carrier, or null for all.
-- Grain: (label, min_chars).
with
    classes as (
        select min_chars::bigint as min_chars, max_chars::bigint as max_chars
        from (values (1, 4), (5, 9), (10, 19), (20, 39), (40, null)) as lengths(min_chars, max_chars)
    ),
    spans as (
        select
            rows.row_id,
            gold.start_char,
            gold.end_char,
            gold.label,
            classes.min_chars,
            classes.max_chars,
            coverage.exposed_chars > 0 as is_exposed,
            coverage.is_overlapped
        from intermediate.gold_coverage as coverage
        inner join staging.runs as runs on coverage.run_key = runs.run_key
        inner join intermediate.typed_gold as gold on coverage.gold_key = gold.gold_key
        inner join staging.rows as rows on gold.row_key = rows.row_key
        inner join
            classes
            on coverage.n_chars >= classes.min_chars
            and (classes.max_chars is null or coverage.n_chars <= classes.max_chars)
        where
            runs.run_id = $run
            and (gold.label = $label or ($label is null and gold.is_scored))
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
    )

select
    label,  -- our type, or what the corpus calls it where there is none
    min_chars,  -- the least length of the class, in code points
    any_value(max_chars) as max_chars,  -- the greatest; null where there is none
    count(*) as n_spans,  -- gold spans
    count(*) filter (where not is_exposed) as n_found,  -- of which no character is left readable
    count(*) filter (where is_exposed and is_overlapped) as n_partly,  -- of which some are
    count(*) filter (where not is_overlapped) as n_missed,  -- of which nothing was found
    first(row_id order by row_id, start_char, end_char) filter (where is_exposed) as row_id,  -- the first text with one that was not found whole; null where there is none
    first(start_char order by row_id, start_char, end_char) filter (where is_exposed) as start_char,  -- its first code point
    first(end_char order by row_id, start_char, end_char) filter (where is_exposed) as end_char  -- behind the last
from spans
group by label, min_chars
order by label, min_chars
