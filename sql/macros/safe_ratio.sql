-- The only division: an undefined ratio is NULL.
create or replace macro safe_ratio(numerator, denominator) as
case when denominator > 0 then numerator::double / denominator end
;
