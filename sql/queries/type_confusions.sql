-- Which labels a run gives to gold spans of another: matched spans by the two labels, with one as an example.
-- Parameters: run; corpus, or null for all; carrier, or null for all.
-- Grain: (gold_label, pred_label).
with
    matched as (
        select
            rows.row_id,
            gold.start_char,
            gold.end_char,
            gold.label as gold_label,
            pred.label as pred_label,
            count(*) over (partition by gold.label) as n_matched
        from intermediate.span_pairs as pairs
        inner join staging.runs as runs on pairs.run_key = runs.run_key
        inner join intermediate.typed_gold as gold on pairs.gold_key = gold.gold_key
        inner join intermediate.typed_pred as pred on pairs.pred_key = pred.pred_key
        inner join staging.rows as rows on gold.row_key = rows.row_key
        where
            runs.run_id = $run
            and pairs.scope = 'all'
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
    )

select
    gold_label,  -- our type of the gold, or what the corpus calls it where there is none
    pred_label,  -- our type of the prediction, or what the detector calls it where there is none
    count(*) as n_spans,  -- gold spans of the one found as the other
    any_value(n_matched) as n_matched,  -- gold spans of the label found as anything
    first(row_id order by row_id, start_char, end_char) as row_id,  -- the first text with one
    first(start_char order by row_id, start_char, end_char) as start_char,  -- first code point of the gold span
    first(end_char order by row_id, start_char, end_char) as end_char  -- behind the last
from matched
where gold_label <> pred_label
group by gold_label, pred_label
order by n_spans desc, gold_label, pred_label
