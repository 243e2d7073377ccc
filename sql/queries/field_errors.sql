-- Values of carriers (cells, elements, strings) that a run judges wrong as a whole, as somebody who drops or encrypts
-- whole fields would: marked without holding personal data, or holding some of which nothing is marked. The carrier
-- with most of them first.
-- Parameters: run; verdict, or null for both: fp or fn; n, or null for all; corpus, or null for all; carrier, or null
-- for all.
-- Grain: (row_id, value_index).
select
    fields.row_id,  -- the text
    fields.wire_start as start_char,  -- first code point of the value
    fields.wire_end as end_char,  -- behind the last
    fields.value_index,  -- which value of the carrier, from 0
    fields.verdict,  -- fp: marked, no personal data; fn: personal data, nothing marked
    count(*) over (partition by rows.carrier, fields.verdict) as n_alike,  -- how many of the carrier and verdict there are
    rows.corpus,  -- the corpus
    rows.carrier  -- the carrier
from marts.field_verdicts as fields
inner join staging.rows as rows on fields.row_id = rows.row_id
where
    fields.run_id = $run
    and fields.verdict in ('fp', 'fn')
    and ($verdict is null or fields.verdict = $verdict)
    and ($corpus is null or rows.corpus = $corpus)
    and ($carrier is null or rows.carrier = $carrier)
order by n_alike desc, rows.carrier, fields.verdict, fields.row_id, fields.value_index
limit $n::bigint
