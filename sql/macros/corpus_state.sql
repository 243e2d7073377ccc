-- State of the draws of a corpus, from which each replicate has its own: mix32(xor(state, replicate)). The unit's code
-- is 1 for rows, 2 for documents.
create or replace macro corpus_state(seed, unit_code, corpus) as
mix32(xor(mix32(xor(seed, (unit_code * 2654435761::bigint) & 4294967295)), name_key(corpus)))
;
