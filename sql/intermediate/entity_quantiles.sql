-- Where the entity F1 of a run lies over the bootstrap replicates, micro-averaged over the spans of the units drawn.
-- Grain: (run_key, slice_key, unit, scheme).
with
    scored as (
        select
            run_key,
            slice_key,
            unit,
            metrics.entity_f1(
                entity_correct('strict', n_exact_same, n_exact_other, n_overlap_same),
                entity_partial('strict', n_overlap_same, n_overlap_other),
                n_spans
            ) as strict_f1,
            metrics.entity_f1(
                entity_correct('exact', n_exact_same, n_exact_other, n_overlap_same),
                entity_partial('exact', n_overlap_same, n_overlap_other),
                n_spans
            ) as exact_f1,
            metrics.entity_f1(
                entity_correct('partial', n_exact_same, n_exact_other, n_overlap_same),
                entity_partial('partial', n_overlap_same, n_overlap_other),
                n_spans
            ) as partial_f1,
            metrics.entity_f1(
                entity_correct('type', n_exact_same, n_exact_other, n_overlap_same),
                entity_partial('type', n_overlap_same, n_overlap_other),
                n_spans
            ) as type_f1
        from intermediate.entity_replicates
    ),
    by_scheme as (
        select
            run_key,
            slice_key,
            unit,
            count(strict_f1) as n_defined,
            quantile_cont(strict_f1, [0.025, 0.975]) as of_strict,
            quantile_cont(exact_f1, [0.025, 0.975]) as of_exact,
            quantile_cont(partial_f1, [0.025, 0.975]) as of_partial,
            quantile_cont(type_f1, [0.025, 0.975]) as of_type
        from scored
        group by run_key, slice_key, unit
    ),
    listed as (
        select
            run_key,
            slice_key,
            unit,
            n_defined,
            unnest(['strict', 'exact', 'partial', 'type']) as scheme,
            unnest([of_strict, of_exact, of_partial, of_type]) as ends
        from by_scheme
    )

select
    run_key,  -- the run
    slice_key,  -- the slice
    unit,  -- what was drawn: row or document
    scheme,  -- strict, exact, partial or type
    ends[1] as f1_low,  -- 2.5th percentile
    ends[2] as f1_high,  -- 97.5th percentile
    n_defined  -- replicates in which the slice has an F1
from listed
