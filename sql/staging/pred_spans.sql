-- A predicted span of a text that is counted; identical ones are one, with the highest score.
-- Of a file's predictions whose maker is not known, labels mean what they usually do (namespace `usual`).
-- Grain: (run_key, row_key, start_char, end_char, source_label).
with
    spans as (
        select
            runs.run_key,
            any_value(if(runs.label_namespace = '*', 'usual', runs.label_namespace)) as label_namespace,
            rows.row_key,
            spans.start_char,
            spans.end_char,
            spans.source_label,
            max(spans.score) as score,
            count(*) as n_copies
        from contracts.pred_spans as spans
        inner join staging.runs as runs on spans.run_id = runs.run_id
        inner join staging.all_rows as rows on spans.row_id = rows.row_id
        group by runs.run_key, rows.row_key, spans.start_char, spans.end_char, spans.source_label
    )

select
    spans.run_key,  -- the run
    spans.row_key,  -- the text
    spans.start_char,  -- first code point
    spans.end_char,  -- behind the last
    spans.source_label,  -- what the detector calls it
    coalesce(own.type, shared.type) as type,  -- our type; null where the map names none, `ignored` where it says so
    coalesce(taxonomy.type, spans.source_label) as label,  -- our type, or what the detector calls it where there is none
    spans.score,  -- its confidence
    spans.n_copies::bigint as n_copies  -- how often the run gave it
from spans
left join staging.label_map as own on spans.label_namespace = own.namespace and spans.source_label = own.source_label
left join staging.label_map as shared on shared.namespace = '*' and spans.source_label = shared.source_label
left join staging.taxonomy as taxonomy on coalesce(own.type, shared.type) = taxonomy.type
