-- Which identifiers of high severity (secrets, numbers of a state, payment) a run left readable, by corpus and label:
-- those that leaked most first, with the span of which most is readable as an example.
-- Parameters: run; corpus, or null for all; carrier, or null for all.
-- Grain: (corpus, label).
with
    spans as (
        select
            rows.corpus,
            gold.label,
            rows.row_id,
            gold.start_char,
            gold.end_char,
            coverage.exposed_chars,
            coverage.is_overlapped
        from intermediate.gold_coverage as coverage
        inner join staging.runs as runs on coverage.run_key = runs.run_key
        inner join intermediate.typed_gold as gold on coverage.gold_key = gold.gold_key
        inner join staging.rows as rows on gold.row_key = rows.row_key
        where
            runs.run_id = $run
            and gold.is_high_severity
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
    )

select
    corpus,  -- the corpus
    label,  -- our type
    count(*) as n_spans,  -- gold spans
    count(*) filter (where exposed_chars > 0) as n_exposed,  -- of `n_spans`, with a character left readable
    count(*) filter (where not is_overlapped) as n_leaked,  -- of `n_spans`, of which nothing is marked
    sum(exposed_chars)::bigint as exposed_chars,  -- their characters left readable
    first(row_id order by exposed_chars desc, row_id, start_char, end_char) filter (where exposed_chars > 0) as row_id,  -- the text with the span of which most is readable; null where none is
    first(start_char order by exposed_chars desc, row_id, start_char, end_char) filter (
        where exposed_chars > 0
    ) as start_char,  -- its first code point
    first(end_char order by exposed_chars desc, row_id, start_char, end_char) filter (
        where exposed_chars > 0
    ) as end_char  -- behind the last
from spans
group by corpus, label
order by n_leaked desc, n_exposed desc, corpus, label
