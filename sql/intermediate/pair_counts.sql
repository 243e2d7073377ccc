-- What a carrier did to a passage, for a run: counts of the text in the carrier and of the same passage in prose, the
-- one input of every figure on carriers. Characters that were lost on the wire count in prose alone: in its tp, fp
-- and fn.
-- Kept: one file a run.
-- Grain: (run_id, row_id).
with
    pairs as (
        select runs.run_id, rows.row_id, prose_rows.row_id as prose_row_id, pairs.run_key, pairs.row_key
        from intermediate.pairs as pairs
        inner join staging.runs as runs on pairs.run_key = runs.run_key
        inner join staging.all_rows as rows on pairs.row_key = rows.row_key
        inner join staging.all_rows as prose_rows on pairs.prose_key = prose_rows.row_key
    ),
    stretches as (select *, passage_end - passage_start as n_chars from intermediate.pair_stretches),
    chars as (
        select
            run_key,
            row_key,
            sum(n_chars) as gold_chars,
            sum(n_chars) filter (where is_in_prose and is_in_carrier) as kept_chars,
            sum(n_chars) filter (where is_in_prose and not is_in_carrier) as lost_chars,
            sum(n_chars) filter (where is_in_carrier and not is_in_prose) as gained_chars
        from stretches
        group by run_key, row_key
    ),
    types as (
        select
            stretches.run_key,
            stretches.row_key,
            taxonomy.type,
            sum(n_chars)::bigint as gold,
            coalesce(sum(n_chars) filter (where is_in_prose and is_in_carrier), 0)::bigint as kept,
            coalesce(sum(n_chars) filter (where is_in_prose and not is_in_carrier), 0)::bigint as lost,
            coalesce(sum(n_chars) filter (where is_in_carrier and not is_in_prose), 0)::bigint as gained
        from stretches
        inner join staging.taxonomy as taxonomy on (stretches.gold_types >> taxonomy.bit) & 1 = 1
        group by stretches.run_key, stretches.row_key, taxonomy.type
    ),
    type_lists as (
        select
            run_key,
            row_key,
            list({'type':type, 'gold':gold, 'kept':kept, 'lost':lost, 'gained':gained} order by type) as by_type
        from types
        group by run_key, row_key
    ),
    fields as (
        select
            run_key,
            row_key,
            count(*) as n_fields,
            count(*) filter (where verdict = 'tp') as field_tp,
            count(*) filter (where verdict = 'fp') as field_fp,
            count(*) filter (where verdict = 'fn') as field_fn,
            count(*) filter (where verdict = 'tn') as field_tn,
            count(*) filter (where verdict = 'excluded') as n_fields_excluded
        from intermediate.fields
        group by run_key, row_key
    )

select
    pairs.run_id,  -- the run
    pairs.row_id,  -- the text in the carrier
    pairs.prose_row_id,  -- the text in prose
    counts.passage_id,  -- the passage that both are
    counts.doc_id,  -- the document
    counts.corpus,  -- the stratum
    counts.carrier,  -- what the passage is wrapped in
    counts.language,  -- ISO 639-1
    counts.tp,  -- in the carrier: personal data, marked
    counts.fp,  -- in the carrier: marked, not personal data
    counts.fn,  -- in the carrier: personal data, not marked
    prose.tp as prose_tp,  -- in prose: personal data, marked
    prose.fp as prose_fp,  -- in prose: marked, not personal data
    prose.fn as prose_fn,  -- in prose: personal data, not marked
    coalesce(chars.gold_chars, 0)::bigint as gold_chars,  -- personal data of the passage that is on the wire, in passage characters
    coalesce(chars.kept_chars, 0)::bigint as kept_chars,  -- of `gold_chars`, found in both
    coalesce(chars.lost_chars, 0)::bigint as lost_chars,  -- of `gold_chars`, found in prose alone
    coalesce(chars.gained_chars, 0)::bigint as gained_chars,  -- of `gold_chars`, found in the carrier alone
    counts.fp - counts.scaffold_fp as value_fp,  -- of `fp`, on values
    counts.scaffold_fp,  -- of `fp`, on the carrier's syntax and keys
    counts.lookalike,  -- scaffold that looks like PII
    counts.lookalike_touched,  -- of `lookalike`, marked
    coalesce(fields.n_fields, 0)::bigint as n_fields,  -- values of the carrier
    coalesce(fields.field_tp, 0)::bigint as field_tp,  -- values with personal data, marked anywhere
    coalesce(fields.field_fp, 0)::bigint as field_fp,  -- values without any, marked anywhere
    coalesce(fields.field_fn, 0)::bigint as field_fn,  -- values with personal data, not marked
    coalesce(fields.field_tn, 0)::bigint as field_tn,  -- values without any, not marked
    coalesce(fields.n_fields_excluded, 0)::bigint as n_fields_excluded,  -- values with identifiers of a fixed format alone, marked or not
    coalesce(type_lists.by_type, []) as by_type  -- gold, kept, lost and gained characters for each type that the passage has on the wire
from pairs
inner join intermediate.row_counts as counts on pairs.run_id = counts.run_id and pairs.row_id = counts.row_id
inner join intermediate.row_counts as prose on pairs.run_id = prose.run_id and pairs.prose_row_id = prose.row_id
left join chars on pairs.run_key = chars.run_key and pairs.row_key = chars.row_key
left join type_lists on pairs.run_key = type_lists.run_key and pairs.row_key = type_lists.row_key
left join fields on pairs.run_key = fields.run_key and pairs.row_key = fields.row_key
