-- What the characters of each type of gold are called by a run: characters by type of gold and predicted type, with
-- the longest stretch of them as an example. Characters of two types count under both.
-- Parameters: run; corpus, or null for all; carrier, or null for all.
-- Grain: (gold_type, pred_type).
with
    stretches as (
        select
            chars.row_id,
            chars.start_char,
            chars.end_char,
            chars.end_char - chars.start_char as n_chars,
            gold.type as gold_type,
            coalesce(pred.type, if(chars.is_pred, 'unknown', null)) as pred_type
        from intermediate.char_intervals as chars
        inner join staging.rows as rows on chars.row_id = rows.row_id
        left join staging.taxonomy as gold on (chars.gold_types >> gold.bit) & 1 = 1
        left join staging.taxonomy as pred on (chars.pred_types >> pred.bit) & 1 = 1
        where
            chars.run_id = $run
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
            and (chars.is_gold or (chars.is_pred and not (chars.is_excluded or chars.is_lookalike)))
    )

select
    gold_type,  -- type of the gold; null where there is none, so that they are marked without reason
    pred_type,  -- type that the run gives; unknown where the label map does not name its label; null where nothing is marked
    sum(n_chars)::bigint as n_chars,  -- characters
    count(distinct row_id) as n_rows,  -- texts that have some
    first(row_id order by n_chars desc, row_id, start_char) as row_id,  -- the text with the longest stretch
    first(start_char order by n_chars desc, row_id, start_char) as start_char,  -- first code point of that
    first(end_char order by n_chars desc, row_id, start_char) as end_char  -- behind the last
from stretches
group by gold_type, pred_type
order by gold_type nulls last, n_chars desc, pred_type nulls last
