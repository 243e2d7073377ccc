-- What a label means that a run predicts: what was said of it when the run was imported, else what the label map says.
-- Of a file's predictions whose maker is not known, labels mean what they usually do (namespace `usual`).
-- Grain: (run_key, source_label).
with
    predicted as (
        select
            runs.run_key,
            any_value(if(runs.label_namespace = '*', 'usual', runs.label_namespace)) as label_namespace,
            any_value(runs.settings['label ' || spans.source_label]) as told_type,
            spans.source_label,
            count(*) as n_spans
        from contracts.pred_spans as spans
        inner join staging.runs as runs on spans.run_id = runs.run_id
        group by runs.run_key, spans.source_label
    ),
    mapped as (
        select predicted.*, coalesce(predicted.told_type, own.type, shared.type) as type
        from predicted
        left join
            staging.label_map as own
            on predicted.label_namespace = own.namespace
            and predicted.source_label = own.source_label
        left join staging.label_map as shared on shared.namespace = '*' and predicted.source_label = shared.source_label
    )

select
    mapped.run_key,  -- the run
    mapped.source_label,  -- what the detector calls it
    mapped.type,  -- our type; null where nobody names one, `ignored` where somebody says so
    coalesce(taxonomy.type, mapped.source_label) as label,  -- our type, or what the detector calls it where there is none
    mapped.n_spans::bigint as n_spans  -- spans that the run gave it to
from mapped
left join staging.taxonomy as taxonomy on mapped.type = taxonomy.type
