-- Of the characters of fixed-format identifiers, the share marked anyway.
create or replace macro metrics.touch_rate(touched, excluded) as safe_ratio(touched, excluded)
;
