-- Bootstrap interval, over documents, of the share of fully protected documents of a run in one corpus, and of its mean
-- over the corpora.
-- Kept: one file a run.
-- Grain: (run_id, corpus).
with
    strata as (select distinct stratum_key, corpus from intermediate.documents),
    shares as (
        select run_key, stratum_key, replicate, safe_ratio(n_protected, n_documents_with_gold) as share
        from intermediate.document_replicates
    ),
    means as (
        select run_key, replicate, mean_of(share, stratum_key) as share, count(*) as n_corpora
        from shares
        group by run_key, replicate
    ),
    replicates as (
        select shares.run_key, strata.corpus, shares.share, 1 as n_corpora
        from shares
        inner join strata on shares.stratum_key = strata.stratum_key
        union all
        select run_key, null, share, n_corpora
        from means
    ),
    named as (
        select runs.run_id, replicates.corpus, replicates.share, replicates.n_corpora
        from replicates
        inner join staging.runs as runs on replicates.run_key = runs.run_key
    )

select
    scores.run_id,  -- the run
    scores.corpus,  -- the corpus; null for the mean over corpora
    quantile_cont(named.share, 0.025) as share_protected_low,  -- 2.5th percentile of `share_protected`
    quantile_cont(named.share, 0.975) as share_protected_high,  -- 97.5th percentile
    count(named.share)::bigint as n_replicates,  -- replicates with a share
    safe_ratio(
        any_value(settings.replicates) - count(*) filter (where named.n_corpora = scores.n_corpora),
        any_value(settings.replicates)
    ) as share_incomplete  -- of all replicates, those that drew no document with gold; of the mean, those that left a corpus out
from marts.document_scores as scores
cross join staging.settings as settings
left join named on scores.run_id = named.run_id and scores.corpus is not distinct from named.corpus
group by scores.run_id, scores.corpus
