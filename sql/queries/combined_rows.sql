-- The texts that two runs answered both, and how far both have looked.
-- Parameters: run_a; run_b.
-- Grain: (row_id).
select
    answers_a.row_id,  -- the text
    case
        when 'error' in (answers_a.status, answers_b.status)
        then 'error'
        when 'truncated' in (answers_a.status, answers_b.status)
        then 'truncated'
        else 'ok'
    end as status,  -- the worse of the two
    if(
        'error' in (answers_a.status, answers_b.status), 0, least(answers_a.chars_seen, answers_b.chars_seen)
    ) as chars_seen  -- code points that both looked at
from contracts.run_rows as answers_a
inner join contracts.run_rows as answers_b on answers_a.row_id = answers_b.row_id
where answers_a.run_id = $run_a and answers_b.run_id = $run_b
order by answers_a.row_id
