-- Counts of a document for a run: what every figure of TAB's metrics is made of. Weights are in billionths of a bit;
-- masks, and tokens of masks, count once for each annotator of the document.
-- Kept: one file a run.
-- Grain: (run_id, corpus, doc_id).
with
    asked as (select distinct run_key, doc_key from intermediate.tab_asked),
    pairs as (select distinct row_key, start_char, end_char from intermediate.mentions where is_to_mask),
    stretches as (
        select
            asked.run_key,
            covers.doc_key,
            covers.label,
            covers.is_direct,
            covers.n_mentions,
            covers.n_tokens,
            if(covered.cover_key is null, 0, covers.n_mentions) as n_mentions_covered,
            if(covered.cover_key is null, 0, covers.n_tokens) as n_tokens_covered
        from asked
        inner join intermediate.covers as covers on asked.doc_key = covers.doc_key
        left join
            intermediate.covered as covered on asked.run_key = covered.run_key and covers.cover_key = covered.cover_key
    ),
    parts as (
        select run_key, doc_key, count(*) as n_rows, count(*) filter (where not is_answered) as n_rows_missing
        from intermediate.tab_asked
        group by run_key, doc_key
        union all by name
        select
            run_key,
            doc_key,
            label,
            sum(n_mentions) filter (where is_direct) as direct_mentions,
            sum(n_mentions_covered) filter (where is_direct) as direct_mentions_covered,
            sum(n_tokens) filter (where is_direct) as direct_tokens,
            sum(n_tokens_covered) filter (where is_direct) as direct_tokens_covered,
            sum(n_mentions) filter (where not is_direct) as quasi_mentions,
            sum(n_mentions_covered) filter (where not is_direct) as quasi_mentions_covered,
            sum(n_tokens) filter (where not is_direct) as quasi_tokens,
            sum(n_tokens_covered) filter (where not is_direct) as quasi_tokens_covered,
            sum(n_mentions)::bigint as mentions,
            sum(n_mentions_covered)::bigint as mentions_covered,
            sum(n_tokens)::bigint as tokens,
            sum(n_tokens_covered)::bigint as tokens_covered
        from stretches
        group by run_key, doc_key, label
        union all by name
        select
            run_key,
            doc_key,
            count(*) filter (where is_direct) as direct_entities,
            count(*) filter (where is_direct and is_covered) as direct_entities_covered,
            count(*) filter (where is_direct and is_exact) as direct_entities_exact,
            count(*) filter (where not is_direct) as quasi_entities,
            count(*) filter (where not is_direct and is_covered) as quasi_entities_covered,
            count(*) filter (where not is_direct and is_exact) as quasi_entities_exact
        from intermediate.tab_entities
        group by run_key, doc_key
        union all by name
        select
            masks.run_key,
            rows.doc_key,
            sum(masks.n_masks) as masks,
            sum(masks.n_masks * facts.n_right) as masks_right,
            sum(masks.n_masks * facts.weight) as mask_weight,
            sum(masks.n_masks * facts.n_right * facts.weight) as mask_weight_right,
            sum(masks.n_masks * facts.n_tokens) as mask_tokens,
            sum(masks.n_masks * facts.token_rights) as mask_tokens_right,
            sum(masks.n_masks * facts.token_weight) as mask_token_weight,
            sum(masks.n_masks * facts.token_right_weight) as mask_token_weight_right,
            count(*) filter (where masks.is_given) as exact_pred,
            count(pairs.row_key) filter (where masks.is_given) as exact_both,
            sum(facts.weight) filter (where masks.is_given) as exact_weight,
            sum(facts.weight) filter (where masks.is_given and pairs.row_key is not null) as exact_weight_both
        from intermediate.masks as masks
        inner join intermediate.tab_rows as rows on masks.row_key = rows.row_key
        inner join
            intermediate.mask_facts as facts
            on masks.row_key = facts.row_key
            and masks.start_char = facts.start_char
            and masks.end_char = facts.end_char
        left join
            pairs
            on masks.row_key = pairs.row_key
            and masks.start_char = pairs.start_char
            and masks.end_char = pairs.end_char
        group by masks.run_key, rows.doc_key
    )

