-- Whether a value of a carrier (cell, element, string) holds personal data, and whether a run marked any of it.
-- Grain: (run_id, row_id, value_index).
select
    runs.run_id,  -- the run
    rows.row_id,  -- the text
    fields.value_index,  -- which value of the carrier
    fields.wire_start,  -- its first code point in the text
    fields.wire_end,  -- behind its last
    fields.has_gold,  -- whether any of it is inside a gold span of a scored type
    fields.has_excluded,  -- whether any of it is inside an identifier with a fixed format
    fields.is_flagged,  -- whether the run marked any of it
    fields.verdict  -- tp, fp, fn, tn, or excluded where it holds such identifiers alone
from intermediate.fields as fields
inner join staging.runs as runs on fields.run_key = runs.run_key
inner join staging.all_rows as rows on fields.row_key = rows.row_key
