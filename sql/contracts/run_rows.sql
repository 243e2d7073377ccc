-- A row that a run answered, with spans or without.
-- Grain: (run_id, row_id).
create table contracts.run_rows (
    run_id varchar not null,  -- the run
    row_id varchar not null,  -- the text
    status varchar not null check (status in ('ok', 'error', 'truncated')),  -- an `error` counts as not answered
    chars_seen bigint not null check (chars_seen >= 0),  -- code points that the detector looked at
)
