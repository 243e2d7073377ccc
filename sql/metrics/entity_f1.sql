-- Harmonic mean of the two, from counts; of all spans, gold and predicted.
create or replace macro metrics.entity_f1(correct, partial, n_spans) as safe_ratio(2 * correct + partial, n_spans)
;
