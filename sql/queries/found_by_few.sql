-- Gold spans of scored types that few runs find whole, those of no run first, and who finds them: what is hard for all,
-- and what one run has that the others lack. Baselines and runs that are there for the spread of seeds do not count.
-- Parameters: n, or null for all; label, or null for all: any scored label; corpus, or null for all; carrier, or null
-- for all.
-- Grain: (row_id, start_char, end_char, label).
with
    spans as (
        select
            rows.row_id,
            gold.start_char,
            gold.end_char,
            gold.label,
            any_value(coverage.n_chars) as n_chars,
            count(*) as n_runs,
            count(*) filter (where coverage.exposed_chars = 0) as n_found,
            coalesce(list(runs.run_id order by runs.run_id) filter (where coverage.exposed_chars = 0), []) as found_by,
            any_value(rows.corpus) as corpus,
            any_value(rows.carrier) as carrier
        from intermediate.gold_coverage as coverage
        inner join staging.runs as runs on coverage.run_key = runs.run_key
        inner join intermediate.typed_gold as gold on coverage.gold_key = gold.gold_key
        inner join staging.rows as rows on gold.row_key = rows.row_key
        where
            runs.status = 'ran'
            and runs.kind <> 'baseline'
            and not runs.is_seed_run
            and gold.is_scored
            and ($label is null or gold.label = $label)
            and ($corpus is null or rows.corpus = $corpus)
            and ($carrier is null or rows.carrier = $carrier)
        group by rows.row_id, gold.start_char, gold.end_char, gold.label
    )

select
    row_id,  -- the text
    start_char,  -- first code point
    end_char,  -- behind the last
    label,  -- our type, or what the corpus calls it where there is none
    n_chars,  -- its length
    n_runs,  -- runs that were asked the text
    n_found,  -- of `n_runs`, those that leave no character of it readable
    found_by,  -- which those are
    corpus,  -- the corpus
    carrier  -- the carrier
from spans
order by n_found, n_chars desc, row_id, start_char, end_char, label
limit $n::bigint
