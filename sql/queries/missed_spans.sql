-- Gold spans of which a run left characters readable, by label, the longest first. Without a label the scored ones;
-- a label may also be one of those that are excluded, such as PAYMENT_CARD.
-- Parameters: run; label, or null for all that are scored; min_chars, or null for no least length; max_chars, or
-- null for no greatest; corpus, or null for all; carrier, or null for all.
-- Grain: (row_id, start_char, end_char, label).
select
    rows.row_id,  -- the text
    gold.start_char,  -- first code point
    gold.end_char,  -- behind the last
    gold.label,  -- our type, or what the corpus calls it where there is none
    coverage.n_chars,  -- its length
    coverage.exposed_chars,  -- characters left readable
    not coverage.is_overlapped as is_missed,  -- whether nothing of it was found
    rows.corpus,  -- the corpus
    rows.carrier  -- the carrier
from intermediate.gold_coverage as coverage
inner join staging.runs as runs on coverage.run_key = runs.run_key
inner join intermediate.typed_gold as gold on coverage.gold_key = gold.gold_key
inner join staging.rows as rows on gold.row_key = rows.row_key
where
    runs.run_id = $run
    and coverage.exposed_chars > 0
    and (gold.label = $label or ($label is null and gold.is_scored))
    and ($min_chars is null or coverage.n_chars >= $min_chars::bigint)
    and ($max_chars is null or coverage.n_chars <= $max_chars::bigint)
    and ($corpus is null or rows.corpus = $corpus)
    and ($carrier is null or rows.carrier = $carrier)
order by gold.label, coverage.n_chars desc, rows.row_id, gold.start_char, gold.end_char
