-- Bootstrap interval of a run's entity F1.
-- Kept: one file a run.
-- Grain: (run_id, slice_by, slice, scheme, unit).
with
    found as (
        select runs.run_id, slices.slice_by, slices.slice, quantiles.* exclude (run_key, slice_key)
        from intermediate.entity_quantiles as quantiles
        inner join staging.runs as runs on quantiles.run_key = runs.run_key
        inner join intermediate.entity_slices as slices on quantiles.slice_key = slices.slice_key
    ),
    units as (select unnest(['row', 'document']) as unit)

select
    scores.run_id,  -- the run
    scores.slice_by,  -- all, label, corpus or carrier
    scores.slice,  -- which one; all where there is one
    scores.scheme,  -- strict, exact, partial or type
    units.unit,  -- what was drawn: row (the ranked interval) or document
    found.f1_low,  -- 2.5th percentile
    found.f1_high,  -- 97.5th percentile
    settings.replicates as n_replicates,  -- replicates drawn
    safe_ratio(settings.replicates - coalesce(found.n_defined, 0), settings.replicates) as share_incomplete  -- of them, those in which the slice has no F1
from marts.entity_scores as scores
cross join units
cross join staging.settings as settings
left join
    found
    on scores.run_id = found.run_id
    and scores.slice_by = found.slice_by
    and scores.slice = found.slice
    and scores.scheme = found.scheme
    and units.unit = found.unit
where scores.slice_by != 'language'
