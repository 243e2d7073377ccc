-- A text of a document that is taken of a slice.
-- Grain: (slice_key, row_key).
select
    texts.slice_key,  -- the slice
    texts.row_key  -- the text
from intermediate.row_slices as texts
inner join
    intermediate.slice_documents as documents
    on texts.slice_key = documents.slice_key
    and texts.doc_id = documents.doc_id
