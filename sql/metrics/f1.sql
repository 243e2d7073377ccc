-- Harmonic mean of precision and recall, from counts.
create or replace macro metrics.f1(tp, fp, fn) as safe_ratio(2 * tp, 2 * tp + fp + fn)
;
