-- Of the characters marked, the share that is personal data.
create or replace macro metrics.precision(tp, fp) as safe_ratio(tp, tp + fp)
;
