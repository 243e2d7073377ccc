-- A scored gold span and a predicted span that are matched, one to one within a row: each pair in one strict order, if
-- both its spans are still free, so that the order of the input changes nothing. It is done in rounds: a pair that
-- comes first for both its spans is taken, the others of its two spans go, and so on until none is left. Spans that
-- overlap nothing else need no rounds. Of the texts that rank.
-- Grain: (scope, gold_key, pred_key).
with recursive
    found as (
        select
            pairs.run_key,
            pairs.row_key,
            pairs.gold_key,
            pairs.pred_key,
            pairs.is_exact,
            pairs.is_same_label,
            pairs.shared_chars,
            count(*) over (partition by pairs.run_key, pairs.gold_key) = 1
            and count(*) over (partition by pairs.pred_key) = 1 as is_alone
        from intermediate.span_overlaps as pairs
        inner join staging.all_rows as rows on pairs.row_key = rows.row_key
        where pairs.is_scored and rows.is_selected
    ),
    scoped as (
        select 'all' as scope, found.*
        from found
        union all
        select 'label', found.*
        from found
        where is_same_label
    ),
    ranked as (
        select
            scoped.scope,
            scoped.gold_key,
            scoped.pred_key,
            dense_rank() over (order by scoped.scope, scoped.run_key, scoped.gold_key) as gold_place,
            dense_rank() over (order by scoped.scope, scoped.pred_key) as pred_place,
            row_number() over (
                order by
                    scoped.is_exact and scoped.is_same_label desc,
                    scoped.is_exact desc,
                    scoped.shared_chars desc,
                    scoped.is_same_label desc,
                    gold.start_char,
                    pred.start_char,
                    gold.end_char,
                    pred.end_char,
                    gold.label,
                    pred.label,
                    scoped.scope,
                    scoped.gold_key,
                    scoped.pred_key
            ) as place
        from scoped
        inner join intermediate.typed_gold as gold on scoped.gold_key = gold.gold_key
        inner join intermediate.typed_pred as pred on scoped.pred_key = pred.pred_key
        where not scoped.is_alone
    ),
    rounds as (
        select gold_place, pred_place, place, false as is_taken
        from ranked
        union all
        select next_round.*
        from
            (
                with
                    free as (select gold_place, pred_place, place from rounds where not is_taken),
                    firsts_of_gold as (select gold_place, min(place) as place from free group by gold_place),
                    firsts_of_pred as (select pred_place, min(place) as place from free group by pred_place),
                    firsts as (
                        select of_gold.gold_place, of_pred.pred_place, of_gold.place
                        from firsts_of_gold as of_gold
                        inner join firsts_of_pred as of_pred on of_gold.place = of_pred.place
                    )
                select gold_place, pred_place, place, true as is_taken
                from firsts
                union all
                select gold_place, pred_place, place, false
                from free
                where
                    gold_place not in (select firsts.gold_place from firsts)
                    and pred_place not in (select firsts.pred_place from firsts)
            ) as next_round
    ),
    taken as (
        select ranked.scope, ranked.gold_key, ranked.pred_key
        from ranked
        inner join rounds on ranked.place = rounds.place
        where rounds.is_taken
    )

select
    scoped.scope,  -- all: all labels together; label: the spans of one label alone, matched again
    scoped.run_key,  -- the run
    scoped.row_key,  -- the text
    scoped.gold_key,  -- the gold span
    scoped.pred_key,  -- the predicted span
    scoped.is_exact,  -- whether the boundaries are the same
    scoped.is_same_label,  -- whether the labels are the same
    scoped.shared_chars  -- characters in both
from scoped
left join taken on scoped.scope = taken.scope and scoped.gold_key = taken.gold_key and scoped.pred_key = taken.pred_key
where scoped.is_alone or taken.scope is not null
