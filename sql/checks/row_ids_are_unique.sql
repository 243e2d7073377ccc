-- Each row id stands for one text.
select row_id from contracts.rows group by row_id having count(*) > 1
