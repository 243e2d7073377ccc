-- Stretches of the wire of the rows that `spans` names, and the stretches of the passage that they stand for; what was
-- lost has none. Prose without alignments is its passage.
create or replace macro pieces(spans) as table
with
    wanted as (select distinct row_id from query_table(spans))

select
    alignments.row_id,
    alignments.wire_start,
    alignments.wire_end,
    alignments.passage_start,
    alignments.passage_end,
    alignments.kind = 'copied' as is_copied
from contracts.alignments as alignments
where
    alignments.row_id in (select wanted.row_id from wanted)
    and alignments.kind not in ('lost', 'lookalike')
    and alignments.wire_end > alignments.wire_start
    and alignments.passage_end > alignments.passage_start
union all
select rows.row_id, 0, rows.n_chars, 0, rows.n_chars, true
from contracts.rows as rows
where
    rows.row_id in (select wanted.row_id from wanted)
    and rows.carrier = 'prose'
    and rows.row_id not in (select alignments.row_id from contracts.alignments as alignments)
;
