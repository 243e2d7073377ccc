-- A text in a slice of its corpus, in the design that ranks and in that of whole documents: all of the corpus, and a
-- slice for each of its columns, for its carrier and for its language.
-- Grain: (slice_key, row_key).
with
    measured as (
        select settings.design, true as is_ranked, rows.* exclude (text)
        from staging.all_rows as rows
        cross join staging.settings as settings
        where rows.is_selected
        union all
        select settings.documents_design, false, rows.* exclude (text)
        from staging.all_rows as rows
        cross join staging.settings as settings
        where
            rows.is_of_document
            and settings.documents_design is not null
            and settings.documents_design is distinct from settings.design
    ),
    columns as (select design, is_ranked, corpus, doc_id, row_key, unnest(map_entries(slices)) as entry from measured),
    sliced as (
        select design, is_ranked, corpus, 'all' as slice_by, 'all' as slice, doc_id, row_key
        from measured
        union all
        select design, is_ranked, corpus, 'carrier', carrier, doc_id, row_key
        from measured
        union all
        select design, is_ranked, corpus, 'language', language, doc_id, row_key
        from measured
        union all
        select design, is_ranked, corpus, entry.key, entry.value, doc_id, row_key
        from columns
        where entry.key not in ('all', 'carrier', 'language') and entry.value is not null
    ),
    slices as (
        select
            is_ranked,
            corpus,
            slice_by,
            slice,
            row_number() over (order by is_ranked, corpus, slice_by, slice)::bigint as slice_key
        from (select distinct is_ranked, corpus, slice_by, slice from sliced) as distinct_slices
    )

select
    slices.slice_key,  -- place among the slices of all corpora and both designs, from 1
    sliced.row_key,  -- the text
    sliced.design,  -- the design; null where all rows count
    sliced.is_ranked,  -- whether it is the one that ranks; else that of whole documents
    sliced.corpus,  -- the corpus
    sliced.slice_by,  -- all, carrier, language or a column of the corpus
    sliced.slice,  -- which one
    sliced.doc_id  -- the text's document
from sliced
inner join
    slices
    on sliced.is_ranked = slices.is_ranked
    and sliced.corpus = slices.corpus
    and sliced.slice_by = slices.slice_by
    and sliced.slice = slices.slice
