-- How often a replicate draws a unit: in each corpus as many units as it has, with replacement. A pure function of
-- seed, unit, corpus name, replicate and slot. The slot is mixed by itself first: a block of consecutive integers in
-- the last step would make the number of ties, and with it the variance, wrong by a percent.
-- Grain: (replicate_key, unit_key). One integer is the replicate's key, since grouping by it is several times faster
-- than by two; sorted, since summing over what lies together is too.
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
            corpus_state(settings.seed, if(strata.unit = 'row', 1, 2), strata.corpus) as state
        from strata
        cross join staging.settings as settings
    ),
    slots as (select unnest(range(max(n_units))) as slot from strata),
    slot_lists as (
        select strata.stratum_key, list(mix32(slots.slot) order by slots.slot) as slot_states
        from strata
        inner join slots on slots.slot < strata.n_units
        group by strata.stratum_key
    ),
    replicate_numbers as (
        select
            stratum_key,
            stratum_key * replicates as first_replicate_key,
            n_units,
            first_key,
            state,
            unnest(range(replicates)) as replicate
        from stratum_states
    ),
    drawn as (
        select
            numbers.first_replicate_key + numbers.replicate as replicate_key,
            numbers.n_units,
            numbers.first_key,
            mix32(xor(numbers.state, numbers.replicate)) as state,
            unnest(slot_lists.slot_states) as slot_state
        from replicate_numbers as numbers
        inner join slot_lists on numbers.stratum_key = slot_lists.stratum_key
    ),
    mixed as (select replicate_key, n_units, first_key, mix32(xor(state, slot_state)) as mixed_state from drawn),
    units_drawn as (
        select
            replicate_key::integer as replicate_key, (first_key + ((mixed_state * n_units) >> 32))::integer as unit_key
        from mixed
    )

select
    replicate_key,  -- stratum_key times the number of replicates, plus the replicate from 0
    unit_key,  -- a unit that was drawn
    count(*)::integer as n_drawn  -- how often
from units_drawn
group by replicate_key, unit_key
order by replicate_key, unit_key
