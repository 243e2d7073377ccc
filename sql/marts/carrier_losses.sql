-- What a run found in prose and lost in a carrier, by type of gold, in passage characters.
-- Grain: (run_id, carrier, type).
with counts as (select run_id, carrier, unnest(by_type) as of_type from intermediate.pair_counts)

select
    run_id,  -- the run
    carrier,  -- the carrier
    of_type.type as type,  -- a type of the taxonomy
    sum(of_type.gold)::bigint as gold_chars,  -- its characters that are on the wire
    sum(of_type.kept)::bigint as kept_chars,  -- of `gold_chars`, found in both
    sum(of_type.lost)::bigint as lost_chars,  -- of `gold_chars`, found in prose alone
    sum(of_type.gained)::bigint as gained_chars,  -- of `gold_chars`, found in the carrier alone
    safe_ratio(sum(of_type.lost), sum(of_type.kept + of_type.lost)) as share_lost  -- of what was found in prose, the share lost
from counts
group by run_id, carrier, of_type.type
