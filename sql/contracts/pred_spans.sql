-- A predicted span.
-- Grain: none; the same span twice is counted once and reported.
create table contracts.pred_spans (
    run_id varchar not null,  -- the run
    row_id varchar not null,  -- the text
    start_char bigint not null check (start_char >= 0),  -- first code point
    end_char bigint not null check (end_char > start_char),  -- behind the last code point
    source_label varchar not null,  -- what the detector calls it
    score double,  -- its confidence, where it gives one
)
