-- A design selects rows that there are, each once.
select designs.design, designs.row_id
from contracts.designs as designs
left join contracts.rows as rows on designs.row_id = rows.row_id
group by designs.design, designs.row_id
having count(*) > 1 or count(rows.row_id) = 0
