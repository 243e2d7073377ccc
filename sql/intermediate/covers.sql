-- A stretch that should not stay readable, and how many mentions, and tokens of mentions, it is. The tokens of a span
-- are the words of the text, cut where the span cuts them.
-- Grain: (row_key, start_char, end_char, label, is_direct).
with
    counted as (
        select row_key, doc_key, start_char, end_char, label, is_direct, count(*) as n_mentions
        from intermediate.mentions
        where is_counted
        group by row_key, doc_key, start_char, end_char, label, is_direct
    ),
    spans as (select distinct row_key, start_char, end_char from counted),
    words as (select * from intermediate.words),
    stretches as (
        select *, 0 as n_tokens
        from counted
        union all
        select
            tokens.row_key,
            counted.doc_key,
            greatest(tokens.start_char, tokens.other_start),
            least(tokens.end_char, tokens.other_end),
            counted.label,
            counted.is_direct,
            0,
            counted.n_mentions
        from overlapping('spans', 'words') as tokens
        inner join
            counted
            on tokens.row_key = counted.row_key
            and tokens.start_char = counted.start_char
            and tokens.end_char = counted.end_char
    )

select
    row_number() over (order by row_key, start_char, end_char, label, is_direct)::bigint as cover_key,  -- place among them, from 1
    row_key,  -- the text
    doc_key,  -- its document
    start_char,  -- first code point
    end_char,  -- behind the last
    label,  -- what the corpus calls the entity
    is_direct,  -- whether the entity is a direct identifier
    sum(n_mentions)::bigint as n_mentions,  -- mentions that are this stretch, of all annotators
    sum(n_tokens)::bigint as n_tokens  -- tokens of mentions that are this stretch
from stretches
group by row_key, doc_key, start_char, end_char, label, is_direct
