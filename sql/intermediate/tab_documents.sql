-- A document that TAB's metrics are taken on, and how many annotators judged it: those who are known to have, also
-- one who marked nothing, and at least one; by compat rules those alone who marked something.
-- Grain: (doc_key).
with
    known as (
        select rows.doc_key, annotators.annotator
        from contracts.annotators as annotators
        inner join intermediate.tab_rows as rows on annotators.row_id = rows.row_id
        cross join staging.settings as settings
        where settings.tab_rules = 'corrected'
        union all
        select doc_key, annotator
        from intermediate.mentions
    ),
    counts as (select doc_key, count(distinct annotator) as n_annotators from known group by doc_key),
    pairs as (select distinct doc_key, row_key, start_char, end_char from intermediate.mentions where is_to_mask),
    pair_counts as (select doc_key, count(*) as n_pairs from pairs group by doc_key),
    documents as (select distinct doc_key, corpus, doc_id from intermediate.tab_rows)

select
    documents.doc_key,  -- the document
    documents.corpus,  -- its corpus
    documents.doc_id,  -- its id
    greatest(coalesce(counts.n_annotators, 0), if(settings.tab_rules = 'compat', 0, 1))::bigint as n_annotators,  -- who judged it
    coalesce(pair_counts.n_pairs, 0)::bigint as n_pairs  -- pairs of start and end that are mentions to be masked
from documents
cross join staging.settings as settings
left join counts on documents.doc_key = counts.doc_key
left join pair_counts on documents.doc_key = pair_counts.doc_key
