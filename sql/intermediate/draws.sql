-- The units that a replicate draws: in each corpus as many as it has, with replacement. A pure function of seed,
-- unit, corpus
-- name, replicate and slot. The slot is mixed by itself first: a block of consecutive integers in the last step would
-- make
-- the number of ties, and with it the variance, wrong by a percent.
-- Grain: (replicate_key, slot), the slot left out. One integer as key, since grouping by it is several times faster
-- than by two.
with
    strata as (
        select stratum_key, unit, corpus, count(*) as n_units, min(unit_key) as first_key
        from intermediate.units
        group by stratum_key, unit, corpus
    ),
    stratum_states as (
        select
            strata.stratum_key,
            strata.n_units,
            strata.first_key,
            settings.replicates,
            mix32(
                xor(
                    mix32(xor(settings.seed, (if(strata.unit = 'row', 1, 2) * 2654435769::bigint) & 4294967295)),
                    name_key(strata.corpus)
                )
            ) as state
        from strata
        cross join staging.settings as settings
    ),
    replicate_numbers as (
        select
            stratum_key * replicates as first_replicate,
            n_units,
            first_key,
            state,
            unnest(range(replicates)) as replicate
        from stratum_states
    ),
    slots as (
        select
            first_replicate + replicate as replicate_key,
            n_units,
            first_key,
            mix32(xor(state, replicate)) as state,
            unnest(range(n_units)) as slot
        from replicate_numbers
    )

select
    replicate_key::integer as replicate_key,  -- stratum_key times the number of replicates, plus the replicate from 0
    (first_key + ((mix32(xor(state, mix32(slot))) * n_units) >> 32))::integer as unit_key  -- the unit drawn
from slots
