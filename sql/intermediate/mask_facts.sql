-- What masking a stretch is worth, whichever run does it: who would have masked it, and how much it tells. An
-- annotator would have if one mention that is to be masked holds the whole of it. It weighs as much as the heaviest
-- token that it overlaps.
-- Grain: (row_key, start_char, end_char).
with
    spans as (select distinct row_key, start_char, end_char from intermediate.masks),
    words as (select * from intermediate.words),
    mask_tokens as (
        select
            row_key,
            start_char as mask_start,
            end_char as mask_end,
            greatest(start_char, other_start) as start_char,
            least(end_char, other_end) as end_char,
            weight
        from overlapping('spans', 'words')
    ),
    parts as (
        select row_key, start_char, end_char, weight
        from mask_tokens
        union all
        select row_key, mask_start, mask_end, weight
        from mask_tokens
        union all
        select row_key, start_char, end_char, 0
        from spans
    ),
    items as (
        select row_key, start_char, end_char, max(weight) as unigram from parts group by row_key, start_char, end_char
    ),
    to_mask as (select distinct row_key, start_char, end_char, annotator from intermediate.mentions where is_to_mask),
    rights as (
        select row_key, start_char, end_char, count(distinct annotator) as n_right
        from overlapping('items', 'to_mask')
        where start_char >= other_start and end_char <= other_end
        group by row_key, start_char, end_char
    ),
    tokens_given as (
        select rows.row_key, tokens.start_char, tokens.end_char, to_nanobits(tokens.bits) as weight
        from contracts.token_weights as tokens
        inner join intermediate.tab_rows as rows on tokens.row_id = rows.row_id
    ),
    weights_given as (
        select row_key, start_char, end_char, max(weight) as weight
        from overlapping('items', 'tokens_given')
        group by row_key, start_char, end_char
    ),
    facts as (
        select
            items.row_key,
            items.start_char,
            items.end_char,
            coalesce(rights.n_right, 0) as n_right,
            case
                settings.weights
                when 'unigram'
                then items.unigram
                when 'uniform'
                then to_nanobits(1)
                else coalesce(weights_given.weight, 0)
            end as weight
        from items
        cross join staging.settings as settings
        left join
            rights
            on items.row_key = rights.row_key
            and items.start_char = rights.start_char
            and items.end_char = rights.end_char
        left join
            weights_given
            on items.row_key = weights_given.row_key
            and items.start_char = weights_given.start_char
            and items.end_char = weights_given.end_char
    ),
    token_sums as (
        select
            tokens.row_key,
            tokens.mask_start,
            tokens.mask_end,
            count(*) as n_tokens,
            sum(facts.n_right) as n_right,
            sum(facts.weight) as weight,
            sum(facts.weight * facts.n_right) as right_weight
        from mask_tokens as tokens
        inner join
            facts
            on tokens.row_key = facts.row_key
            and tokens.start_char = facts.start_char
            and tokens.end_char = facts.end_char
        group by tokens.row_key, tokens.mask_start, tokens.mask_end
    )

select
    spans.row_key,  -- the text
    spans.start_char,  -- first code point
    spans.end_char,  -- behind the last
    facts.n_right,  -- annotators who would have masked it
    facts.weight,  -- its weight, in billionths of a bit
    coalesce(sums.n_tokens, 0)::bigint as n_tokens,  -- its tokens
    coalesce(sums.n_right, 0)::bigint as token_rights,  -- annotators who would have masked a token, over all its tokens
    coalesce(sums.weight, 0)::bigint as token_weight,  -- weights of its tokens
    coalesce(sums.right_weight, 0)::bigint as token_right_weight  -- the same, once for each annotator who would have masked the token
from spans
inner join
    facts on spans.row_key = facts.row_key and spans.start_char = facts.start_char and spans.end_char = facts.end_char
left join
    token_sums as sums
    on spans.row_key = sums.row_key
    and spans.start_char = sums.mask_start
    and spans.end_char = sums.mask_end
