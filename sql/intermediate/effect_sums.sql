-- Counts of a carrier's pairs in a bootstrap replicate of documents, in one stratum. A document without such a pair
-- counts nothing, and where only those were drawn there is no line. An error is a false positive or negative character.
-- Grain: (run_key, carrier, stratum_key, replicate).
with
    documents as (
        select
            runs.run_key,
            counts.carrier,
            units.unit_key,
            sum(counts.tp)::integer as tp,
            sum(counts.fp + counts.fn)::integer as errors,
            sum(counts.prose_tp)::integer as prose_tp,
            sum(counts.prose_fp + counts.prose_fn)::integer as prose_errors,
            sum(counts.gold_chars)::integer as gold_chars,
            sum(counts.kept_chars + counts.gained_chars)::integer as found_chars,
            sum(counts.kept_chars + counts.lost_chars)::integer as prose_found_chars
        from intermediate.pair_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
        inner join
            intermediate.units as units
            on units.unit = 'document'
            and counts.corpus = units.corpus
            and counts.doc_id = units.unit_id
        group by runs.run_key, counts.carrier, units.unit_key
    ),
    arms as (select *, dense_rank() over (order by run_key, carrier)::integer as arm_key from documents),
    names as (select distinct arm_key, run_key, carrier from arms),
    sums as (
        select
            arms.arm_key,
            draws.replicate_key,
            sum(draws.n_drawn * arms.tp) as tp,
            sum(draws.n_drawn * arms.errors) as errors,
            sum(draws.n_drawn * arms.prose_tp) as prose_tp,
            sum(draws.n_drawn * arms.prose_errors) as prose_errors,
            sum(draws.n_drawn * arms.gold_chars) as gold_chars,
            sum(draws.n_drawn * arms.found_chars) as found_chars,
            sum(draws.n_drawn * arms.prose_found_chars) as prose_found_chars
        from intermediate.draws as draws
        inner join arms on draws.unit_key = arms.unit_key
        group by arms.arm_key, draws.replicate_key
    )

select
    names.run_key,  -- the run
    names.carrier,  -- the carrier
    quotient(sums.replicate_key, settings.replicates)::integer as stratum_key,  -- the stratum
    (sums.replicate_key % settings.replicates)::integer as replicate,  -- from 0
    sums.tp::bigint as tp,  -- in the carrier: personal data, marked
    sums.errors::bigint as errors,  -- in the carrier: fp and fn
    sums.prose_tp::bigint as prose_tp,  -- in prose: personal data, marked
    sums.prose_errors::bigint as prose_errors,  -- in prose: fp and fn
    sums.gold_chars::bigint as gold_chars,  -- personal data of the passages that is on the wire
    sums.found_chars::bigint as found_chars,  -- of `gold_chars`, found in the carrier
    sums.prose_found_chars::bigint as prose_found_chars  -- of `gold_chars`, found in prose
from sums
inner join names on sums.arm_key = names.arm_key
cross join staging.settings as settings
