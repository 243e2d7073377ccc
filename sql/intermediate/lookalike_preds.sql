-- A predicted span on scaffold that looks like personal data without being anybody's. Which text a lookalike is in is
-- found first: the planner would otherwise pair all predictions with all lookalikes by their places alone.
-- Grain: (pred_key).
with
    lookalikes as materialized(
        select rows.row_key, alignments.wire_start as start_char, alignments.wire_end as end_char
        from contracts.alignments as alignments
        inner join staging.all_rows as rows on alignments.row_id = rows.row_id
        where alignments.kind = 'lookalike'
    )

select distinct pred.pred_key  -- the predicted span
from intermediate.typed_pred as pred
inner join
    lookalikes
    on pred.row_key = lookalikes.row_key
    and pred.start_char < lookalikes.end_char
    and pred.end_char > lookalikes.start_char
