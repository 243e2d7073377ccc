-- Entities of a unit for a run in a carrier or of a label, where there are any: of the pairs those of the same label,
-- with which all spans go, or those of another.
-- Grain: (run_key, slice_key, is_same_label, unit_key).
with
    row_units as (
        select rows.row_id, units.unit_key
        from staging.rows as rows
        inner join
            intermediate.units as units
            on units.unit = 'row'
            and rows.corpus = units.corpus
            and rows.row_id = units.unit_id
        union all
        select rows.row_id, units.unit_key
        from staging.rows as rows
        inner join
            intermediate.units as units
            on units.unit = 'document'
            and rows.corpus = units.corpus
            and rows.doc_id = units.unit_id
    ),
    counts as (
        select runs.run_key, slices.slice_key, of_rows.*
        from intermediate.entity_counts as of_rows
        inner join staging.runs as runs on of_rows.run_id = runs.run_id
        inner join
            intermediate.entity_slices as slices on slices.slice_by = 'carrier' and of_rows.carrier = slices.slice
    ),
    labels as (select run_key, row_id, unnest(by_label) as of_label from counts),
    parts as (
        select
            run_key,
            slice_key,
            true as is_same_label,
            row_id,
            n_exact_same as n_exact,
            n_overlap_same as n_overlap,
            n_gold + n_pred as n_spans
        from counts
        union all
        select run_key, slice_key, false, row_id, n_exact_other, n_overlap_other, 0
        from counts
        union all
        select
            labels.run_key,
            slices.slice_key,
            true,
            labels.row_id,
            labels.of_label.n_exact_same,
            labels.of_label.n_overlap_same,
            labels.of_label.n_gold + labels.of_label.n_pred
        from labels
        inner join
            intermediate.entity_slices as slices on slices.slice_by = 'label' and labels.of_label.label = slices.slice
    )

select
    parts.run_key,  -- the run
    parts.slice_key,  -- the carrier or the label
    parts.is_same_label,  -- whether of the pairs those of the same label, or of another
    row_units.unit_key,  -- the unit
    sum(parts.n_exact)::bigint as n_exact,  -- pairs with the same boundaries
    sum(parts.n_overlap)::bigint as n_overlap,  -- pairs with other boundaries
    sum(parts.n_spans)::bigint as n_spans  -- gold and predicted spans; 0 beside pairs of another label
from parts
inner join row_units on parts.row_id = row_units.row_id
where parts.n_exact + parts.n_overlap + parts.n_spans > 0
group by parts.run_key, parts.slice_key, parts.is_same_label, row_units.unit_key
