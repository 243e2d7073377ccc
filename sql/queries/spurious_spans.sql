-- Predicted spans that share no character with gold, scored or excluded: ids and offsets, the commonest label
-- first. Those on lookalikes alone are none: lookalikes count for nobody.
-- Parameters: run; source_label, or null for all; corpus, or null for all; carrier, or null for all.
-- Grain: (row_id, start_char, end_char, source_label).
with
    spurious as (
        select
            spans.row_key,
            spans.start_char,
            spans.end_char,
            spans.source_label,
            any_value(spans.label) as label,
            any_value(spans.score) as score,
            sum(least(spans.end_char, chars.end_char) - greatest(spans.start_char, chars.start_char)) filter (
                where not chars.is_lookalike
            )::bigint as n_false_chars
        from staging.pred_spans as spans
        inner join staging.runs as runs on spans.run_key = runs.run_key
        inner join staging.rows as rows on spans.row_key = rows.row_key
        inner join
            intermediate.char_intervals as chars
            on runs.run_id = chars.run_id
            and rows.row_id = chars.row_id
            and spans.start_char < chars.end_char
            and spans.end_char > chars.start_char
        where runs.run_id = $run and ($source_label is null or spans.source_label = $source_label)
        group by spans.row_key, spans.start_char, spans.end_char, spans.source_label
        having not bool_or(chars.is_gold or chars.is_excluded) and bool_or(not chars.is_lookalike)
    )

select
    rows.row_id,  -- the text
    spurious.start_char,  -- first code point
    spurious.end_char,  -- behind the last
    spurious.source_label,  -- what the detector calls it
    spurious.label,  -- our type, or what the detector calls it where there is none
    count(*) over (partition by spurious.source_label) as n_alike,  -- how many of the label are listed
    spurious.n_false_chars,  -- characters of it outside lookalikes
    spurious.score,  -- its confidence, where the detector gives one
    rows.corpus,  -- the corpus
    rows.carrier  -- the carrier
from spurious
inner join staging.rows as rows on spurious.row_key = rows.row_key
where ($corpus is null or rows.corpus = $corpus) and ($carrier is null or rows.carrier = $carrier)
order by n_alike desc, spurious.source_label, rows.row_id, spurious.start_char, spurious.end_char
