-- Each gold span belongs to a row and ends inside its text.
select spans.row_id, spans.span_id
from contracts.gold_spans as spans
left join contracts.rows as rows on spans.row_id = rows.row_id
where rows.row_id is null or spans.end_char > rows.n_chars
