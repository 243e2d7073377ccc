-- Entities of a bootstrap replicate in a slice of a run: in one corpus, or over all of them. What carriers add up to
-- is the corpus, and what corpora add up to is all. Where no unit with spans was drawn there is no line.
-- Grain: (run_key, slice_key, unit, replicate).
with
    strata as (select distinct stratum_key, unit = 'row' as is_of_rows, corpus from intermediate.units),
    located as (
        select
            packed.* exclude (replicate_key),
            (packed.replicate_key % settings.replicates)::integer as replicate,
            strata.is_of_rows,
            corpora.slice_key as corpus_key
        from intermediate.entity_sums as packed
        cross join staging.settings as settings
        inner join strata on quotient(packed.replicate_key, settings.replicates) = strata.stratum_key
        inner join
            intermediate.entity_slices as corpora on corpora.slice_by = 'corpus' and strata.corpus = corpora.slice
    ),
    columns as (
        select lane_block, lane, run_key, slice_key, is_same_label
        from intermediate.entity_columns
        union all
        select columns.lane_block, columns.lane, columns.run_key, null, columns.is_same_label
        from intermediate.entity_columns as columns
        inner join
            intermediate.entity_slices as carriers
            on carriers.slice_by = 'carrier'
            and columns.slice_key = carriers.slice_key
    ),
    picked as (
        select
            columns.run_key,
            coalesce(columns.slice_key, located.corpus_key) as slice_key,
            columns.is_same_label,
            located.is_of_rows,
            located.replicate,
            case
                columns.lane
                when 0
                then located.pairs_0
                when 1
                then located.pairs_1
                when 2
                then located.pairs_2
                when 3
                then located.pairs_3
                when 4
                then located.pairs_4
                when 5
                then located.pairs_5
                when 6
                then located.pairs_6
                else located.pairs_7
            end as pairs,
            case
                columns.lane
                when 0
                then located.spans_0_1 & 4294967295
                when 1
                then located.spans_0_1 >> 32
                when 2
                then located.spans_2_3 & 4294967295
                when 3
                then located.spans_2_3 >> 32
                when 4
                then located.spans_4_5 & 4294967295
                when 5
                then located.spans_4_5 >> 32
                when 6
                then located.spans_6_7 & 4294967295
                else located.spans_6_7 >> 32
            end as n_spans
        from located
        inner join columns on located.lane_block = columns.lane_block
    ),
    summed as (
        select
            run_key,
            slice_key,
            is_of_rows,
            replicate,
            coalesce(sum(pairs) filter (where is_same_label), 0)::bigint as pairs_same,
            coalesce(sum(pairs) filter (where not is_same_label), 0)::bigint as pairs_other,
            sum(n_spans)::bigint as n_spans
        from picked
        group by run_key, slice_key, is_of_rows, replicate
    ),
    sums as (
        select
            run_key,
            slice_key,
            is_of_rows,
            replicate,
            pairs_same & 4294967295 as n_exact_same,
            pairs_other & 4294967295 as n_exact_other,
            pairs_same >> 32 as n_overlap_same,
            pairs_other >> 32 as n_overlap_other,
            n_spans
        from summed
    ),
    totals as (
        select
            sums.run_key,
            of_all.slice_key,
            sums.is_of_rows,
            sums.replicate,
            sum(sums.n_exact_same)::bigint as n_exact_same,
            sum(sums.n_exact_other)::bigint as n_exact_other,
            sum(sums.n_overlap_same)::bigint as n_overlap_same,
            sum(sums.n_overlap_other)::bigint as n_overlap_other,
            sum(sums.n_spans)::bigint as n_spans
        from sums
        inner join
            intermediate.entity_slices as corpora on corpora.slice_by = 'corpus' and sums.slice_key = corpora.slice_key
        inner join intermediate.entity_slices as of_all on of_all.slice_by = 'all'
        group by sums.run_key, of_all.slice_key, sums.is_of_rows, sums.replicate
    ),
    replicates as (
        select sums.*
        from sums
        union all
        select totals.*
        from totals
    )

select
    run_key,  -- the run
    slice_key,  -- the slice
    if(is_of_rows, 'row', 'document') as unit,  -- what was drawn: row or document
    replicate,  -- from 0
    n_exact_same,  -- pairs with the same boundaries and the same label
    n_exact_other,  -- with the same boundaries and another label
    n_overlap_same,  -- with other boundaries and the same label
    n_overlap_other,  -- with other boundaries and another label
    n_spans  -- gold and predicted spans
from replicates
where n_spans > 0
