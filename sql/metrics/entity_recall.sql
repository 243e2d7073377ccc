-- Of the gold spans, the share that is found correctly, or by half partly.
create or replace macro metrics.entity_recall(correct, partial, possible) as
safe_ratio(2 * correct + partial, 2 * possible)
;
