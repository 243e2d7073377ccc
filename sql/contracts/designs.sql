-- A row that a design selects.
-- Grain: (design, row_id).
create table contracts.designs (
    design varchar not null,  -- balanced, paired, full, documents
    row_id varchar not null,  -- a selected text
)
