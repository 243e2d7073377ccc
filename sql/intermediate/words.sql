-- A word of a text, and how much it tells: the logarithm of its share among the words of its corpus, in lower case.
-- A blank before the text has a gap come before every word. The lower case of a capital I with a dot is two
-- characters, which DuckDB's own does not know.
-- Grain: (row_key, start_char).
with
    cut as (
        select
            rows.row_key,
            rows.corpus,
            regexp_extract_all(texts.text, '[\p{L}\p{N}_]+') as words,
            regexp_extract_all(' ' || texts.text, '[^\p{L}\p{N}_]+') as gaps
        from intermediate.tab_rows as rows
        inner join contracts.rows as texts on rows.row_id = texts.row_id
    ),
    listed as (
        select row_key, corpus, unnest(words) as word, unnest(gaps) as gap, unnest(range(len(words))) as place from cut
    ),
    placed as (
        select
            row_key,
            corpus,
            word,
            sum(length(gap) + length(word)) over (partition by row_key order by place rows unbounded preceding)::bigint
            - 1 as end_char
        from listed
        where word is not null
    ),
    words as (
        select
            row_key,
            corpus,
            lower(replace(word, chr(304), 'i' || chr(775))) as token,
            end_char - length(word) as start_char,
            end_char
        from placed
    ),
    token_counts as (select corpus, token, count(*) as n_words from words group by corpus, token),
    totals as (select corpus, sum(n_words)::bigint as n_words from token_counts group by corpus),
    weights as (
        select counts.corpus, counts.token, to_nanobits(- log2(safe_ratio(counts.n_words, totals.n_words))) as weight
        from token_counts as counts
        inner join totals on counts.corpus = totals.corpus
    )

select
    words.row_key,  -- the text
    words.start_char,  -- first code point
    words.end_char,  -- behind the last
    weights.weight  -- in billionths of a bit
from words
inner join weights on words.corpus = weights.corpus and words.token = weights.token
