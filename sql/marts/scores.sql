-- Character scores of a run in one corpus, carrier or language, micro-averaged.
-- Grain: (run_id, slice_by, slice).
with
    sliced as (
        select run_id, 'corpus' as slice_by, corpus as slice, counts.* exclude (run_id, corpus, carrier, language)
        from intermediate.design_counts as counts
        union all
        select run_id, 'carrier', carrier, counts.* exclude (run_id, corpus, carrier, language)
        from intermediate.design_counts as counts
        union all
        select run_id, 'language', language, counts.* exclude (run_id, corpus, carrier, language)
        from intermediate.design_counts as counts
    ),
    sums as (
        select
            run_id,
            slice_by,
            slice,
            sum(tp)::bigint as tp,
            sum(fp)::bigint as fp,
            sum(fn)::bigint as fn,
            sum(touched)::bigint as touched,
            sum(excluded)::bigint as excluded,
            sum(lookalike)::bigint as lookalike,
            sum(lookalike_touched)::bigint as lookalike_touched,
            sum(scaffold_fp)::bigint as scaffold_fp,
            count(*)::bigint as n_rows,
            sum(n_rows_missing)::bigint as n_rows_missing,
            sum(n_duplicate_spans)::bigint as n_duplicate_spans
        from sliced
        group by run_id, slice_by, slice
    )

select
    run_id,  -- the run
    slice_by,  -- corpus, carrier or language
    slice,  -- which one
    tp,  -- personal data, marked
    fp,  -- marked, not personal data
    fn,  -- personal data, not marked
    touched,  -- of `excluded`, marked anyway
    excluded,  -- in identifiers with a fixed format
    lookalike,  -- scaffold that looks like PII; null where no row has an alignment
    lookalike_touched,  -- of `lookalike`, marked
    scaffold_fp,  -- of `fp`, on the carrier's syntax and keys; null where no row has an alignment
    n_rows,  -- rows scored
    n_rows_missing,  -- of `n_rows`, not answered
    n_duplicate_spans,  -- predicted spans that were there already
    metrics.precision(tp, fp) as precision,  -- of what was marked, the share that is personal data
    metrics.recall(tp, fn) as recall,  -- of the personal data, the share marked
    metrics.f1(tp, fp, fn) as f1,  -- their harmonic mean
    metrics.touch_rate(touched, excluded) as touch_rate  -- of fixed-format identifiers, the share marked anyway
from sums
