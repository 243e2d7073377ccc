-- Texts in which a run is wrong about most characters, those first, with the longest stretch that is missed or
-- marked without reason.
-- Parameters: run; n, or null for all such texts; corpus, or null for all; carrier, or null for all.
-- Grain: (row_id).
with
    stretches as (
        select row_id, start_char, end_char, end_char - start_char as n_chars, is_gold
        from intermediate.char_intervals
        where
            run_id = $run and ((is_gold and not is_pred) or (is_pred and not (is_gold or is_excluded or is_lookalike)))
    )

select
    stretches.row_id,  -- the text
    first(stretches.start_char order by stretches.n_chars desc, stretches.start_char) as start_char,  -- first code point of the longest stretch
    first(stretches.end_char order by stretches.n_chars desc, stretches.start_char) as end_char,  -- behind the last
    coalesce(sum(stretches.n_chars) filter (where stretches.is_gold), 0)::bigint as fn,  -- personal data, not marked
    coalesce(sum(stretches.n_chars) filter (where not stretches.is_gold), 0)::bigint as fp,  -- marked, not personal data
    any_value(rows.n_chars) as n_chars,  -- length of the text
    any_value(rows.corpus) as corpus,  -- the corpus
    any_value(rows.carrier) as carrier  -- the carrier
from stretches
inner join staging.rows as rows on stretches.row_id = rows.row_id
where ($corpus is null or rows.corpus = $corpus) and ($carrier is null or rows.carrier = $carrier)
group by stretches.row_id
order by fn + fp desc, stretches.row_id
limit $n::bigint
