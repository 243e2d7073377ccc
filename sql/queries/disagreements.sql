-- Texts in which one run marks what another does not, most characters first, with the longest such stretch.
-- Identifiers with a fixed format and lookalikes do not count, as on the board.
-- Parameters: run_a; run_b; n, or null for all such texts; corpus, or null for all; carrier, or null for all.
-- Grain: (row_id).
with
    stretches as (
        select
            a.row_id,
            greatest(a.start_char, b.start_char) as start_char,
            least(a.end_char, b.end_char) as end_char,
            least(a.end_char, b.end_char) - greatest(a.start_char, b.start_char) as n_chars,
            a.is_pred as is_of_a,
            a.is_gold
        from intermediate.char_intervals as a
        inner join
            intermediate.char_intervals as b
            on a.row_id = b.row_id
            and a.is_pred <> b.is_pred
            and a.start_char < b.end_char
            and a.end_char > b.start_char
        where a.run_id = $run_a and b.run_id = $run_b and (a.is_gold or not (a.is_excluded or a.is_lookalike))
    )

select
    stretches.row_id,  -- the text
    first(stretches.start_char order by stretches.n_chars desc, stretches.start_char) as start_char,  -- first code point of the longest stretch
    first(stretches.end_char order by stretches.n_chars desc, stretches.start_char) as end_char,  -- behind the last
    sum(stretches.n_chars)::bigint as n_chars,  -- characters that one of the two marks
    coalesce(sum(stretches.n_chars) filter (where is_of_a and is_gold), 0)::bigint as a_right,  -- marked by a alone, personal data
    coalesce(sum(stretches.n_chars) filter (where is_of_a and not is_gold), 0)::bigint as a_wrong,  -- marked by a alone, none
    coalesce(sum(stretches.n_chars) filter (where not is_of_a and is_gold), 0)::bigint as b_right,  -- marked by b alone, personal data
    coalesce(sum(stretches.n_chars) filter (where not is_of_a and not is_gold), 0)::bigint as b_wrong,  -- marked by b alone, none
    any_value(rows.corpus) as corpus,  -- the corpus
    any_value(rows.carrier) as carrier  -- the carrier
from stretches
inner join staging.rows as rows on stretches.row_id = rows.row_id
where ($corpus is null or rows.corpus = $corpus) and ($carrier is null or rows.carrier = $carrier)
group by stretches.row_id
order by n_chars desc, row_id
limit $n::bigint
