-- Spans of one label in a slice for a run.
-- Grain: (run_key, slice_key, label).
with
    counts as (
        select runs.run_key, rows.row_key, counts.* exclude (run_id, row_id)
        from intermediate.typed_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
        inner join staging.all_rows as rows on counts.row_id = rows.row_id
    )

select
    counts.run_key,  -- the run
    slices.slice_key,  -- the slice
    counts.label,  -- our type, or what corpus or detector calls it where there is none
    any_value(counts.is_high_severity) as is_high_severity,  -- whether the type is a secret, a government identifier or a payment
    sum(counts.gold)::bigint as gold,  -- gold spans
    sum(counts.pred)::bigint as pred,  -- predicted spans, where the corpus annotates the label
    sum(counts.tp)::bigint as tp,  -- of `pred`, those that are a gold span to the character
    sum(counts.leaked)::bigint as leaked,  -- gold spans of high severity of which nothing is predicted
    sum(counts.exposed)::bigint as exposed,  -- gold spans of high severity with a character left readable
    sum(counts.contained)::bigint as contained,  -- gold spans that one prediction holds whole
    sum(counts.covered)::bigint as covered,  -- gold spans that all predictions together cover
    sum(counts.touched)::bigint as touched,  -- gold spans of which anything is predicted
    sum(counts.missed)::bigint as missed,  -- gold spans of which nothing is predicted
    sum(counts.exposed_chars)::bigint as exposed_chars,  -- characters of gold spans left readable
    sum(counts.n_out_of_scope)::bigint as n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    sum(counts.n_unmapped)::bigint as n_unmapped,  -- predicted spans whose label the map does not name
    sum(counts.n_ignored)::bigint as n_ignored  -- predicted spans whose label the map ignores
from counts
inner join intermediate.slice_rows as slices on counts.row_key = slices.row_key
group by counts.run_key, slices.slice_key, counts.label
