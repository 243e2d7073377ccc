-- Whether a run's confidence means anything: its predicted spans by score, in tenths, and how many of them are right.
-- Spans on excluded identifiers or on lookalikes alone count for nobody.
-- Parameters: run; corpus, or null for all; carrier, or null for all.
-- Grain: (min_score).
with
    touched as (
        select
            shared.pred_key,
            bool_or(gold.is_scored) as is_on_scored,
            bool_or(
                gold.is_scored
                and gold.label = pred.label
                and gold.start_char = pred.start_char
                and gold.end_char = pred.end_char
            ) as is_exact
        from intermediate.span_overlaps as shared
        inner join intermediate.typed_gold as gold on shared.gold_key = gold.gold_key
        inner join intermediate.typed_pred as pred on shared.pred_key = pred.pred_key
        group by shared.pred_key
    ),
    spans as (
        select
            if(pred.score = 1, 9, floor(pred.score * 10)) as bucket,
            pred.score,
            coalesce(touched.is_on_scored, false) as is_on_scored,
            coalesce(touched.is_exact, false) as is_exact
        from intermediate.typed_pred as pred
        inner join staging.runs as runs on pred.run_key = runs.run_key
        inner join staging.rows as rows on pred.row_key = rows.row_key
        left join touched on pred.pred_key = touched.pred_key
        where
            runs.run_id = $run
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
            and (touched.pred_key is null or touched.is_on_scored)
            and pred.pred_key not in (select pred_key from intermediate.lookalike_preds)
    )

select
    round(bucket * 0.1, 1) as min_score,  -- the least score of the tenth; null for spans without one
    round((bucket + 1) * 0.1, 1) as max_score,  -- what the scores of the tenth stay below, but for 1 itself
    count(*) as n_spans,  -- predicted spans
    count(*) filter (where is_on_scored) as n_touching,  -- of `n_spans`, sharing a character with scored gold
    count(*) filter (where is_exact) as n_exact,  -- of `n_spans`, a gold span: same label, start and end
    safe_ratio(sum(score), count(*)) as mean_score,  -- what the run says; null where it gives no scores
    safe_ratio(count(*) filter (where is_on_scored), count(*)) as touching_share,  -- the share that shares a character with gold
    safe_ratio(count(*) filter (where is_exact), count(*)) as exact_share  -- the share that is a gold span
from spans
group by bucket
order by min_score desc nulls last
