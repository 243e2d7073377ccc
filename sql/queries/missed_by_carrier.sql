-- How many gold spans of each label a run found whole, in part and not at all in each carrier, and the share of their
-- characters: the worst carrier of each label first. Without a label the scored ones.
-- Parameters: run; label, or null for all that are scored; corpus, or null for all.
-- Grain: (label, carrier).
with
    spans as (
        select
            rows.row_id,
            rows.carrier,
            gold.start_char,
            gold.end_char,
            gold.label,
            coverage.covered_chars,
            coverage.exposed_chars,
            coverage.is_overlapped
        from intermediate.gold_coverage as coverage
        inner join staging.runs as runs on coverage.run_key = runs.run_key
        inner join intermediate.typed_gold as gold on coverage.gold_key = gold.gold_key
        inner join staging.rows as rows on gold.row_key = rows.row_key
        where
            runs.run_id = $run
            and (gold.label = $label or ($label is null and gold.is_scored))
            and ($corpus is null or rows.corpus = $corpus)
    )

select
    label,  -- our type, or what the corpus calls it where there is none
    carrier,  -- the carrier
    count(*) as n_spans,  -- gold spans
    count(*) filter (where exposed_chars = 0) as n_found,  -- of which no character is left readable
    count(*) filter (where exposed_chars > 0 and is_overlapped) as n_partly,  -- of which some are
    count(*) filter (where not is_overlapped) as n_missed,  -- of which nothing was found
    metrics.recall(sum(covered_chars), sum(exposed_chars)) as recall,  -- the share of their characters that is marked
    first(row_id order by row_id, start_char, end_char) filter (where exposed_chars > 0) as row_id,  -- the first text with one that was not found whole; null where there is none
    first(start_char order by row_id, start_char, end_char) filter (where exposed_chars > 0) as start_char,  -- its first code point
    first(end_char order by row_id, start_char, end_char) filter (where exposed_chars > 0) as end_char  -- behind the last
from spans
group by label, carrier
order by label, recall, carrier
