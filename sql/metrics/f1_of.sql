-- Harmonic mean of a precision and a recall that are ratios of different things; undefined if one is.
create or replace macro metrics.f1_of(precision, recall) as
case when precision + recall = 0 then 0.0 else safe_ratio(2 * precision * recall, precision + recall) end
;
