-- Entities of a run in a slice, summed over its texts: what every entity score is taken from.
-- Grain: (run_id, slice_by, slice).
with
    labels as (select run_id, unnest(by_label) as of_label from intermediate.entity_counts),
    texts as (
        select
            run_id,
            corpus,
            carrier,
            language,
            sum(n_gold) as n_gold,
            sum(n_pred) as n_pred,
            sum(n_exact_same) as n_exact_same,
            sum(n_exact_other) as n_exact_other,
            sum(n_overlap_same) as n_overlap_same,
            sum(n_overlap_other) as n_overlap_other,
            sum(n_left_out) as n_left_out
        from intermediate.entity_counts
        group by run_id, corpus, carrier, language
    ),
    sliced as (
        select 'all' as slice_by, 'all' as slice, texts.* exclude (corpus, carrier, language)
        from texts
        union all
        select 'corpus', corpus, texts.* exclude (corpus, carrier, language)
        from texts
        union all
        select 'carrier', carrier, texts.* exclude (corpus, carrier, language)
        from texts
        union all
        select 'language', language, texts.* exclude (corpus, carrier, language)
        from texts
        union all
        select
            'label',
            of_label.label,
            run_id,
            of_label.n_gold,
            of_label.n_pred,
            of_label.n_exact_same,
            0,
            of_label.n_overlap_same,
            0,
            of_label.n_left_out
        from labels
    )

select
    run_id,  -- the run
    slice_by,  -- all, label, corpus, carrier or language
    slice,  -- which one; all where there is one
    sum(n_gold)::bigint as n_gold,  -- scored gold spans
    sum(n_pred)::bigint as n_pred,  -- predicted spans, without those left out
    sum(n_exact_same)::bigint as n_exact_same,  -- pairs with the same boundaries and the same label
    sum(n_exact_other)::bigint as n_exact_other,  -- pairs with the same boundaries and another label
    sum(n_overlap_same)::bigint as n_overlap_same,  -- pairs with other boundaries and the same label
    sum(n_overlap_other)::bigint as n_overlap_other,  -- pairs with other boundaries and another label
    sum(n_left_out)::bigint as n_left_out  -- predicted spans left out
from sliced
group by run_id, slice_by, slice
