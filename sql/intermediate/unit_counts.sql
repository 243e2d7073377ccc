-- Character counts of a unit for a run.
-- Grain: (run_id, unit_key).
with
    counts as (
        select run_id, 'row' as unit, corpus, row_id as unit_id, tp, fp, fn
        from intermediate.design_counts
        union all
        select run_id, 'document', corpus, doc_id, tp, fp, fn
        from intermediate.design_counts
    )

select
    counts.run_id,  -- the run
    units.unit_key,  -- the unit
    sum(counts.tp)::bigint as tp,  -- personal data, marked
    sum(counts.fp)::bigint as fp,  -- marked, not personal data
    sum(counts.fn)::bigint as fn  -- personal data, not marked
from counts
inner join
    intermediate.units as units
    on counts.unit = units.unit
    and counts.corpus = units.corpus
    and counts.unit_id = units.unit_id
group by counts.run_id, units.unit_key
