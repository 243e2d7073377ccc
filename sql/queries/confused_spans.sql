-- Gold spans that a run found under another label: ids and offsets of both spans.
-- Parameters: run; gold_label, or null for all: any scored label; pred_label, or null for all; corpus, or null for
-- all; carrier, or null for all.
-- Grain: (row_id, start_char, end_char, gold_label).
select
    rows.row_id,  -- the text
    gold.start_char,  -- first code point of the gold span
    gold.end_char,  -- behind the last
    gold.label as gold_label,  -- our type of it, or what the corpus calls it where there is none
    pred.label as pred_label,  -- our type of the prediction, or what the detector calls it where there is none
    pred.start_char as other_start,  -- first code point of the prediction
    pred.end_char as other_end,  -- behind the last
    pred.score,  -- its confidence, where the detector gives one
    rows.corpus,  -- the corpus
    rows.carrier  -- the carrier
from intermediate.span_pairs as pairs
inner join staging.runs as runs on pairs.run_key = runs.run_key
inner join intermediate.typed_gold as gold on pairs.gold_key = gold.gold_key
inner join intermediate.typed_pred as pred on pairs.pred_key = pred.pred_key
inner join staging.rows as rows on gold.row_key = rows.row_key
where
    runs.run_id = $run
    and pairs.scope = 'all'
    and gold.label <> pred.label
    and ($gold_label is null or gold.label = $gold_label)
    and ($pred_label is null or pred.label = $pred_label)
    and ($corpus is null or rows.corpus = $corpus)
    and ($carrier is null or rows.carrier = $carrier)
order by gold.label, pred.label, rows.row_id, gold.start_char, gold.end_char
