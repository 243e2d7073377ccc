-- No column to slice by has a value, of four or more characters, that is the text of a gold span of the same document:
-- values of slices stand in reports.
with
    entries as (select source, doc_id, unnest(map_entries(slices)) as entry from contracts.rows),
    told as (
        select distinct source, doc_id, entry.key as name, lower(entry.value) as value
        from entries
        where length(entry.value) >= 4
    ),
    surfaces as (
        select distinct rows.source, rows.doc_id, lower(spans.surface) as surface
        from contracts.gold_spans as spans
        inner join contracts.rows as rows on spans.row_id = rows.row_id
    )

select told.name, told.source, told.doc_id
from told
inner join surfaces on told.source = surfaces.source and told.doc_id = surfaces.doc_id and told.value = surfaces.surface
