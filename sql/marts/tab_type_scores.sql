-- TAB's recall of a run in one corpus on one type of entity, by the corpus's own name for it.
-- Grain: (run_id, corpus, type).
with counts as (select run_id, corpus, unnest(by_type) as of_type from intermediate.tab_counts)

select
    run_id,  -- the run
    corpus,  -- the corpus
    of_type.type as type,  -- what the corpus calls such an entity
    sum(of_type.mentions)::bigint as mentions,  -- mentions of entities that need masking, of all annotators
    sum(of_type.mentions_covered)::bigint as mentions_covered,  -- of them, covered
    sum(of_type.tokens)::bigint as tokens,  -- their tokens
    sum(of_type.tokens_covered)::bigint as tokens_covered,  -- of them, covered
    safe_ratio(sum(of_type.mentions_covered), sum(of_type.mentions)) as mention_recall,  -- the share of mentions covered
    safe_ratio(sum(of_type.tokens_covered), sum(of_type.tokens)) as token_recall  -- the share of tokens covered
from counts
group by run_id, corpus, of_type.type
