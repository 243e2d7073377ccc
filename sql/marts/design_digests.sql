-- Digest of the rows that a design selects and of their gold; null where not all of them are counted here.
-- Grain: (design).
select
    designs.design,  -- its name in data/protocol.toml
    count(*)::bigint as n_rows,  -- rows that it selects
    case
        when count(digests.row_id) = count(*) then sha256(string_agg(digests.row_digest, '' order by digests.row_id))
    end as rows_digest  -- SHA-256, hexadecimal
from contracts.designs as designs
left join intermediate.row_digests as digests on designs.row_id = digests.row_id
group by designs.design
