-- Whole part of a quotient of two integers, both above -1. (The formatter takes DuckDB's own sign for it as a comment.)
create or replace macro quotient(number, divisor) as ((number - number % divisor) / divisor)::bigint
;
