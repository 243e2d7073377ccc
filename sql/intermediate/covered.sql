-- A stretch that does not stay readable for a run: each of its characters is masked or forgiven. Masks are joined in
-- characters with content, so that what is forgiven closes the gap between two. What was not answered is not covered.
-- Where they begin is looked up before where they end: both at once pair all places of a text.
-- Grain: (run_key, cover_key).
with
    covers_begun as materialized(
        select covers.cover_key, covers.row_key, covers.end_char, places.content_char as start_char
        from intermediate.covers as covers
        inner join
            intermediate.content_places as places
            on covers.row_key = places.row_key
            and covers.start_char = places.at_char
    ),
    covers as (
        select covers.cover_key, covers.row_key, covers.start_char, places.content_char as end_char
        from covers_begun as covers
        inner join
            intermediate.content_places as places
            on covers.row_key = places.row_key
            and covers.end_char = places.at_char
    ),
    masks_begun as materialized(
        select masks.run_key, masks.row_key, masks.end_char, places.content_char as start_char
        from intermediate.masks as masks
        inner join
            intermediate.content_places as places
            on masks.row_key = places.row_key
            and masks.start_char = places.at_char
        where masks.n_masks > 0
    ),
    masks as (
        select masks.run_key, masks.row_key, masks.start_char, max(places.content_char) as end_char
        from masks_begun as masks
        inner join
            intermediate.content_places as places on masks.row_key = places.row_key and masks.end_char = places.at_char
        group by masks.run_key, masks.row_key, masks.start_char
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
