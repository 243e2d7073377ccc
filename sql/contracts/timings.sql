-- How long a row took, where it was timed.
-- Grain: (run_id, row_id).
create table contracts.timings (
    run_id varchar not null,  -- the run
    row_id varchar not null,  -- the text
    milliseconds double not null check (milliseconds >= 0),  -- wall time of this row alone
)
