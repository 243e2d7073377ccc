-- Entity scores of a run: gold and predicted spans matched one to one and judged by the four schemes of SemEval-2013
-- task 9.1. For a label its spans are matched by themselves; the other slices match all labels together. Of a run whose
-- labels mean nothing to us there are no labels, and no schemes that ask for them.
-- Grain: (run_id, slice_by, slice, scheme).
with
    unlabelled as (
        select runs.run_id
        from intermediate.unlabelled_runs as found
        inner join staging.runs as runs on found.run_key = runs.run_key
    ),
    schemes as (select unnest(['strict', 'exact', 'partial', 'type']) as scheme),
    judged as (
        select
            totals.run_id,
            totals.slice_by,
            totals.slice,
            schemes.scheme,
            entity_correct(schemes.scheme, totals.n_exact_same, totals.n_exact_other, totals.n_overlap_same) as correct,
            entity_partial(schemes.scheme, totals.n_overlap_same, totals.n_overlap_other) as partial,
            totals.n_exact_same + totals.n_exact_other + totals.n_overlap_same + totals.n_overlap_other as n_pairs,
            totals.n_gold as possible,
            totals.n_pred as actual,
            totals.n_left_out
        from intermediate.entity_totals as totals
        cross join schemes
        where
            totals.run_id not in (select unlabelled.run_id from unlabelled)
            or (totals.slice_by != 'label' and schemes.scheme in ('exact', 'partial'))
    )

select
    run_id,  -- the run
    slice_by,  -- all, label, corpus, carrier or language
    slice,  -- which one; all where there is one
    scheme,  -- strict, exact, partial or type
    correct,  -- pairs that the scheme takes for right
    n_pairs - correct - partial as incorrect,  -- pairs that it takes for wrong
    partial,  -- pairs that count half
    possible - n_pairs as missed,  -- gold spans in no pair
    actual - n_pairs as spurious,  -- predicted spans in no pair
    possible,  -- gold spans
    actual,  -- predicted spans, without those left out
    n_left_out,  -- predicted spans on an excluded identifier or a lookalike and on no scored gold
    metrics.entity_precision(correct, partial, actual) as precision,  -- of the predicted spans, the share that is right
    metrics.entity_recall(correct, partial, possible) as recall,  -- of the gold spans, the share that is found right
    metrics.entity_f1(correct, partial, possible + actual) as f1  -- their harmonic mean
from judged
