-- A number of bits in billionths of one: an integer, so that sums do not depend on the order of what is added.
create or replace macro to_nanobits(bits) as round(bits * 1e9)::bigint
;
