-- Whole-document protection of a run in one corpus, and over all of them: sums of the counts, and the plain mean of the
-- shares over the corpora that have one.
-- Grain: (run_id, corpus).
with
    of_corpora as (
        select
            run_id,
            corpus,
            count(*)::bigint as n_documents,
            count(*) filter (where gold_chars > 0)::bigint as n_documents_with_gold,
            count(*) filter (where gold_chars > 0 and exposed_chars = 0)::bigint as n_protected,
            count(*) filter (where gold_chars + identifier_chars > 0)::bigint as n_documents_with_any,
            count(*) filter (
                where gold_chars + identifier_chars > 0 and exposed_chars + exposed_identifier_chars = 0
            )::bigint as n_protected_with_identifiers,
            sum(n_entities)::bigint as n_entities,
            sum(n_exposed_entities)::bigint as n_exposed_entities,
            sum(n_identifiers)::bigint as n_identifiers,
            sum(n_exposed_identifiers)::bigint as n_exposed_identifiers,
            sum(gold_chars)::bigint as gold_chars,
            sum(exposed_chars)::bigint as exposed_chars,
            sum(identifier_chars)::bigint as identifier_chars,
            sum(exposed_identifier_chars)::bigint as exposed_identifier_chars,
            sum(n_rows)::bigint as n_rows,
            sum(n_rows_missing)::bigint as n_rows_missing
        from intermediate.document_counts
        group by run_id, corpus
    ),
    shares as (
        select
            *,
            safe_ratio(n_protected, n_documents_with_gold) as share_protected,
            safe_ratio(n_protected_with_identifiers, n_documents_with_any) as share_protected_with_identifiers
        from of_corpora
    )

select
    run_id,  -- the run
    corpus,  -- the corpus; null for all of them
    sum(n_documents)::bigint as n_documents,  -- whole documents
    sum(n_documents_with_gold)::bigint as n_documents_with_gold,  -- of them, with personal data of scored types
    sum(n_protected)::bigint as n_protected,  -- of `n_documents_with_gold`, with none of it left readable
    mean_of(share_protected, corpus) as share_protected,  -- `n_protected` of `n_documents_with_gold`; over corpora the mean
    count(share_protected)::bigint as n_corpora,  -- corpora with a share
    sum(n_documents_with_any)::bigint as n_documents_with_any,  -- documents with personal data of scored types or an identifier with a fixed format
    sum(n_protected_with_identifiers)::bigint as n_protected_with_identifiers,  -- of `n_documents_with_any`, with nothing of either left readable
    mean_of(share_protected_with_identifiers, corpus) as share_protected_with_identifiers,  -- their share; over corpora the mean
    sum(n_entities)::bigint as n_entities,  -- entities that scored spans mention
    sum(n_exposed_entities)::bigint as n_exposed_entities,  -- of them, with a character of a mention left readable
    sum(n_identifiers)::bigint as n_identifiers,  -- entities that excluded spans mention
    sum(n_exposed_identifiers)::bigint as n_exposed_identifiers,  -- of them, with a character of a mention left readable
    sum(gold_chars)::bigint as gold_chars,  -- personal data of scored types
    sum(exposed_chars)::bigint as exposed_chars,  -- of `gold_chars`, left readable
    sum(identifier_chars)::bigint as identifier_chars,  -- in identifiers with a fixed format
    sum(exposed_identifier_chars)::bigint as exposed_identifier_chars,  -- of `identifier_chars`, left readable
    sum(n_rows)::bigint as n_rows,  -- texts of the documents
    sum(n_rows_missing)::bigint as n_rows_missing  -- of `n_rows`, not answered
from shares
group by grouping sets ((run_id, corpus), (run_id))
