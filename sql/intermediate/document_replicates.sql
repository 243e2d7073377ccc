-- Documents with gold, and those of them that are fully protected, among the documents of a corpus that a bootstrap
-- replicate draws; where none with gold was drawn there is no line. Documents of the texts that count have their draws
-- in `draws`, under the same keys, since there they come before the rows. Those of a design of their own can be many
-- more: they are drawn by the same formula here and counted at once.
-- Grain: (run_key, stratum_key, replicate).
with
    strata as (
        select stratum_key, corpus, count(*) as n_units, min(doc_key) as first_key
        from intermediate.documents
        group by stratum_key, corpus
    ),
    own_strata as (
        select
            strata.stratum_key,
            strata.n_units,
            strata.first_key,
            settings.replicates,
            corpus_state(settings.seed, 2, strata.corpus) as state
        from strata
        cross join staging.settings as settings
        where settings.documents_design is not null
    ),
    slots as (select unnest(range(max(n_units))) as slot from own_strata),
    slot_lists as (
        select strata.stratum_key, list(mix32(slots.slot) order by slots.slot) as slot_states
        from own_strata as strata
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
        from own_strata
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
    documents_drawn as (
        select
            replicate_key::integer as replicate_key,
            (first_key + ((mixed_state * n_units) >> 32))::integer as doc_key,
            1 as n_drawn
        from mixed
        union all
        select draws.replicate_key, draws.unit_key, draws.n_drawn
        from intermediate.draws as draws
        cross join staging.settings as settings
        where settings.documents_design is null and draws.unit_key < (select count(*) from intermediate.documents)
    ),
    sums as (
        select
            lanes.lane_block,
            drawn.replicate_key,
            sum(drawn.n_drawn) as with_gold,
            sum(drawn.n_drawn * lanes.protected_0) as protected_0,
            sum(drawn.n_drawn * lanes.protected_1) as protected_1,
            sum(drawn.n_drawn * lanes.protected_2) as protected_2,
            sum(drawn.n_drawn * lanes.protected_3) as protected_3
        from documents_drawn as drawn
        inner join intermediate.document_lanes as lanes on drawn.doc_key = lanes.doc_key
        group by lanes.lane_block, drawn.replicate_key
    ),
    measured_runs as (
        select distinct runs.run_key
        from intermediate.document_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
    ),
    unpacked as (
        select
            runs.run_key,
            sums.replicate_key,
            sums.with_gold,
            case
                (runs.run_key - 1) % 4
                when 0
                then protected_0
                when 1
                then protected_1
                when 2
                then protected_2
                else protected_3
            end as n_protected
        from sums
        inner join measured_runs as runs on sums.lane_block = quotient(runs.run_key - 1, 4)
    )

select
    unpacked.run_key::integer as run_key,  -- the run
    quotient(unpacked.replicate_key, settings.replicates)::integer as stratum_key,  -- the corpus, as in `documents`
    (unpacked.replicate_key % settings.replicates)::integer as replicate,  -- from 0
    unpacked.with_gold::bigint as n_documents_with_gold,  -- documents drawn that hold personal data of scored types
    unpacked.n_protected::bigint as n_protected  -- of them, those with none of it left readable
from unpacked
cross join staging.settings as settings
