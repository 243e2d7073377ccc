-- A gold span and a predicted span that share a character. Spans that only touch share none.
-- Grain: (gold_key, pred_key).
select
    gold.gold_key,  -- the gold span
    pred.pred_key,  -- the predicted span
    pred.run_key,  -- the run
    pred.row_key,  -- the text
    gold.is_scored,  -- whether the gold span is scored; excluded otherwise
    least(gold.end_char, pred.end_char) - greatest(gold.start_char, pred.start_char) as shared_chars,  -- characters in both
    gold.start_char = pred.start_char and gold.end_char = pred.end_char as is_exact,  -- whether the boundaries are the same
    gold.label = pred.label as is_same_label,  -- whether the labels are the same
    pred.start_char <= gold.start_char and pred.end_char >= gold.end_char as is_contained  -- whether the prediction holds the gold span whole
from intermediate.typed_gold as gold
inner join
    intermediate.typed_pred as pred
    on gold.row_key = pred.row_key
    and gold.start_char < pred.end_char
    and gold.end_char > pred.start_char
