-- A text that a detector of one's own should answer, in the layout of a rows file, without its gold: one of the design
-- that ranks, of the pairs of carrier and prose, or of whole documents; every text where there are no designs.
-- Grain: (id).
with
    asked as (
        select designs.row_id
        from contracts.designs as designs
        inner join
            staging.settings as settings
            on designs.design = settings.design
            or designs.design = settings.pairs_design
            or designs.design = settings.documents_design
    )

select
    rows.row_id as id,  -- the text's id
    rows.corpus as dataset,  -- the corpus
    rows.language,  -- ISO 639-1
    rows.carrier,  -- what the passage is wrapped in
    rows.text  -- the wire text; may be personal data
from contracts.rows as rows
cross join staging.settings as settings
where settings.design is null or rows.row_id in (select asked.row_id from asked)
