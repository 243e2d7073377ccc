-- A stretch of a row that carries one mark: a flag, or a type of a gold or predicted span. Stretches of one mark
-- never overlap or touch, so that adding and taking away its bit at their ends never carries into the next bit.
-- One stretch a start comes first: the two windows below could order equal starts differently.
-- Flags: 1 scored gold, 2 excluded, 4 lookalike, 8 value of the carrier, 16 predicted.
-- Grain: (run_key, row_key, layer, mask, start_char); run_key 0 for what does not depend on a run.
with
    gold as (
        select spans.row_key, spans.role, 1::bigint << taxonomy.bit as type_mask, spans.start_char, spans.end_char
        from staging.gold_spans as spans
        inner join staging.taxonomy as taxonomy on spans.type = taxonomy.type
        where spans.role in ('scored', 'excluded')
    ),
    pred as (
        select spans.run_key, spans.row_key, 1::bigint << taxonomy.bit as type_mask, spans.start_char, spans.end_char
        from staging.pred_spans as spans
        left join staging.taxonomy as taxonomy on spans.type = taxonomy.type
    ),
    stretches as (
        select
            0::bigint as run_key,
            row_key,
            'flag' as layer,
            if(role = 'scored', 1, 2)::bigint as mask,
            start_char,
            end_char
        from gold
        union all
        select 0, row_key, role, type_mask, start_char, end_char
        from gold
        union all
        select
            0, rows.row_key, 'flag', if(alignments.kind = 'lookalike', 4, 8), alignments.wire_start, alignments.wire_end
        from contracts.alignments as alignments
        inner join staging.all_rows as rows on alignments.row_id = rows.row_id
        where alignments.wire_end > alignments.wire_start
        union all
        select run_key, row_key, 'flag', 16, start_char, end_char
        from pred
        union all
        select run_key, row_key, 'pred', type_mask, start_char, end_char
        from pred
        where type_mask is not null
    ),
    from_start as (
        select run_key, row_key, layer, mask, start_char, max(end_char) as end_char
        from stretches
        group by run_key, row_key, layer, mask, start_char
    ),
    ordered as (
        select
            *,
            max(end_char) over (
                partition by run_key, row_key, layer, mask
                order by start_char
                rows between unbounded preceding and 1 preceding
            ) as reached
        from from_start
    ),
    numbered as (
        select
            *,
            count(*) filter (where reached is null or reached < start_char) over (
                partition by run_key, row_key, layer, mask order by start_char rows unbounded preceding
            ) as island
        from ordered
    )

select
    run_key,  -- the run, 0 for all
    row_key,  -- the text
    layer,  -- flag, scored, excluded (types of gold spans by role) or pred
    mask,  -- the mark's bit
    min(start_char) as start_char,  -- first code point
    max(end_char) as end_char  -- behind the last
from numbered
group by run_key, row_key, layer, mask, island
