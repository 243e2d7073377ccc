-- Spans of all labels in a slice for a run, also where there are none.
-- Grain: (run_key, slice_key).
with
    sums as (
        select
            run_key,
            slice_key,
            sum(gold) as gold,
            sum(pred) as pred,
            sum(tp) as tp,
            sum(leaked) as leaked,
            sum(exposed) as exposed,
            sum(contained) as contained,
            sum(covered) as covered,
            sum(touched) as touched,
            sum(missed) as missed,
            sum(exposed_chars) as exposed_chars,
            sum(n_out_of_scope) as n_out_of_scope,
            sum(n_unmapped) as n_unmapped,
            sum(n_ignored) as n_ignored,
            sum(n_left_out) as n_left_out
        from intermediate.typed_sums
        group by run_key, slice_key
    )

select
    runs.run_key,  -- the run
    runs.run_id,  -- its name
    slices.slice_key,  -- the slice
    slices.design,  -- the design; null where all rows count
    slices.is_ranked,  -- whether it is the one that ranks; else that of whole documents
    asked.is_reported,  -- whether it is of whole documents or, where the run has none, of the design that ranks
    slices.corpus,  -- the corpus
    slices.slice_by,  -- all, carrier, language or a column of the corpus
    slices.slice,  -- which one
    asked.docs,  -- documents; none where the run was asked nothing
    asked.n_rows,  -- texts
    asked.n_rows_missing,  -- of them, not answered
    coalesce(sums.gold, 0)::bigint as gold,  -- gold spans
    coalesce(sums.pred, 0)::bigint as pred,  -- predicted spans, where the corpus annotates the label
    if(unlabelled.run_key is null, coalesce(sums.tp, 0), null)::bigint as tp,  -- of `pred`, those that are a gold span to the character; null where the run's labels mean nothing to us
    coalesce(sums.leaked, 0)::bigint as leaked,  -- gold spans of high severity of which nothing is predicted
    coalesce(sums.exposed, 0)::bigint as exposed,  -- gold spans of high severity with a character left readable
    coalesce(sums.contained, 0)::bigint as contained,  -- gold spans that one prediction holds whole
    coalesce(sums.covered, 0)::bigint as covered,  -- gold spans that all predictions together cover
    coalesce(sums.touched, 0)::bigint as touched,  -- gold spans of which anything is predicted
    coalesce(sums.missed, 0)::bigint as missed,  -- gold spans of which nothing is predicted
    coalesce(sums.exposed_chars, 0)::bigint as exposed_chars,  -- characters of gold spans left readable
    coalesce(sums.n_out_of_scope, 0)::bigint as n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    coalesce(sums.n_unmapped, 0)::bigint as n_unmapped,  -- predicted spans whose label the map does not name
    coalesce(sums.n_ignored, 0)::bigint as n_ignored,  -- predicted spans whose label the map ignores
    coalesce(sums.n_left_out, 0)::bigint as n_left_out  -- predicted spans on a lookalike and on no gold
from intermediate.slice_runs as asked
inner join intermediate.slices as slices on asked.slice_key = slices.slice_key
inner join staging.runs as runs on asked.run_key = runs.run_key
left join sums on asked.run_key = sums.run_key and asked.slice_key = sums.slice_key
left join intermediate.unlabelled_runs as unlabelled on asked.run_key = unlabelled.run_key
