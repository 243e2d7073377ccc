-- A slice of a corpus in a design, with what is taken of it.
-- Grain: (slice_key).
with
    documents as (
        select
            slice_key,
            any_value(design) as design,
            any_value(is_ranked) as is_ranked,
            any_value(corpus) as corpus,
            any_value(slice_by) as slice_by,
            any_value(slice) as slice,
            count(*) as n_documents
        from intermediate.slice_documents
        group by slice_key
    ),
    texts as (select slice_key, count(*) as n_rows from intermediate.slice_rows group by slice_key)

select
    documents.slice_key,  -- place among the slices of all corpora and both designs, from 1
    documents.design,  -- the design; null where all rows count
    documents.is_ranked,  -- whether it is the one that ranks; else that of whole documents
    documents.corpus,  -- the corpus
    documents.slice_by,  -- all, carrier, language or a column of the corpus
    documents.slice,  -- which one
    documents.n_documents,  -- documents taken
    texts.n_rows  -- texts of them
from documents
inner join texts on documents.slice_key = texts.slice_key
