-- Paired comparison of two runs on the draws that they share.
-- Grain: (run_a, run_b, unit).
with
    scored as (select run_id, slice as corpus, f1 from marts.scores where slice_by = 'corpus'),
    observed as (
        select
            one.run_id as run_a,
            other.run_id as run_b,
            paired_difference(one.f1, other.f1, one.corpus) as difference,
            count(*) filter (where one.f1 is not null and other.f1 is not null) as n_corpora
        from scored as one
        inner join scored as other on one.corpus = other.corpus and one.run_id != other.run_id
        group by one.run_id, other.run_id
    ),
    bootstrapped as (
        select
            run_a,
            run_b,
            unit,
            quantile_cont(difference, 0.025) as low,
            quantile_cont(difference, 0.975) as high,
            count(difference) as n_replicates,
            count(*) filter (where difference <= 0) as n_not_above,
            count(*) filter (where difference >= 0) as n_not_below,
            sqrt(list_var_samp(list(difference order by replicate) filter (where difference is not null))) as spread,
            safe_ratio(count(*) filter (where n_corpora_undefined > 0), count(*)) as share_incomplete
        from intermediate.replicate_differences
        group by run_a, run_b, unit
    )

select
    bootstrapped.run_a,  -- the first run
    bootstrapped.run_b,  -- the second run
    bootstrapped.unit,  -- what was drawn: row or document
    observed.difference,  -- mean F1 of the first minus that of the second
    bootstrapped.low as difference_low,  -- 2.5th percentile of the difference
    bootstrapped.high as difference_high,  -- 97.5th percentile
    case
        when bootstrapped.n_replicates > 0
        then least(1.0, 2.0 * safe_ratio(least(n_not_above, n_not_below) + 1, bootstrapped.n_replicates + 1))
    end as p_value,  -- two-sided
    2.8 * bootstrapped.spread as smallest_detectable,  -- the smallest difference that these rows could have told apart
    observed.n_corpora::bigint as n_corpora,  -- corpora where both have a value
    bootstrapped.n_replicates::bigint as n_replicates,  -- replicates with a difference
    bootstrapped.share_incomplete,  -- of all replicates, those that left a corpus out
    sizes.n_units_fewest  -- units of the smallest corpus: of one, neither interval nor p says anything
from bootstrapped
inner join intermediate.fewest_units as sizes on bootstrapped.unit = sizes.unit
inner join observed on bootstrapped.run_a = observed.run_a and bootstrapped.run_b = observed.run_b
