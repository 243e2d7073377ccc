-- Character counts of a row for a run: the only input of every character score.
-- Kept: one file a run.
-- Grain: (run_id, row_id).
with
    answers as (
        select run_key, row_key, bool_or(is_answered) as is_answered from staging.run_rows group by run_key, row_key
    ),
    duplicates as (
        select run_key, row_key, sum(n_copies - 1) as n_duplicate_spans
        from staging.pred_spans
        group by run_key, row_key
    ),
    stretches as (select *, end_char - start_char as n_chars from intermediate.intervals),
    counts as (
        select
            run_key,
            row_key,
            sum(n_chars) filter (where is_gold and is_pred) as tp,
            sum(n_chars) filter (where is_pred and not (is_gold or is_excluded or is_lookalike)) as fp,
            sum(n_chars) filter (where is_gold and not is_pred) as fn,
            sum(n_chars) filter (where is_pred and is_excluded and not is_gold) as touched,
            sum(n_chars) filter (where is_excluded and not is_gold) as excluded,
            sum(n_chars) filter (where is_lookalike) as lookalike,
            sum(n_chars) filter (where is_lookalike and is_pred) as lookalike_touched,
            sum(n_chars) filter (
                where is_scaffold and is_pred and not (is_gold or is_excluded or is_lookalike)
            ) as scaffold_fp,
            bool_or(is_scaffold is not null) as has_alignment
        from stretches
        group by run_key, row_key
    ),
    types as (
        select
            stretches.run_key,
            stretches.row_key,
            taxonomy.type,
            coalesce(sum(stretches.n_chars) filter (where stretches.is_pred), 0)::bigint as tp,
            coalesce(sum(stretches.n_chars) filter (where not stretches.is_pred), 0)::bigint as fn
        from stretches
        inner join staging.taxonomy as taxonomy on (stretches.gold_types >> taxonomy.bit) & 1 = 1
        where stretches.gold_types > 0
        group by stretches.run_key, stretches.row_key, taxonomy.type
    ),
    type_lists as (
        select run_key, row_key, list({'type':type, 'tp':tp, 'fn':fn} order by type) as by_type
        from types
        group by run_key, row_key
    )

select
    runs.run_id,  -- the run
    rows.row_id,  -- the text
    rows.passage_id,  -- the text before wrapping
    rows.doc_id,  -- the document
    rows.corpus,  -- the stratum
    rows.carrier,  -- what the passage is wrapped in
    rows.language,  -- ISO 639-1
    coalesce(counts.tp, 0)::bigint as tp,  -- personal data, marked
    coalesce(counts.fp, 0)::bigint as fp,  -- marked, not personal data
    coalesce(counts.fn, 0)::bigint as fn,  -- personal data, not marked
    coalesce(counts.touched, 0)::bigint as touched,  -- of `excluded`, marked anyway
    coalesce(counts.excluded, 0)::bigint as excluded,  -- in identifiers with a fixed format
    if(counts.has_alignment, coalesce(counts.lookalike, 0), null)::bigint as lookalike,  -- scaffold that looks like PII; null without alignment
    if(counts.has_alignment, coalesce(counts.lookalike_touched, 0), null)::bigint as lookalike_touched,  -- of `lookalike`, marked
    if(counts.has_alignment, coalesce(counts.scaffold_fp, 0), null)::bigint as scaffold_fp,  -- of `fp`, on the carrier's syntax and keys; null without alignment
    if(coalesce(answers.is_answered, false), 0, 1)::bigint as n_rows_missing,  -- 1 where the run did not answer
    coalesce(duplicates.n_duplicate_spans, 0)::bigint as n_duplicate_spans,  -- predicted spans that were there already
    coalesce(type_lists.by_type, []) as by_type  -- tp and fn for each type that the row has
from intermediate.asked_rows as asked
inner join staging.all_rows as rows on asked.row_key = rows.row_key
inner join staging.runs as runs on asked.run_key = runs.run_key
left join answers on asked.run_key = answers.run_key and asked.row_key = answers.row_key
left join counts on asked.run_key = counts.run_key and asked.row_key = counts.row_key
left join duplicates on asked.run_key = duplicates.run_key and asked.row_key = duplicates.row_key
left join type_lists on asked.run_key = type_lists.run_key and asked.row_key = type_lists.row_key
