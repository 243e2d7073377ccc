-- A text that TAB's metrics are taken on: of a whole document, in a corpus whose gold names both entities and
-- identifier types, or whose annotators are known and marked nothing at all.
-- Grain: (row_key).
with
    texts as (select row_key, row_id, corpus, doc_id, passage_start from staging.all_rows where is_of_document),
    corpora as (
        select distinct corpus
        from texts
        where
            row_id in (
                select spans.row_id
                from contracts.gold_spans as spans
                where spans.entity_id is not null and spans.identifier_type is not null
            )
    ),
    silent_corpora as (
        select corpus
        from texts
        group by corpus
        having
            bool_or(row_id in (select annotators.row_id from contracts.annotators as annotators))
            and not bool_or(row_id in (select spans.row_id from contracts.gold_spans as spans))
    )

select
    texts.row_key,  -- the text
    texts.row_id,  -- its id
    dense_rank() over (order by texts.corpus, texts.doc_id)::bigint as doc_key,  -- place of its document among theirs, from 1
    texts.corpus,  -- the corpus
    texts.doc_id,  -- the document
    texts.passage_start  -- where the text begins in its document
from texts
where
    texts.corpus in (select corpora.corpus from corpora)
    or texts.corpus in (select silent_corpora.corpus from silent_corpora)
