-- A passage in prose and in a carrier, of both of which a run has a line: what a carrier's effect is measured on. Of
-- several texts of a passage in prose the first serves; a text in a carrier without alignments has no pair.
-- Grain: (run_key, row_key).
with
    texts as (
        select rows.row_id, rows.corpus, rows.passage_id, rows.carrier
        from contracts.rows as rows
        cross join staging.settings as settings
        where
            settings.pairs_design is null
            or rows.row_id in (
                select designs.row_id
                from contracts.designs as designs
                inner join staging.settings as settings on designs.design = settings.pairs_design
            )
    ),
    prose as (
        select corpus, passage_id, min(row_id) as row_id from texts where carrier = 'prose' group by corpus, passage_id
    ),
    carried as (
        select row_id, corpus, passage_id
        from texts
        where carrier != 'prose' and row_id in (select alignments.row_id from contracts.alignments as alignments)
    ),
    asked as (
        select asked.run_key, asked.row_key, rows.row_id
        from intermediate.asked_rows as asked
        inner join staging.all_rows as rows on asked.row_key = rows.row_key
        where asked.is_asked
    )

select
    in_carrier.run_key,  -- the run
    in_carrier.row_key,  -- the text in a carrier
    in_prose.row_key as prose_key  -- the text in prose
from carried
inner join prose on carried.corpus = prose.corpus and carried.passage_id = prose.passage_id
inner join asked as in_carrier on carried.row_id = in_carrier.row_id
inner join asked as in_prose on prose.row_id = in_prose.row_id and in_carrier.run_key = in_prose.run_key