select
    runs.run_id,  -- the run
    documents.corpus,  -- the corpus
    documents.doc_id,  -- the document
    sum(parts.n_rows)::bigint as n_rows,  -- its texts
    sum(parts.n_rows_missing)::bigint as n_rows_missing,  -- of `n_rows`, not answered
    documents.n_annotators,  -- who judged it
    coalesce(sum(parts.direct_mentions), 0)::bigint as direct_mentions,  -- mentions of direct identifiers, of all annotators
    coalesce(sum(parts.direct_mentions_covered), 0)::bigint as direct_mentions_covered,  -- of them, covered
    coalesce(sum(parts.direct_tokens), 0)::bigint as direct_tokens,  -- tokens of `direct_mentions`
    coalesce(sum(parts.direct_tokens_covered), 0)::bigint as direct_tokens_covered,  -- of them, covered
    coalesce(sum(parts.direct_entities), 0)::bigint as direct_entities,  -- direct identifiers
    coalesce(sum(parts.direct_entities_covered), 0)::bigint as direct_entities_covered,  -- of them, with every mention to be masked covered
    coalesce(sum(parts.direct_entities_exact), 0)::bigint as direct_entities_exact,  -- of them, with every mention to be masked predicted with its start and end
    coalesce(sum(parts.quasi_mentions), 0)::bigint as quasi_mentions,  -- mentions of quasi-identifiers, of all annotators
    coalesce(sum(parts.quasi_mentions_covered), 0)::bigint as quasi_mentions_covered,  -- of them, covered
    coalesce(sum(parts.quasi_tokens), 0)::bigint as quasi_tokens,  -- tokens of `quasi_mentions`
    coalesce(sum(parts.quasi_tokens_covered), 0)::bigint as quasi_tokens_covered,  -- of them, covered
    coalesce(sum(parts.quasi_entities), 0)::bigint as quasi_entities,  -- quasi-identifiers
    coalesce(sum(parts.quasi_entities_covered), 0)::bigint as quasi_entities_covered,  -- of them, with every mention to be masked covered
    coalesce(sum(parts.quasi_entities_exact), 0)::bigint as quasi_entities_exact,  -- of them, with every mention to be masked predicted with its start and end
    coalesce(sum(parts.masks), 0)::bigint * documents.n_annotators as masks,  -- masks, once for each annotator
    coalesce(sum(parts.masks_right), 0)::bigint as masks_right,  -- of them, right for the annotator
    coalesce(sum(parts.mask_weight), 0)::bigint * documents.n_annotators as mask_weight,  -- weight of `masks`
    coalesce(sum(parts.mask_weight_right), 0)::bigint as mask_weight_right,  -- weight of `masks_right`
    coalesce(sum(parts.mask_tokens), 0)::bigint * documents.n_annotators as mask_tokens,  -- tokens of masks, once for each annotator
    coalesce(sum(parts.mask_tokens_right), 0)::bigint as mask_tokens_right,  -- of them, right for the annotator
    coalesce(sum(parts.mask_token_weight), 0)::bigint * documents.n_annotators as mask_token_weight,  -- weight of `mask_tokens`
    coalesce(sum(parts.mask_token_weight_right), 0)::bigint as mask_token_weight_right,  -- weight of `mask_tokens_right`
    documents.n_pairs as exact_gold,  -- pairs of start and end that are mentions to be masked
    coalesce(sum(parts.exact_pred), 0)::bigint as exact_pred,  -- pairs of start and end that were predicted
    coalesce(sum(parts.exact_both), 0)::bigint as exact_both,  -- pairs that are both
    coalesce(sum(parts.exact_weight), 0)::bigint as exact_weight,  -- weight of `exact_pred`
    coalesce(sum(parts.exact_weight_both), 0)::bigint as exact_weight_both,  -- weight of `exact_both`
    coalesce(
        list(
            {
                'type':parts.label,
                'mentions':parts.mentions,
                'mentions_covered':parts.mentions_covered,
                'tokens':parts.tokens,
                'tokens_covered':parts.tokens_covered
            }
            order by parts.label
        ) filter (where parts.label is not null),
        []
    ) as by_type  -- mentions and tokens by what the corpus calls the entity
from parts
inner join staging.runs as runs on parts.run_key = runs.run_key
inner join intermediate.tab_documents as documents on parts.doc_key = documents.doc_key
group by runs.run_id, documents.corpus, documents.doc_id, documents.n_annotators, documents.n_pairs
