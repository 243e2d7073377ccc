-- How far two runs mark the same characters, by corpus, whatever is right: the share of what either marks that both
-- mark (Jaccard), and agreement over all characters beyond chance (Cohen's kappa).
-- Parameters: run_a; run_b; corpus, or null for all; carrier, or null for all.
-- Grain: (corpus).
with
    stretches as (
        select
            rows.corpus,
            a.row_id,
            least(a.end_char, b.end_char) - greatest(a.start_char, b.start_char) as n_chars,
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
            sum(n_chars)::bigint as n_chars,
            coalesce(sum(n_chars) filter (where is_of_a and is_of_b), 0)::bigint as n_both,
            coalesce(sum(n_chars) filter (where is_of_a and not is_of_b), 0)::bigint as n_a_alone,
            coalesce(sum(n_chars) filter (where is_of_b and not is_of_a), 0)::bigint as n_b_alone
        from stretches
        group by corpus
    ),
    expected as (
        select
            *,
            (n_both + n_a_alone)::double * (n_both + n_b_alone)
            + (n_chars - n_both - n_a_alone)::double * (n_chars - n_both - n_b_alone) as by_chance
        from counts
    )

select
    corpus,  -- the corpus
    n_rows,  -- texts that both were asked
    n_chars,  -- their characters
    n_both,  -- of `n_chars`, marked by both
    n_a_alone,  -- of `n_chars`, marked by a alone
    n_b_alone,  -- of `n_chars`, marked by b alone
    safe_ratio(n_both, n_both + n_a_alone + n_b_alone) as jaccard,  -- of what either marks, the share that both mark; null where neither marks anything
    safe_ratio(
        n_chars::double * (n_chars - n_a_alone - n_b_alone) - by_chance, n_chars::double * n_chars - by_chance
    ) as kappa  -- Cohen's kappa: 1 for the same marks, 0 for as much as chance gives; null where both mark all or nothing
from expected
order by corpus
