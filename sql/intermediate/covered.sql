-- A stretch that does not stay readable for a run: each of its characters is masked or forgiven. Masks are joined in
-- characters with content, so that what is forgiven closes the gap between two. What was not answered is not covered.
-- Grain: (run_key, cover_key).
with
    covers as (
        select covers.cover_key, covers.row_key, starts.content_char as start_char, ends.content_char as end_char
        from intermediate.covers as covers
        inner join
            intermediate.content_places as starts
            on covers.row_key = starts.row_key
            and covers.start_char = starts.at_char
        inner join
            intermediate.content_places as ends on covers.row_key = ends.row_key and covers.end_char = ends.at_char
    ),
    masks as (
        select masks.run_key, masks.row_key, starts.content_char as start_char, max(ends.content_char) as end_char
        from intermediate.masks as masks
        inner join
            intermediate.content_places as starts
            on masks.row_key = starts.row_key
            and masks.start_char = starts.at_char
        inner join intermediate.content_places as ends on masks.row_key = ends.row_key and masks.end_char = ends.at_char
        where masks.n_masks > 0
        group by masks.run_key, masks.row_key, starts.content_char
    ),
    ordered as (
        select
            *,
            max(end_char) over (
                partition by run_key, row_key order by start_char rows between unbounded preceding and 1 preceding
            ) as reached
        from masks
    ),
    numbered as (
        select
            *,
            count(*) filter (where reached is null or reached < start_char) over (
                partition by run_key, row_key order by start_char rows unbounded preceding
            ) as island
        from ordered
    ),
    joined as (
        select run_key, row_key, min(start_char) as start_char, max(end_char) as end_char
        from numbered
        group by run_key, row_key, island
    ),
    with_content as (select * from covers where start_char < end_char),
    stretches as (select * from joined where start_char < end_char)

select
    run_key,  -- the run
    cover_key  -- the stretch
from overlapping('with_content', 'stretches')
where start_char >= other_start and end_char <= other_end
union all
select asked.run_key, covers.cover_key
from covers
inner join intermediate.tab_asked as asked on covers.row_key = asked.row_key
where covers.start_char = covers.end_char and asked.is_answered
