-- x with its upper half folded onto its lower one.
create or replace macro fold16(x) as xor(x, x >> 16)
;
