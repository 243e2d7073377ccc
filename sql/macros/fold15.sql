-- x with its upper bits folded onto its lower ones.
create or replace macro fold15(x) as xor(x, x >> 15)
;
