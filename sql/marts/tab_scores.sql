-- TAB's metrics of a run in one corpus, micro-averaged over documents and annotators. Two corpora are two
-- measurements: there is no mean over them.
-- Grain: (run_id, corpus).
with
    sums as (
        select
            run_id,
            corpus,
            count(*)::bigint as n_documents,
            sum(n_rows_missing)::bigint as n_rows_missing,
            sum(direct_mentions)::bigint as direct_mentions,
            sum(direct_mentions_covered)::bigint as direct_mentions_covered,
            sum(direct_tokens)::bigint as direct_tokens,
            sum(direct_tokens_covered)::bigint as direct_tokens_covered,
            sum(direct_entities)::bigint as direct_entities,
            sum(direct_entities_covered)::bigint as direct_entities_covered,
            sum(direct_entities_exact)::bigint as direct_entities_exact,
            sum(quasi_mentions)::bigint as quasi_mentions,
            sum(quasi_mentions_covered)::bigint as quasi_mentions_covered,
            sum(quasi_tokens)::bigint as quasi_tokens,
            sum(quasi_tokens_covered)::bigint as quasi_tokens_covered,
            sum(quasi_entities)::bigint as quasi_entities,
            sum(quasi_entities_covered)::bigint as quasi_entities_covered,
            sum(quasi_entities_exact)::bigint as quasi_entities_exact,
            sum(masks)::bigint as masks,
            sum(masks_right)::bigint as masks_right,
            sum(mask_weight)::bigint as mask_weight,
            sum(mask_weight_right)::bigint as mask_weight_right,
            sum(mask_tokens)::bigint as mask_tokens,
            sum(mask_tokens_right)::bigint as mask_tokens_right,
            sum(mask_token_weight)::bigint as mask_token_weight,
            sum(mask_token_weight_right)::bigint as mask_token_weight_right,
            sum(exact_gold)::bigint as exact_gold,
            sum(exact_pred)::bigint as exact_pred,
            sum(exact_both)::bigint as exact_both,
            sum(exact_weight)::bigint as exact_weight,
            sum(exact_weight_both)::bigint as exact_weight_both
        from intermediate.tab_counts
        group by run_id, corpus
    ),
    whole as (
        select
            *,
            direct_mentions + quasi_mentions as mentions,
            direct_mentions_covered + quasi_mentions_covered as mentions_covered,
            direct_tokens + quasi_tokens as tokens,
            direct_tokens_covered + quasi_tokens_covered as tokens_covered,
            direct_entities + quasi_entities as entities,
            direct_entities_covered + quasi_entities_covered as entities_covered,
            direct_entities_exact + quasi_entities_exact as entities_exact
        from sums
    )

select
    run_id,  -- the run
    corpus,  -- the corpus
    n_documents,  -- documents scored
    n_rows_missing,  -- texts of them that were not answered
    mentions,  -- mentions of entities that need masking, of all annotators
    mentions_covered,  -- of them, covered
    tokens,  -- tokens of `mentions`
    tokens_covered,  -- of them, covered
    entities,  -- entities that need masking
    entities_covered,  -- of them, with every mention to be masked covered
    direct_mentions,  -- of `mentions`, those of direct identifiers
    direct_mentions_covered,  -- of them, covered
    direct_tokens,  -- tokens of `direct_mentions`
    direct_tokens_covered,  -- of them, covered
    direct_entities,  -- of `entities`, direct identifiers
    direct_entities_covered,  -- of them, covered
    quasi_mentions,  -- of `mentions`, those of quasi-identifiers
    quasi_mentions_covered,  -- of them, covered
    quasi_tokens,  -- tokens of `quasi_mentions`
    quasi_tokens_covered,  -- of them, covered
    quasi_entities,  -- of `entities`, quasi-identifiers
    quasi_entities_covered,  -- of them, covered
    masks,  -- masks, once for each annotator of their document
    masks_right,  -- of them, right for the annotator
    mask_weight,  -- weight of `masks`, in billionths of a bit
    mask_weight_right,  -- weight of `masks_right`
    mask_tokens,  -- tokens of masks, once for each annotator
    mask_tokens_right,  -- of them, right for the annotator
    mask_token_weight,  -- weight of `mask_tokens`
    mask_token_weight_right,  -- weight of `mask_tokens_right`
    exact_gold,  -- pairs of start and end that are mentions to be masked
    exact_pred,  -- pairs that were predicted
    exact_both,  -- pairs that are both
    exact_weight,  -- weight of `exact_pred`
    exact_weight_both,  -- weight of `exact_both`
    safe_ratio(mentions_covered, mentions) as mention_recall,  -- R_di+qi
    safe_ratio(direct_mentions_covered, direct_mentions) as mention_recall_direct,  -- R_di
    safe_ratio(quasi_mentions_covered, quasi_mentions) as mention_recall_quasi,  -- R_qi
    safe_ratio(tokens_covered, tokens) as token_recall,  -- of the tokens of mentions, the share covered
    safe_ratio(direct_tokens_covered, direct_tokens) as token_recall_direct,  -- the same of direct identifiers
    safe_ratio(quasi_tokens_covered, quasi_tokens) as token_recall_quasi,  -- the same of quasi-identifiers
    safe_ratio(entities_covered, entities) as entity_recall,  -- ER
    safe_ratio(direct_entities_covered, direct_entities) as entity_recall_direct,  -- ER_di, the primary figure
    safe_ratio(quasi_entities_covered, quasi_entities) as entity_recall_quasi,  -- ER_qi
    safe_ratio(masks_right, masks) as mention_precision,  -- P_di+qi
    safe_ratio(mask_weight_right, mask_weight) as weighted_mention_precision,  -- WP_di+qi
    safe_ratio(mask_tokens_right, mask_tokens) as token_precision,  -- of the tokens masked, the share that annotators would have
    safe_ratio(mask_token_weight_right, mask_token_weight) as weighted_token_precision,  -- the same by weight
    metrics.f1_of(safe_ratio(mask_tokens_right, mask_tokens), safe_ratio(tokens_covered, tokens)) as token_f1,  -- harmonic mean of token precision and token recall
    safe_ratio(exact_both, exact_gold) as exact_mention_recall,  -- tab_exact: R_di+qi
    safe_ratio(exact_both, exact_pred) as exact_mention_precision,  -- tab_exact: P_di+qi
    safe_ratio(exact_weight_both, exact_weight) as exact_weighted_precision,  -- tab_exact: WP_di+qi
    safe_ratio(entities_exact, entities) as exact_entity_recall,  -- tab_exact: ER
    safe_ratio(direct_entities_exact, direct_entities) as exact_entity_recall_direct,  -- tab_exact: ER_di
    safe_ratio(quasi_entities_exact, quasi_entities) as exact_entity_recall_quasi  -- tab_exact: ER_qi
from whole
