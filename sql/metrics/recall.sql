-- Of the characters that are personal data, the share marked.
create or replace macro metrics.recall(tp, fn) as safe_ratio(tp, tp + fn)
;
