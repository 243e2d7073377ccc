-- A row that a design selects.
-- Grain: (design, row_id).
create table contracts.designs (
    design varchar not null,  -- its name in data/protocol.toml
    row_id varchar not null,  -- a selected text
)
