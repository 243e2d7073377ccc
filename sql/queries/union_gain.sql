-- What two runs would mark together: characters right and wrong of each and of both at once, by corpus. People deploy
-- rules and a model at once; the union finds more and is wrong more often, too.
-- Parameters: run_a; run_b; corpus, or null for all; carrier, or null for all.
-- Grain: (corpus).
with
    stretches as (
        select
            rows.corpus,
            a.row_id,
            least(a.end_char, b.end_char) - greatest(a.start_char, b.start_char) as n_chars,
            a.is_gold,
            not (a.is_gold or a.is_excluded or a.is_lookalike) as is_nothing,
            a.is_pred as is_of_a,
            b.is_pred as is_of_b
        from intermediate.char_intervals as a
        inner join
            intermediate.char_intervals as b
            on a.row_id = b.row_id
            and a.start_char < b.end_char
            and a.end_char > b.start_char
        inner join staging.rows as rows on a.row_id = rows.row_id
        where
            a.run_id = $run_a
            and b.run_id = $run_b
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
    ),
    counts as (
        select
            corpus,
            count(distinct row_id) as n_rows,
            coalesce(sum(n_chars) filter (where is_gold), 0)::bigint as gold_chars,
            coalesce(sum(n_chars) filter (where is_gold and is_of_a), 0)::bigint as a_tp,
            coalesce(sum(n_chars) filter (where is_gold and is_of_b), 0)::bigint as b_tp,
            coalesce(sum(n_chars) filter (where is_gold and (is_of_a or is_of_b)), 0)::bigint as union_tp,
            coalesce(sum(n_chars) filter (where is_nothing and is_of_a), 0)::bigint as a_fp,
            coalesce(sum(n_chars) filter (where is_nothing and is_of_b), 0)::bigint as b_fp,
            coalesce(sum(n_chars) filter (where is_nothing and (is_of_a or is_of_b)), 0)::bigint as union_fp
        from stretches
        group by corpus
    ),
    scores as (
        select
            *,
            metrics.f1(a_tp, a_fp, gold_chars - a_tp) as a_f1,
            metrics.f1(b_tp, b_fp, gold_chars - b_tp) as b_f1,
            metrics.f1(union_tp, union_fp, gold_chars - union_tp) as union_f1
        from counts
    )

select
    corpus,  -- the corpus
    n_rows,  -- texts that both were asked
    gold_chars,  -- characters of personal data
    a_tp,  -- of `gold_chars`, marked by a
    b_tp,  -- of `gold_chars`, marked by b
    union_tp,  -- of `gold_chars`, marked by either
    a_fp,  -- marked by a, not personal data
    b_fp,  -- marked by b, not personal data
    union_fp,  -- marked by either, not personal data
    a_f1,  -- F1 of a
    b_f1,  -- F1 of b
    union_f1,  -- F1 of the union
    union_f1 - greatest(a_f1, b_f1) as f1_gain  -- what the union gains over the better of the two; below zero, loses
from scores
order by corpus
