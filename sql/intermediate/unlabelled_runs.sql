-- A run that predicts spans and none of whose labels is a type of the taxonomy, a label of the gold or one that the map
-- ignores, such as a run of masks: what asks for labels does not apply to it.
-- Grain: (run_key).
with gold as (select distinct label from intermediate.typed_gold)

select pred.run_key  -- the run
from intermediate.typed_pred as pred
left join staging.taxonomy as taxonomy on pred.label = taxonomy.type
left join gold on pred.label = gold.label
group by pred.run_key
having not bool_or(pred.is_ignored or taxonomy.type is not null or gold.label is not null)
