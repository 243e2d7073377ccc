-- Whether a whole document with gold is fully protected, for four runs side by side, as counts of 0 or 1: one join then
-- serves four runs. Gold does not depend on the run. Sorted, since the join looks documents up in their order.
-- Grain: (lane_block, doc_key).
with
    laned as (
        select
            quotient(runs.run_key - 1, 4) as lane_block,
            (runs.run_key - 1) % 4 as lane,
            documents.doc_key,
            counts.exposed_chars = 0 as is_protected
        from intermediate.document_counts as counts
        inner join staging.runs as runs on counts.run_id = runs.run_id
        inner join
            intermediate.documents as documents on counts.corpus = documents.corpus and counts.doc_id = documents.doc_id
        where counts.gold_chars > 0
    )

select
    lane_block::integer as lane_block,  -- runs 4 * lane_block + 1 and the three after it
    doc_key,  -- the document
    count(*) filter (where is_protected and lane = 0)::integer as protected_0,  -- 1 where the block's first run left none of its gold readable
    count(*) filter (where is_protected and lane = 1)::integer as protected_1,  -- the same of the second
    count(*) filter (where is_protected and lane = 2)::integer as protected_2,  -- the same of the third
    count(*) filter (where is_protected and lane = 3)::integer as protected_3  -- the same of the fourth
from laned
group by lane_block, doc_key
order by doc_key, lane_block
