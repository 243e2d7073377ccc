-- Spans of one label in a slice for a run, where the run was asked for it.
-- Grain: (run_key, slice_key, label).
with
    counts as (
        select runs.run_key, rows.row_key, counts.* exclude (row_id)
        from intermediate.typed_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
        inner join staging.all_rows as rows on counts.row_id = rows.row_id
    ),
    sums as (
        select
            counts.run_key,
            texts.slice_key,
            counts.label,
            any_value(counts.run_id) as run_id,
            any_value(counts.is_high_severity) as is_high_severity,
            sum(counts.gold)::bigint as gold,
            sum(counts.pred)::bigint as pred,
            sum(counts.tp)::bigint as tp,
            sum(counts.leaked)::bigint as leaked,
            sum(counts.exposed)::bigint as exposed,
            sum(counts.contained)::bigint as contained,
            sum(counts.covered)::bigint as covered,
            sum(counts.touched)::bigint as touched,
            sum(counts.missed)::bigint as missed,
            sum(counts.exposed_chars)::bigint as exposed_chars,
            sum(counts.n_out_of_scope)::bigint as n_out_of_scope,
            sum(counts.n_unmapped)::bigint as n_unmapped,
            sum(counts.n_ignored)::bigint as n_ignored,
            sum(counts.n_left_out)::bigint as n_left_out
        from counts
        inner join intermediate.slice_rows as texts on counts.row_key = texts.row_key
        group by counts.run_key, texts.slice_key, counts.label
    )

select
    sums.run_key,  -- the run
    sums.run_id,  -- its name
    sums.slice_key,  -- the slice
    slices.design,  -- the design; null where all rows count
    slices.is_ranked,  -- whether it is the one that ranks; else that of whole documents
    asked.is_reported,  -- whether it is of whole documents or, where the run has none, of the design that ranks
    slices.corpus,  -- the corpus
    slices.slice_by,  -- all, carrier, language or a column of the corpus
    slices.slice,  -- which one
    sums.label,  -- our type, or what corpus or detector calls it where there is none
    sums.is_high_severity,  -- whether the type is a secret, a government identifier or a payment
    sums.gold,  -- gold spans
    sums.pred,  -- predicted spans, where the corpus annotates the label
    if(unlabelled.run_key is null, sums.tp, null) as tp,  -- of `pred`, those that are a gold span to the character; null where the run's labels mean nothing to us
    sums.leaked,  -- gold spans of high severity of which nothing is predicted
    sums.exposed,  -- gold spans of high severity with a character left readable
    sums.contained,  -- gold spans that one prediction holds whole
    sums.covered,  -- gold spans that all predictions together cover
    sums.touched,  -- gold spans of which anything is predicted
    sums.missed,  -- gold spans of which nothing is predicted
    sums.exposed_chars,  -- characters of gold spans left readable
    sums.n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    sums.n_unmapped,  -- predicted spans whose label the map does not name
    sums.n_ignored,  -- predicted spans whose label the map ignores
    sums.n_left_out  -- predicted spans on a lookalike and on no gold
from sums
inner join intermediate.slice_runs as asked on sums.run_key = asked.run_key and sums.slice_key = asked.slice_key
inner join intermediate.slices as slices on sums.slice_key = slices.slice_key
left join intermediate.unlabelled_runs as unlabelled on sums.run_key = unlabelled.run_key
where asked.is_asked
