-- A text of the board that is counted: one that the design selects, one of a whole document, or one of another design
-- that a run answered. Where no design is asked for, every text.
-- Grain: (row_id).
with
    selected as (
        select designs.row_id
        from contracts.designs as designs
        inner join staging.settings as settings on designs.design = settings.design
    ),
    of_documents as (
        select designs.row_id
        from contracts.designs as designs
        inner join staging.settings as settings on designs.design = settings.documents_design
    ),
    marked as (
        select
            rows.*,
            settings.design is null or rows.row_id in (select selected.row_id from selected) as is_selected,
            case
                when settings.documents_design is not null
                then rows.row_id in (select of_documents.row_id from of_documents)
                else settings.design is null or rows.row_id in (select selected.row_id from selected)
            end as is_of_document,
            rows.row_id in (select answers.row_id from contracts.run_rows as answers) as is_answered
        from contracts.rows as rows
        cross join staging.settings as settings
    )

select
    row_number() over (order by row_id)::bigint as row_key,  -- place among the texts that are counted, from 1
    row_id,  -- the text's id
    is_selected,  -- whether the design selects it
    is_of_document,  -- whether it is of the design that holds documents whole
    corpus,  -- the stratum
    source,  -- the source within the corpus
    split,  -- the source's split
    doc_id,  -- the document, the independent unit
    passage_id,  -- the text before wrapping
    passage_start,  -- where the passage begins in its document
    language,  -- ISO 639-1
    carrier,  -- what the passage is wrapped in
    licence,  -- SPDX identifier
    text,  -- the wire text; may be personal data
    n_chars,  -- its length in code points
    slices  -- further columns to slice by
from marked
where is_selected or is_of_document or is_answered
