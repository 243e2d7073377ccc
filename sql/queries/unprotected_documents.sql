-- Whole documents of which a run left personal data of scored types readable, the worst first: how much of it, of
-- which labels, and the span with most of it as an example.
-- Parameters: run: any run that answered whole documents; n, or null for all such documents; corpus, or null for all:
-- any corpus of whole documents.
-- Grain: (corpus, doc_id).
with
    spans as (
        select rows.corpus, rows.doc_id, rows.row_id, gold.start_char, gold.end_char, gold.label, coverage.exposed_chars
        from intermediate.gold_coverage as coverage
        inner join staging.runs as runs on coverage.run_key = runs.run_key
        inner join intermediate.typed_gold as gold on coverage.gold_key = gold.gold_key
        inner join staging.all_rows as rows on gold.row_key = rows.row_key
        where runs.run_id = $run and gold.is_scored and rows.is_of_document
    ),
    of_documents as (
        select
            corpus,
            doc_id,
            count(*) as n_spans,
            count(*) filter (where exposed_chars > 0) as n_exposed_spans,
            list(distinct label order by label) filter (where exposed_chars > 0) as exposed_labels,
            first(row_id order by exposed_chars desc, row_id, start_char, end_char, label) as row_id,
            first(start_char order by exposed_chars desc, row_id, start_char, end_char, label) as start_char,
            first(end_char order by exposed_chars desc, row_id, start_char, end_char, label) as end_char
        from spans
        group by corpus, doc_id
    )

select
    counts.corpus,  -- the corpus
    counts.doc_id,  -- the document
    counts.n_rows,  -- its texts
    counts.n_rows_missing,  -- of `n_rows`, not answered
    counts.gold_chars,  -- characters of personal data of scored types
    counts.exposed_chars,  -- of `gold_chars`, left readable
    of_documents.n_spans,  -- gold spans of scored types
    of_documents.n_exposed_spans,  -- of `n_spans`, with a character left readable
    counts.n_entities,  -- entities that these spans mention
    counts.n_exposed_entities,  -- of `n_entities`, with a character of a mention left readable
    of_documents.exposed_labels,  -- labels of the spans with a character left readable
    of_documents.row_id,  -- the text with the span of which most characters are left readable
    of_documents.start_char,  -- first code point of that span
    of_documents.end_char  -- behind the last
from intermediate.document_counts as counts
inner join of_documents on counts.corpus = of_documents.corpus and counts.doc_id = of_documents.doc_id
where counts.run_id = $run and counts.exposed_chars > 0 and ($corpus is null or counts.corpus = $corpus)
order by counts.exposed_chars desc, counts.corpus, counts.doc_id
limit $n::bigint
