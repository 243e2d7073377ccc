-- A stretch that a run masks, whatever its label. By corrected rules predictions that overlap are one mask, and those
-- that only touch are not; by compat rules each prediction is a mask, and twins are two.
-- Grain: (run_key, row_key, start_char, end_char).
with
    given as (
        select pred.run_key, pred.row_key, pred.start_char, pred.end_char, sum(pred.n_copies) as n_copies
        from intermediate.typed_pred as pred
        inner join intermediate.tab_asked as asked on pred.run_key = asked.run_key and pred.row_key = asked.row_key
        group by pred.run_key, pred.row_key, pred.start_char, pred.end_char
    ),
    ordered as (
        select
            *,
            max(end_char) over (
                partition by run_key, row_key
                order by start_char, end_char
                rows between unbounded preceding and 1 preceding
            ) as reached
        from given
    ),
    numbered as (
        select
            *,
            count(*) filter (where reached is null or reached <= start_char) over (
                partition by run_key, row_key order by start_char, end_char rows unbounded preceding
            ) as island
        from ordered
    ),
    stretches as (
        select
            given.run_key,
            given.row_key,
            given.start_char,
            given.end_char,
            if(settings.tab_rules = 'compat', given.n_copies, 0) as n_masks,
            1 as n_given
        from given
        cross join staging.settings as settings
        union all
        select
            numbered.run_key,
            numbered.row_key,
            min(numbered.start_char),
            max(numbered.end_char),
            if(any_value(settings.tab_rules) = 'compat', 0, 1),
            0
        from numbered
        cross join staging.settings as settings
        group by numbered.run_key, numbered.row_key, numbered.island
    )

select
    run_key,  -- the run
    row_key,  -- the text
    start_char,  -- first code point
    end_char,  -- behind the last
    sum(n_masks)::bigint as n_masks,  -- how many masks it is: 0 where others make it longer or it joins others
    sum(n_given) > 0 as is_given  -- whether the run gave it so, before any were merged
from stretches
group by run_key, row_key, start_char, end_char
