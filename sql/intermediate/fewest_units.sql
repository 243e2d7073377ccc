-- How many units the smallest corpus has. Where that is one, every replicate draws the same unit, and an interval has
-- no
-- width whatever the truth is.
-- Grain: (unit).
with corpora as (select unit, corpus, count(*) as n_units from intermediate.units group by unit, corpus)

select
    unit,  -- row or document
    min(n_units)::bigint as n_units_fewest  -- of the corpus that has the fewest
from corpora
group by unit
