-- A bijective mixer of 32-bit integers: xor-shift, multiply, xor-shift, multiply, xor-shift. Constants below 2^31, so
-- that a signed 64-bit integer holds every product.
create or replace macro mix32(x) as fold15(((fold15((fold16(x) * 569420461) & 4294967295)) * 1935289751) & 4294967295)
;
