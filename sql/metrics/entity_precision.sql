-- Of the predicted spans, the share that is correct, or by half partly correct.
create or replace macro metrics.entity_precision(correct, partial, actual) as safe_ratio(2 * correct + partial, 2 * actual)
;
