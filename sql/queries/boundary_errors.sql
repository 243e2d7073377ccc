-- Gold spans that a run found with other boundaries, the commonest error first: which kind, and by how many
-- characters. A span is split where predictions that share nothing with each other each found a part of it.
-- Parameters: run; kind, or null for all: too_long, too_short, shifted or split; label, or null for all: any scored
-- label; corpus, or null for all; carrier, or null for all.
-- Grain: (row_id, start_char, end_char, label).
with
    pairs as (
        select pairs.gold_key, pairs.pred_key, pairs.is_exact
        from intermediate.span_pairs as pairs
        inner join staging.runs as runs on pairs.run_key = runs.run_key
        where runs.run_id = $run and pairs.scope = 'all'
    ),
    parts as (
        select shared.gold_key, shared.pred_key, parts.start_char, parts.end_char
        from intermediate.span_overlaps as shared
        inner join staging.runs as runs on shared.run_key = runs.run_key
        inner join intermediate.typed_pred as parts on shared.pred_key = parts.pred_key
        left join pairs as others on shared.pred_key = others.pred_key and shared.gold_key <> others.gold_key
        where runs.run_id = $run and others.gold_key is null
    ),
    found as (
        select
            pairs.gold_key,
            max(parts.start_char) >= min(parts.end_char) as is_split,
            min(parts.start_char) filter (where parts.pred_key = pairs.pred_key) as pair_start,
            max(parts.end_char) filter (where parts.pred_key = pairs.pred_key) as pair_end,
            min(parts.start_char) as parts_start,
            max(parts.end_char) as parts_end,
            count(*) as n_parts
        from pairs
        inner join parts on pairs.gold_key = parts.gold_key
        where not pairs.is_exact
        group by pairs.gold_key
    ),
    errors as (
        select
            rows.row_id,
            gold.start_char,
            gold.end_char,
            gold.label,
            if(found.is_split, found.parts_start, found.pair_start) as other_start,
            if(found.is_split, found.parts_end, found.pair_end) as other_end,
            case
                when found.is_split
                then 'split'
                when found.pair_start <= gold.start_char and found.pair_end >= gold.end_char
                then 'too_long'
                when found.pair_start >= gold.start_char and found.pair_end <= gold.end_char
                then 'too_short'
                else 'shifted'
            end as kind,
            if(found.is_split, found.n_parts, 1) as n_parts,
            rows.corpus,
            rows.carrier
        from found
        inner join intermediate.typed_gold as gold on found.gold_key = gold.gold_key
        inner join staging.rows as rows on gold.row_key = rows.row_key
    )

select
    row_id,  -- the text
    start_char,  -- first code point of the gold span
    end_char,  -- behind the last
    label,  -- our type of it, or what the corpus calls it where there is none
    kind,  -- too_long, too_short, shifted (too short at one end, too long at the other) or split
    other_start,  -- first code point of the prediction; of a split one, of its first part
    other_end,  -- behind the last; of a split one, behind the last of all parts
    other_start - start_char as start_shift,  -- characters by which it begins late; below zero, early
    other_end - end_char as end_shift,  -- characters by which it ends late; below zero, early
    n_parts,  -- predictions that found it together
    count(*) over (partition by kind, other_start - start_char, other_end - end_char) as n_alike,  -- how many of the kind and with these shifts are listed
    corpus,  -- the corpus
    carrier  -- the carrier
from errors
where
    ($kind is null or kind = $kind)
    and ($label is null or label = $label)
    and ($corpus is null or corpus = $corpus)
    and ($carrier is null or carrier = $carrier)
order by n_alike desc, kind, start_shift, end_shift, row_id, start_char, end_char, label
