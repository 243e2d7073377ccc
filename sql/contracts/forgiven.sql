-- A token that carries no content, so that leaving it readable is forgiven by TAB's metrics.
-- Grain: none; tokens may overlap.
create table contracts.forgiven (
    row_id varchar not null,  -- the text
    start_char bigint not null check (start_char >= 0),  -- first code point
    end_char bigint not null check (end_char > start_char),  -- behind the last
    source varchar not null,  -- what says so: words (a list), a spaCy model by name and version, or file
)
