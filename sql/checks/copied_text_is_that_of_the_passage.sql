-- What a carrier copied of a passage is what the text in prose has there, where both are: a pair is of one passage.
with
    prose as (
        select corpus, passage_id, min(row_id) as row_id
        from contracts.rows
        where carrier = 'prose'
        group by corpus, passage_id
    ),
    pairs as (
        select rows.row_id, rows.text, texts.text as passage, texts.n_chars as n_passage_chars
        from contracts.rows as rows
        inner join prose on rows.corpus = prose.corpus and rows.passage_id = prose.passage_id
        inner join contracts.rows as texts on prose.row_id = texts.row_id
        where rows.carrier != 'prose'
    ),
    lengths as (
        select row_id, max(passage_end) as n_passage_chars
        from contracts.alignments
        where passage_end is not null
        group by row_id
    )

select pairs.row_id, lengths.n_passage_chars as passage_start
from pairs
inner join lengths on pairs.row_id = lengths.row_id
where lengths.n_passage_chars != pairs.n_passage_chars
union all
select pairs.row_id, alignments.passage_start
from pairs
inner join contracts.alignments as alignments on pairs.row_id = alignments.row_id
where
    alignments.kind = 'copied'
    and substring(pairs.text, alignments.wire_start + 1, alignments.wire_end - alignments.wire_start)
    != substring(pairs.passage, alignments.passage_start + 1, alignments.passage_end - alignments.passage_start)
