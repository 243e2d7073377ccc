-- What a carrier does to a run: the same passages in the carrier and in prose, with paired intervals by document.
-- Kept: one file a run.
-- Grain: (run_id, carrier).
with
    corpora as (
        select
            run_id,
            carrier,
            corpus,
            metrics.f1(sum(tp), sum(fp), sum(fn)) as f1,
            metrics.f1(sum(prose_tp), sum(prose_fp), sum(prose_fn)) as prose_f1,
            metrics.recall(sum(kept_chars + gained_chars), sum(gold_chars - kept_chars - gained_chars)) as recall,
            metrics.recall(sum(kept_chars + lost_chars), sum(gold_chars - kept_chars - lost_chars)) as prose_recall
        from intermediate.pair_counts
        group by run_id, carrier, corpus
    ),
    means as (
        select
            run_id,
            carrier,
            mean_of(if(f1 is null, null, prose_f1), corpus) as f1_prose,
            mean_of(if(prose_f1 is null, null, f1), corpus) as f1_carrier,
            paired_difference(f1, prose_f1, corpus) as difference,
            mean_of(prose_recall, corpus) as recall_prose,
            mean_of(recall, corpus) as recall_carrier,
            paired_difference(recall, prose_recall, corpus) as recall_difference,
            count(*) as n_corpora_with_pairs,
            count(*) filter (where f1 is not null and prose_f1 is not null) as n_corpora
        from corpora
        group by run_id, carrier
    ),
    totals as (
        select
            run_id,
            carrier,
            count(*)::bigint as n_passages,
            sum(gold_chars)::bigint as gold_chars,
            sum(lost_chars)::bigint as lost_chars,
            sum(gained_chars)::bigint as gained_chars,
            sum(value_fp)::bigint as value_fp,
            sum(scaffold_fp)::bigint as scaffold_fp,
            sum(lookalike)::bigint as lookalike,
            sum(lookalike_touched)::bigint as lookalike_touched,
            sum(n_fields)::bigint as n_fields,
            sum(field_tp)::bigint as field_tp,
            sum(field_fp)::bigint as field_fp,
            sum(field_fn)::bigint as field_fn,
            sum(field_tn)::bigint as field_tn,
            sum(n_fields_excluded)::bigint as n_fields_excluded
        from intermediate.pair_counts
        group by run_id, carrier
    ),
    bootstrapped as (
        select
            replicates.run_id,
            replicates.carrier,
            quantile_cont(replicates.difference, 0.025) as difference_low,
            quantile_cont(replicates.difference, 0.975) as difference_high,
            quantile_cont(replicates.recall_difference, 0.025) as recall_difference_low,
            quantile_cont(replicates.recall_difference, 0.975) as recall_difference_high,
            count(replicates.difference)::bigint as n_replicates,
            count(*) filter (where replicates.n_corpora = means.n_corpora_with_pairs) as n_complete
        from intermediate.effect_replicates as replicates
        inner join means on replicates.run_id = means.run_id and replicates.carrier = means.carrier
        group by replicates.run_id, replicates.carrier
    )

select
    totals.run_id,  -- the run
    totals.carrier,  -- the carrier
    totals.n_passages,  -- passages that the run has a line for in both
    means.n_corpora::bigint as n_corpora,  -- corpora where both have an F1
    means.f1_prose,  -- mean F1 in prose over those corpora
    means.f1_carrier,  -- mean F1 in the carrier over the same
    means.difference,  -- mean F1 in the carrier minus that in prose
    bootstrapped.difference_low,  -- 2.5th percentile of the difference over replicates of documents
    bootstrapped.difference_high,  -- 97.5th percentile
    coalesce(bootstrapped.n_replicates, 0) as n_replicates,  -- replicates with a difference
    safe_ratio(settings.replicates - coalesce(bootstrapped.n_complete, 0), settings.replicates) as share_incomplete,  -- of all replicates, those that left a corpus out
    means.recall_prose,  -- of the personal data that is on the wire, in passage characters, the share found in prose; mean over corpora
    means.recall_carrier,  -- the share found in the carrier
    means.recall_difference,  -- recall in the carrier minus that in prose
    bootstrapped.recall_difference_low,  -- 2.5th percentile
    bootstrapped.recall_difference_high,  -- 97.5th percentile
    totals.gold_chars,  -- personal data of the passages that is on the wire, in passage characters
    totals.lost_chars,  -- of `gold_chars`, found in prose and not in the carrier
    totals.gained_chars,  -- of `gold_chars`, found in the carrier and not in prose
    totals.value_fp,  -- false positives on values, in wire characters
    totals.scaffold_fp,  -- false positives on syntax and keys
    totals.lookalike,  -- scaffold that looks like PII
    totals.lookalike_touched,  -- of `lookalike`, marked
    totals.n_fields,  -- values of the carrier
    totals.field_tp,  -- values with personal data, marked anywhere
    totals.field_fp,  -- values without any, marked anywhere
    totals.field_fn,  -- values with personal data, not marked
    totals.field_tn,  -- values without any, not marked
    totals.n_fields_excluded,  -- values with identifiers of a fixed format alone, in none of the four
    metrics.precision(totals.field_tp, totals.field_fp) as field_precision,  -- of the values marked, the share with personal data
    metrics.recall(totals.field_tp, totals.field_fn) as field_recall  -- of the values with personal data, the share marked
from totals
inner join means on totals.run_id = means.run_id and totals.carrier = means.carrier
left join bootstrapped on totals.run_id = bootstrapped.run_id and totals.carrier = bootstrapped.carrier
cross join staging.settings as settings
