-- A row's length is that of its text in code points.
select row_id from contracts.rows where n_chars != length(text)
