-- Entities of a row for a run: the only input of every entity score. Of the texts that rank; a text that was not
-- answered has no predicted spans. Of n_gold, those in no pair are missed; of n_pred, spurious.
-- Kept: one file a run.
-- Grain: (run_id, row_id).
with
    beside_gold as (
        select pred_key
        from intermediate.span_overlaps
        where not is_scored
        union all
        select pred_key
        from intermediate.lookalike_preds
    ),
    on_gold as (select pred_key from intermediate.span_overlaps where is_scored),
    predictions as (
        select
            pred.run_key,
            pred.row_key,
            pred.label,
            pred.pred_key in (select beside_gold.pred_key from beside_gold)
            and pred.pred_key not in (select on_gold.pred_key from on_gold) as is_left_out
        from intermediate.typed_pred as pred
        inner join staging.all_rows as rows on pred.row_key = rows.row_key
        where rows.is_selected
    ),
    tallies as (
        select
            asked.run_key,
            gold.row_key,
            gold.label,
            1 as n_gold,
            0 as n_pred,
            0 as n_left_out,
            0 as n_exact_same,
            0 as n_overlap_same
        from intermediate.typed_gold as gold
        inner join intermediate.asked_rows as asked on gold.row_key = asked.row_key
        where gold.is_scored and asked.is_selected
        union all
        select run_key, row_key, label, 0, if(is_left_out, 0, 1), if(is_left_out, 1, 0), 0, 0
        from predictions
        union all
        select pairs.run_key, pairs.row_key, gold.label, 0, 0, 0, if(pairs.is_exact, 1, 0), if(pairs.is_exact, 0, 1)
        from intermediate.span_pairs as pairs
        inner join intermediate.typed_gold as gold on pairs.gold_key = gold.gold_key
        where pairs.scope = 'label'
    ),
    labels as (
        select
            run_key,
            row_key,
            label,
            sum(n_gold)::bigint as n_gold,
            sum(n_pred)::bigint as n_pred,
            sum(n_exact_same)::bigint as n_exact_same,
            sum(n_overlap_same)::bigint as n_overlap_same,
            sum(n_left_out)::bigint as n_left_out
        from tallies
        group by run_key, row_key, label
    ),
    label_lists as (
        select
            run_key,
            row_key,
            sum(n_gold) as n_gold,
            sum(n_pred) as n_pred,
            sum(n_left_out) as n_left_out,
            list_sort(
                list(
                    {
                        'label':label,
                        'n_gold':n_gold,
                        'n_pred':n_pred,
                        'n_exact_same':n_exact_same,
                        'n_overlap_same':n_overlap_same,
                        'n_left_out':n_left_out
                    }
                )
            ) as by_label
        from labels
        group by run_key, row_key
    ),
    pairs as (
        select
            run_key,
            row_key,
            count(*) filter (where is_exact and is_same_label) as n_exact_same,
            count(*) filter (where is_exact and not is_same_label) as n_exact_other,
            count(*) filter (where not is_exact and is_same_label) as n_overlap_same,
            count(*) filter (where not is_exact and not is_same_label) as n_overlap_other
        from intermediate.span_pairs
        where scope = 'all'
        group by run_key, row_key
    )

select
    runs.run_id,  -- the run
    rows.row_id,  -- the text
    rows.doc_id,  -- the document
    rows.corpus,  -- the stratum
    rows.carrier,  -- what the passage is wrapped in
    rows.language,  -- ISO 639-1
    coalesce(label_lists.n_gold, 0)::bigint as n_gold,  -- scored gold spans
    coalesce(label_lists.n_pred, 0)::bigint as n_pred,  -- predicted spans, without those left out
    coalesce(pairs.n_exact_same, 0)::bigint as n_exact_same,  -- pairs with the same boundaries and the same label
    coalesce(pairs.n_exact_other, 0)::bigint as n_exact_other,  -- pairs with the same boundaries and another label
    coalesce(pairs.n_overlap_same, 0)::bigint as n_overlap_same,  -- pairs with other boundaries and the same label
    coalesce(pairs.n_overlap_other, 0)::bigint as n_overlap_other,  -- pairs with other boundaries and another label
    coalesce(label_lists.n_left_out, 0)::bigint as n_left_out,  -- predicted spans on an excluded identifier or a lookalike and on no scored gold
    coalesce(label_lists.by_label, []) as by_label  -- for each label of the row, its spans matched by themselves
from intermediate.asked_rows as asked
inner join staging.all_rows as rows on asked.row_key = rows.row_key
inner join staging.runs as runs on asked.run_key = runs.run_key
left join label_lists on asked.run_key = label_lists.run_key and asked.row_key = label_lists.row_key
left join pairs on asked.run_key = pairs.run_key and asked.row_key = pairs.row_key
where asked.is_selected
