-- Typed exact spans, leaks and coverage of a run in a slice of a corpus, in each design that it was asked. Always of
-- one corpus: two corpora are two measurements. Coverage is by predictions of whatever label.
-- Kept: one file a run.
-- Grain: (run_id, design, corpus, slice_by, slice).
with
    sums as (
        select
            run_key,
            slice_key,
            sum(gold)::bigint as gold,
            sum(pred)::bigint as pred,
            sum(tp)::bigint as tp,
            sum(leaked)::bigint as leak,
            sum(exposed)::bigint as exposed,
            sum(contained)::bigint as contained,
            sum(covered)::bigint as covered,
            sum(touched)::bigint as touched,
            sum(missed)::bigint as missed,
            sum(exposed_chars)::bigint as exposed_chars,
            sum(n_out_of_scope)::bigint as n_out_of_scope,
            sum(n_unmapped)::bigint as n_unmapped,
            sum(n_ignored)::bigint as n_ignored
        from intermediate.typed_sums
        group by run_key, slice_key
    ),
    counts as (
        select
            runs.run_id,
            slices.design,
            slices.is_ranked,
            slices.corpus,
            slices.slice_by,
            slices.slice,
            asked.is_reported,
            asked.docs,
            asked.n_rows,
            asked.n_rows_missing,
            coalesce(sums.gold, 0) as gold,
            coalesce(sums.pred, 0) as pred,
            coalesce(sums.tp, 0) as tp,
            coalesce(sums.leak, 0) as leak,
            coalesce(sums.exposed, 0) as exposed,
            coalesce(sums.contained, 0) as contained,
            coalesce(sums.covered, 0) as covered,
            coalesce(sums.touched, 0) as touched,
            coalesce(sums.missed, 0) as missed,
            coalesce(sums.exposed_chars, 0) as exposed_chars,
            coalesce(sums.n_out_of_scope, 0) as n_out_of_scope,
            coalesce(sums.n_unmapped, 0) as n_unmapped,
            coalesce(sums.n_ignored, 0) as n_ignored
        from intermediate.slice_runs as asked
        inner join intermediate.slices as slices on asked.slice_key = slices.slice_key
        inner join staging.runs as runs on asked.run_key = runs.run_key
        left join sums on asked.is_asked and asked.run_key = sums.run_key and asked.slice_key = sums.slice_key
    )

select
    run_id,  -- the run
    design,  -- the design; null where all rows count
    is_ranked,  -- whether it is the one that ranks; else that of whole documents
    is_reported,  -- whether it is of the design of whole documents or, where the run has none, of the one that ranks
    corpus,  -- the corpus
    slice_by,  -- all, carrier, language or a column of the corpus
    slice,  -- which one
    docs,  -- documents; none where the run was asked nothing
    n_rows,  -- texts
    n_rows_missing,  -- of them, not answered
    gold,  -- gold spans of the types that the corpus annotates
    pred,  -- predicted spans of those types
    tp,  -- of `pred`, those that are a gold span: same type, start and end
    pred - tp as fp,  -- of `pred`, the others
    gold - tp as fn,  -- of `gold`, the others
    metrics.precision(tp, pred - tp) as precision,  -- tp of pred
    metrics.recall(tp, gold - tp) as recall,  -- tp of gold
    metrics.f1(tp, pred - tp, gold - tp) as f1,  -- their harmonic mean
    metrics.f2(tp, pred - tp, gold - tp) as f2,  -- with recall twice as heavy
    leak,  -- gold spans of high severity of which nothing is predicted
    exposed,  -- gold spans of high severity with a character left readable
    contained,  -- gold spans that one prediction holds whole
    covered,  -- gold spans that all predictions together cover
    touched,  -- gold spans of which anything is predicted
    missed,  -- gold spans of which nothing is predicted
    exposed_chars,  -- characters of gold spans left readable
    n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    n_unmapped,  -- predicted spans whose label the map does not name
    n_ignored  -- predicted spans whose label the map ignores
from counts
