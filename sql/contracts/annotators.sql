-- Somebody who annotated a text, also one who marked nothing in it; texts with a line here have all of theirs.
-- Grain: (row_id, annotator).
create table contracts.annotators (
    row_id varchar not null,  -- the text
    annotator varchar not null,  -- a name that gold spans use
)
