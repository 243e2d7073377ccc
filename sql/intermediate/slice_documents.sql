-- A document that is taken of a slice: each, or so many as the settings say, by a hash of its id.
-- Grain: (design, corpus, slice_by, slice, doc_id).
with
    documents as (
        select slice_key, doc_id, design, is_ranked, corpus, slice_by, slice
        from intermediate.row_slices
        group by slice_key, doc_id, design, is_ranked, corpus, slice_by, slice
    ),
    numbered as (
        select *, row_number() over (partition by slice_key order by name_key(doc_id), doc_id) as number from documents
    )

select
    numbered.slice_key,  -- the slice
    numbered.design,  -- the design; null where all rows count
    numbered.is_ranked,  -- whether it is the one that ranks; else that of whole documents
    numbered.corpus,  -- the corpus
    numbered.slice_by,  -- all, carrier, language or a column of the corpus
    numbered.slice,  -- which one
    numbered.doc_id  -- the document
from numbered
cross join staging.settings as settings
where settings.document_limit is null or numbered.number <= settings.document_limit
