-- Where a mention, a token of one or a mask begins or ends, counted in characters with content: those of the text
-- before it that nothing forgives. Two places are the same in this measure if only forgiven characters lie between
-- them. Forgiven characters outside of mentions count like any other, since nothing is asked of them. An x before a
-- mention's text has a stretch of content come before every stretch that is forgiven.
-- Grain: (row_key, at_char).
with
    surfaces as (
        select row_key, start_char, end_char, any_value(surface) as surface
        from intermediate.mentions
        where is_counted
        group by row_key, start_char, end_char
    ),
    cut as (
        select
            row_key,
            start_char,
            end_char,
            regexp_extract_all('x' || surface, '[^' || forgiven_characters() || ']+') as contents,
            regexp_extract_all(surface, '[' || forgiven_characters() || ']+') as gaps
        from surfaces
    ),
    listed as (
        select
            row_key,
            start_char,
            end_char,
            unnest(contents) as content,
            unnest(gaps) as gap,
            unnest(range(len(gaps))) as place
        from cut
        where len(gaps) > 0
    ),
    placed as (
        select
            row_key,
            length(gap) as n_chars,
            start_char + sum(length(content) + length(gap)) over (
                partition by row_key, start_char, end_char order by place rows unbounded preceding
            )::bigint
            - 1 as gap_end
        from listed
        where gap is not null
    ),
    forgiven as (
        select row_key, gap_end - n_chars as start_char, gap_end as end_char
        from placed
        union all
        select rows.row_key, tokens.start_char, tokens.end_char
        from contracts.forgiven as tokens
        inner join intermediate.tab_rows as rows on tokens.row_id = rows.row_id
    ),
    asked as (
        select row_key, start_char, end_char
        from intermediate.covers
        union all
        select row_key, start_char, end_char
        from intermediate.masks
        where n_masks > 0
    ),
    ends as (
        select row_key, start_char as at_char, 1 as step, 0 as n_asked
        from forgiven
        union all
        select row_key, end_char, -1, 0
        from forgiven
        union all
        select row_key, start_char, 0, 1
        from asked
        union all
        select row_key, end_char, 0, 1
        from asked
    ),
    cuts as (select row_key, at_char, sum(step) as step, sum(n_asked) as n_asked from ends group by row_key, at_char),
    intervals as (
        select
            row_key,
            at_char,
            n_asked,
            sum(step) over so_far as n_forgiving,
            lead(at_char) over following - at_char as n_chars
        from cuts
        window
            following as (partition by row_key order by at_char),
            so_far as (partition by row_key order by at_char rows unbounded preceding)
    ),
    places as (
        select
            row_key,
            at_char,
            n_asked,
            at_char - coalesce(
                sum(if(n_forgiving > 0, n_chars, 0)) over (
                    partition by row_key order by at_char rows between unbounded preceding and 1 preceding
                ),
                0
            )::bigint as content_char
        from intervals
    )

select
    row_key,  -- the text
    at_char,  -- the place in the text
    content_char  -- the same in characters with content
from places
where n_asked > 0
