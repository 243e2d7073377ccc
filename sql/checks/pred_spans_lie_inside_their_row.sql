-- Each predicted span belongs to a row that its run answered and ends inside the row's text.
select spans.run_id, spans.row_id, spans.start_char
from contracts.pred_spans as spans
left join contracts.rows as rows on spans.row_id = rows.row_id
left join contracts.run_rows as answers on spans.run_id = answers.run_id and spans.row_id = answers.row_id
where rows.row_id is null or coalesce(answers.status, 'error') = 'error' or spans.end_char > rows.n_chars
