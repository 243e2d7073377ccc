-- Offsets mean the same to Python, which cut the surface, and to DuckDB's substring, for each gold span.
select spans.row_id, spans.span_id
from contracts.gold_spans as spans
inner join contracts.rows as rows on spans.row_id = rows.row_id
where substring(rows.text, spans.start_char + 1, spans.end_char - spans.start_char) is distinct from spans.surface
